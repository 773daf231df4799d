// The learner's own ladder: the lessons' own kernels as they were last run.
#pragma once

#include "course/kernel_run.hpp"
#include "course/progress.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// What is kept of a run, with its most certain time.
RunRecord record_of(const KernelRun& run);

// "Lesson 5 at 1,024: 16.1 TFLOP/s, recorded on an NVIDIA H200, 1.7 × lesson 3, 32 % of cuBLAS."
// Compared with the lesson that it changes, where that was run at the same size and its time is of
// the same kind and device. Empty where the lesson was not run, or has no time.
std::string run_sentence(const Lesson& lesson, const Progress& progress);

// All runs with bars, and where their times are from. No parts where there are none.
Parts own_ladder(const Progress& progress);

}  // namespace gemm_tutor
