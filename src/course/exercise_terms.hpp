// The terms of an exercise: what the learner's kernel must do.
#pragma once

#include <string>
#include <vector>

#include "course/settings.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

enum class ExerciseKind { gaps, bug, faster, write };

// A limit that a kernel with a right result must meet: "floats loaded from global memory: at most
// M·N·K·(1/BM + 1/BN)".
struct Goal {
  std::string name;      // "floats loaded from global memory"
  std::string unit;      // "floats"
  std::string count;     // an expression over counted values, as in course/question.hpp
  std::string limit;     // an expression over the values before the run
  bool exactly = false;  // the count must equal the limit; otherwise be at most the limit
  Problem problem;       // the problem that is counted
};

// Another way to solve it: the solution with some pieces of its code replaced.
struct OtherWay {
  struct Change {
    std::string code, becomes;
  };
  std::string text;  // Markdown, a sentence or two
  std::vector<Change> changes;
};

struct ExerciseTerms {
  ExerciseKind kind = ExerciseKind::gaps;
  Settings settings;           // of the kernel
  std::string task;            // Markdown, one or two paragraphs
  std::vector<Problem> sizes;  // the problems at which its result is checked
  std::vector<std::string> hints;
  std::vector<OtherWay> other_ways;
  std::vector<Goal> goals;
  bool is_ladder = false;  // each goal is a rung: it counts only if those before it are met
  // The problem at which a solution is compared with the reference and its time is estimated.
  Problem timed_at = {2048, 2048, 2048};
};

}  // namespace gemm_tutor
