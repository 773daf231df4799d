// Estimates the times of configurations of a lesson's kernel, without a GPU.
#pragma once

#include "course/lesson.hpp"
#include "simt/gpu_spec.hpp"
#include "tune/search.hpp"

namespace gemm_tutor {

// Returns a function that compiles a configuration for `gpu`, runs one block of each class of the
// grid on the emulator, and estimates the time at `problem` from the counts. The compiled kernel
// stays in the cache of compile(). The function returns nothing if the compiler makes no machine
// code. It throws Error if the configuration does not compile, cannot be launched or accesses
// memory out of bounds. `lesson` and `kernel` must outlive it.
Estimator estimator_of(const Lesson& lesson, const Kernel& kernel, const GpuSpec& gpu,
                       const Problem& problem);

}  // namespace gemm_tutor
