// The course, one step after the other.
#pragma once

#include <optional>
#include <string>

#include "course/lesson_run.hpp"
#include "course/progress.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

struct WalkthroughRequest {
  RunOptions run;                  // its problem is ignored
  std::optional<Problem> problem;  // replaces the one in the progress
  const Lesson* lesson = nullptr;  // the first lesson; null to continue where the learner was
  std::string step = "idea";       // where it begins in that lesson
};

// Runs until the learner leaves, and saves the progress after every step. Returns one or two lines
// that say how to continue.
std::string walk_through(Screen& screen, ProgressFile& file, const WalkthroughRequest& request);

}  // namespace gemm_tutor
