// A kernel's counts against those of the lesson that it changes.
#pragma once

#include <optional>

#include "course/kernel_run.hpp"
#include "gemm/problem.hpp"
#include "model/gpu_spec.hpp"

namespace gemm_tutor {

// Emulates a few blocks of the own kernel of changed_lesson(). Nothing where there is no such
// lesson with a CUDA kernel, where that kernel cannot run at this size, and where one of the two
// loads nothing. Throws Interrupted.
std::optional<Comparison> compare_with_changed_lesson(const Lesson& lesson,
                                                      const emulator::Result& emulation,
                                                      const Problem& problem, const GpuSpec& gpu,
                                                      Activity* activity);

}  // namespace gemm_tutor
