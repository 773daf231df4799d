// An exercise inside the course: its file is written, and checked at each save.
#pragma once

#include "course/progress.hpp"
#include "exercise/exercise.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

// How the learner went on from there.
enum class ExerciseEnd { back, next, left };

// Keeps what is done in `file`, and in progress.json what was solved. Throws Error where the file
// cannot be written or watched.
ExerciseEnd show_exercise(Screen& screen, ProgressFile& progress, const Exercise& exercise);

}  // namespace gemm_tutor
