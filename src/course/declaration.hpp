// Reads lesson.toml or exercise.toml. docs/teaching.md describes the keys, with an example.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/exercise_terms.hpp"
#include "course/lesson.hpp"
#include "support/file_place.hpp"
#include "support/toml_table.hpp"

namespace gemm_tutor {

// A lesson that the file names.
struct NamedLesson {
  std::string key;   // "changes" or "recalls"
  std::string name;  // its number or slug
  FilePlace place;
};

struct Declaration {
  std::string title;                // may be empty
  const Lesson* changed = nullptr;  // the earlier lesson whose kernel this one changes
  std::string change;
  std::vector<NamedLesson> named_lessons;
  std::optional<Problem> page_size;
  std::vector<Kernel> kernels;
  std::optional<ExerciseTerms> exercise;  // about the first kernel
};

// Throws Error (usage), with the file and line, for a mistake: invalid TOML, unknown keys, values
// of the wrong type, invalid expressions or unknown names in them. `kernel` is the exercise's
// kernel if the file declares none. `source` is the kernel file that notes and questions refer to;
// if it is empty, they refer to that of the lesson that is changed, one of the `earlier` lessons.
Declaration read_declaration(std::string_view text, const std::string& file_name,
                             const Kernel* kernel = nullptr, const std::string& source = {},
                             const std::vector<Lesson>& earlier = {});

// Parses M, N and K, each at least 1. Throws Error (usage) for other texts.
Problem size_of(const std::string& text, const FilePlace& place);

// Reads the table [exercise], about `kernel`. Throws Error (usage) with the file and line for a
// mistake.
ExerciseTerms read_exercise(TomlTable table, Kernel kernel);

}  // namespace gemm_tutor
