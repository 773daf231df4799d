// A kernel's counts against those of the lesson before.
#pragma once

#include <optional>

#include "course/kernel_run.hpp"
#include "gemm/matrices.hpp"
#include "model/gpu_spec.hpp"

namespace gemm_tutor {

// Emulates a few blocks of the lesson before's own kernel; overwrites matrices.c. Nothing where
// there is no lesson before with a CUDA kernel, or where that kernel cannot run at this size.
// Throws Interrupted.
std::optional<Comparison> compare_with_lesson_before(const Lesson& lesson,
                                                     const emulator::Result& emulation,
                                                     Matrices& matrices, const GpuSpec& gpu,
                                                     Activity* activity);

}  // namespace gemm_tutor
