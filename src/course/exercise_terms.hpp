// What is asked of a learner's kernel.
#pragma once

#include <string>
#include <vector>

#include "course/settings.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

enum class ExerciseKind { gaps, bug, faster, write };

// What a kernel's memory traffic must be, once its result is right: "floats loaded from global
// memory: at most M·N·K·(1/BM + 1/BN)".
struct Goal {
  std::string name;      // "floats loaded from global memory"
  std::string unit;      // "floats"
  std::string count;     // an expression over counted values, as in course/question.hpp
  std::string limit;     // one over the values before the run
  bool exactly = false;  // else at most
  Problem problem;       // that it is counted for
};

struct ExerciseTerms {
  ExerciseKind kind = ExerciseKind::gaps;
  Settings settings;           // that the kernel has in it
  std::string task;            // Markdown, a paragraph or two
  std::vector<Problem> sizes;  // that its result is checked at
  std::vector<std::string> hints;
  std::vector<Goal> goals;
  // At which the time of a kernel to make faster is estimated: large enough to fill a GPU.
  Problem timed_at = {2048, 2048, 2048};
};

}  // namespace gemm_tutor
