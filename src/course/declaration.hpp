// Reads lesson.toml or exercise.toml. docs/teaching.md describes the keys, with an example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/exercise_terms.hpp"
#include "course/lesson.hpp"
#include "course/settings.hpp"
#include "run/launch_shape.hpp"
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
// The expressions and the pieces of code in a file that `is_checked` are taken as they are.
Declaration read_declaration(std::string_view text, const std::string& file_name,
                             const Kernel* kernel = nullptr, const std::string& source = {},
                             const std::vector<Lesson>& earlier = {}, bool is_checked = false);

// Parses M, N and K, each at least 1. Throws Error (usage) for other texts.
Problem size_of(const std::string& text, const FilePlace& place);

// Reads the table [exercise], about `kernel`. Throws Error (usage) with the file and line for a
// mistake.
ExerciseTerms read_exercise(TomlTable table, Kernel kernel);

// Reads a kernel's table in lesson.toml: [kernel], or one of several [[kernel]].
//
// `source` is the lesson's kernel file. The pieces of code of notes and questions must be in it. If
// it is empty, or if the file is_checked, this is not checked. The kernel may be a variant of one
// of the lesson's `earlier` kernels, or of one in the lesson that is `changed`.
//
// Throws Error (usage) with the file and line for a mistake. The kernel's shape() throws Error
// (usage), with the settings and the rule, for settings that break a constraint, or if a number of
// threads, rows or columns is not a whole number.
Kernel read_kernel(TomlTable table, const std::string& source, const Lesson* changed = nullptr,
                   const std::vector<Kernel>& earlier = {});

// Replaces values of `settings` by those in the table `values` of `table`.
Settings with_values(TomlTable& table, const Settings& settings, std::string_view kernel_name);

// Throws Error (usage) for an invalid expression, or if it has names that are not in `values`.
void check_names(const std::string& expression, const Values& values, const FilePlace& place);

// A condition that the settings must meet.
struct Constraint {
  std::string holds;  // an expression over the settings and `threads` (per block)
  // The error's message and help if the condition is false. They may have expressions in braces. If
  // they are empty, they are made from `holds`: "BM is not a multiple of TM".
  std::string text = {};
  std::string help = {};
};

// Expressions over the settings.
struct LaunchRule {
  std::vector<std::string> block;   // threads along x and y
  std::vector<std::string> tile;    // rows and columns of C, and the step along K
  std::string grid_z = "1";         // blocks that compute a tile together
  std::string shared_floats = "0";  // floats of shared memory that the kernel declares
  std::string stream_k_blocks = {}, stream_k_group_rows = {};  // empty if not stream-K
  std::vector<Constraint> constraints = {};                    // in the order of the checks
  bool grid_x_along_rows = false;
  std::string dynamic_shared_bytes = "0";

  // Throws Error (usage), with the settings, for the first constraint that is false, and for an
  // extent that is not a whole number of at least 1.
  LaunchShape operator()(const Settings& settings) const;

  // Its parts, which throw the same.
  void check(const Constraint& constraint, const Settings& settings) const;
  int extent(const std::string& expression, const Settings& settings) const;

  // Returns the constraint's message. Throws std::logic_error for an unmatched brace.
  std::string text_of(const Constraint& constraint, const Settings& settings) const;

 private:
  Values values_with_threads(const Settings& settings) const;
};

}  // namespace gemm_tutor
