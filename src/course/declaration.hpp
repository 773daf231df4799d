// What a TOML file declares: lesson.toml, or an exercise.toml. docs/teaching.md has the keys, with
// an example.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.hpp"
#include "support/file_place.hpp"

namespace gemm_tutor {

// A lesson that the file names by its number.
struct NamedLesson {
  std::string key;  // "changes" or "recalls"
  LessonNumber number;
  FilePlace place;
};

struct Declaration {
  std::string title;  // empty for none
  std::optional<LessonNumber> changes;
  std::string change;
  std::vector<NamedLesson> named_lessons;
  std::optional<Problem> page_size;
  std::vector<Kernel> kernels;
  std::optional<ExerciseTerms> exercise;  // on the first of them
};

// Throws Error (usage), with the file and line, for each mistake: invalid TOML, unknown
// keys, values of the wrong kind, invalid expressions or unknown names in them.
// `kernel` is the one that the exercise is about where the file declares none; `source` the text of
// the kernel file that notes and questions are about, or empty.
Declaration read_declaration(std::string_view text, const std::string& file_name,
                             const Kernel* kernel = nullptr, const std::string& source = {});

}  // namespace gemm_tutor
