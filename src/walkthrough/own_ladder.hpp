// The learner's ladder: the last runs of the lessons' kernels.
#pragma once

#include "course/kernel_run.hpp"
#include "course/progress.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Returns what is stored of a run, with its measured, recorded or estimated time.
RunRecord record_of(const KernelRun& run);

// "Lesson 5 at 1,024: 16.1 TFLOP/s, recorded on an NVIDIA H200, 1.7 × lesson 3, 32 % of cuBLAS."
// It compares with the lesson that it changes, if that was run at the same size and its time has
// the same source and device. Empty if the lesson was not run, or has no time.
std::string run_sentence(const Lesson& lesson, const Progress& progress);

// Returns all runs with bars and the sources of their times. Empty if there are none.
Parts own_ladder(const Progress& progress);

}  // namespace gemm_tutor
