// The first start: introduces the course and asks about the learner.
#pragma once

#include "course/progress.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

// Stores the answers in `progress`, with the lesson to begin with. Returns false, with no change,
// if the learner left. `notice` is shown first.
bool welcome(Screen& screen, Progress& progress, const std::string& notice);

}  // namespace gemm_tutor
