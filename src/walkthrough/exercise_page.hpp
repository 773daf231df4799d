// An exercise's page: writes its file and checks it at each save.
#pragma once

#include "course/progress.hpp"
#include "exercise/exercise.hpp"
#include "run/backend.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

// What the learner chose next.
enum class ExerciseEnd { back, next, put_off, left };

// Stores the result in `progress`. Throws Error if the file cannot be written or watched.
ExerciseEnd show_exercise(Screen& screen, ProgressFile& progress, const Exercise& exercise);

// The same outside of a lesson: `file`, which must be there, and once it is solved or put off the
// next exercises, until none is unsolved or the learner leaves.
void show_exercises(Screen& screen, ProgressFile& progress, const Exercise& exercise,
                    const std::string& file, Backend backend);

}  // namespace gemm_tutor
