// The first start: what this is, and what it should know of the learner.
#pragma once

#include "course/progress.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

// Asks, and keeps the answers in `progress`, with the lesson that they lead to. False where the
// learner left; then nothing is kept. `notice` is shown first.
bool welcome(Screen& screen, Progress& progress, const std::string& notice);

}  // namespace gemm_tutor
