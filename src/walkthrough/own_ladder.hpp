// The learner's ladder: the last runs of the lessons' kernels.
#pragma once

#include "course/ladder.hpp"
#include "course/lesson_run.hpp"
#include "course/progress.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Returns what is stored of a run, with its measured, recorded or estimated time.
RunRecord record_of(const LessonRun& run);

// "4.37 ms · 491 GFLOP/s · 0.7 % of peak · 1.3 % of cuBLAS · estimated for NVIDIA H200".
std::string time_text(const LessonRun& run, const LadderTime& time);

// "Lesson 3, in your run at 1,024: 9.3 TFLOP/s. This is 1.7 times as fast." It compares with the
// learner's run of the lesson that this one changes, or for another kernel of the lesson, with the
// lesson's own. Says which run is missing. Empty if there is no time, or nothing to compare with.
std::string comparison_text(const LessonRun& run, const Progress& progress);

// "Lesson 5 at 1,024: 16.1 TFLOP/s, recorded on an NVIDIA H200, 1.7 × lesson 3, 24 % of peak, 32 %
// of cuBLAS." It compares with the lesson that it changes, if that was run at the same size and its
// time has the same source and device. Empty if the lesson was not run, or has no time.
std::string run_sentence(const Lesson& lesson, const Progress& progress);

// Returns all runs with bars and the sources of their times. Empty if there are none.
Parts own_ladder(const Progress& progress);

}  // namespace gemm_tutor
