// The chapter before the lessons: the parts of a GPU, and a complete program for it.
#pragma once

#include "simt/gpu_spec.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// The report of `lesson machine`: lessons/machine/machine.md with the GPU's numbers, and
// multiply.cu.
Document machine_chapter(const simt::GpuSpec& gpu);

}  // namespace gemm_tutor
