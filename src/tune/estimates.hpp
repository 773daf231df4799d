// How long configurations of a lesson's kernel take on a GPU, by estimate: no GPU is needed.
#pragma once

#include "course/lesson.hpp"
#include "model/gpu_spec.hpp"
#include "tune/search.hpp"

namespace gemm_tutor {

// Compiles a configuration for `gpu`, runs one block of each class of the grid on the emulator for
// the counts, and estimates from them the time at `problem`. The compiled kernel is in the cache of
// compile() then. Gives nothing where the compiler makes no machine code. Throws Error for a
// configuration that does not compile, cannot be launched or leaves its matrices. `lesson` and
// `kernel` must outlive it.
Estimator estimator_of(const Lesson& lesson, const Kernel& kernel, const GpuSpec& gpu,
                       const Problem& problem);

}  // namespace gemm_tutor
