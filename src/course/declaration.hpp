// The declaration of a lesson or an exercise that is data: a small TOML file. docs/teaching.md has
// its keys, with an example.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

enum class ExerciseKind { gaps, bug, faster };

// What a kernel's memory traffic must be, once its result is right: "floats loaded from global
// memory: at most M·N·K·(1/BM + 1/BN)".
struct Goal {
  std::string name;      // "floats loaded from global memory"
  std::string unit;      // "floats"
  std::string count;     // an expression over counted values, as in course/question.hpp
  std::string limit;     // one over the values before the run
  bool exactly = false;  // else at most
  Problem problem;       // that it is counted for
  std::string cause;     // one sentence: why it is usually missed
};

// What is asked of the learner's kernel.
struct ExerciseTerms {
  ExerciseKind kind = ExerciseKind::gaps;
  Settings settings;           // that the kernel has in it
  std::string task;            // Markdown, a paragraph or two
  std::vector<Problem> sizes;  // that its result is checked at
  std::vector<std::string> hints;
  std::vector<Goal> goals;
};

struct Declaration {
  std::string title;  // empty where there is none
  // Its name, settings, launch and formula. Its shape() throws Error (usage), naming the file, for
  // settings that make no whole number of threads, rows or columns.
  std::optional<Kernel> kernel;
  std::optional<ExerciseTerms> exercise;
};

// Throws Error (usage), with the file and line, for each thing wrong: what is no TOML, keys that
// there are not, values of the wrong kind, expressions that are none or have unknown names.
// `kernel` is the one that goals are about where the file declares none.
Declaration read_declaration(std::string_view text, const std::string& file_name,
                             const Kernel* kernel = nullptr);

}  // namespace gemm_tutor
