// The course, one step after the other.
#pragma once

#include <optional>
#include <string>

#include "course/kernel_run.hpp"
#include "course/progress.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

struct WalkthroughRequest {
  RunOptions run;                  // but for the problem
  std::optional<Problem> problem;  // instead of the one kept in the progress
  const Lesson* lesson = nullptr;  // to begin with; null: where the learner was
};

// Until the learner leaves. Keeps progress after every step. Returns what is to be said then: where
// it goes on, one line or two.
std::string walk_through(Screen& screen, ProgressFile& file, const WalkthroughRequest& request);

}  // namespace gemm_tutor
