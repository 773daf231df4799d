// An exercise in the course: writes its file and checks it at each save.
#pragma once

#include "course/progress.hpp"
#include "exercise/exercise.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

// What the learner chose next.
enum class ExerciseEnd { back, next, put_off, left };

// Stores the result in `progress`. Throws Error if the file cannot be written or watched.
ExerciseEnd show_exercise(Screen& screen, ProgressFile& progress, const Exercise& exercise);

}  // namespace gemm_tutor
