// The chapter before the lessons: what a GPU is made of, and a complete program for it.
#pragma once

#include "model/gpu_spec.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// What `lesson machine` shows: lessons/machine/machine.md with the numbers of that GPU, and the
// program beside it.
Document machine_chapter(const GpuSpec& gpu);

}  // namespace gemm_tutor
