// A kernel as lesson.toml declares it: [kernel], or one of several [[kernel]].
#pragma once

#include <string>
#include <string_view>

#include "course/lesson.hpp"
#include "support/toml_table.hpp"

namespace gemm_tutor {

// `source` is the text of the lesson's kernel file, in which the pieces of code are looked for that
// notes and questions name; empty to leave that out.
//
// The kernel's shape() throws Error (usage), with the settings and the rule, for those that break a
// constraint, or make no whole number of threads, rows or columns. Throws Error (usage), with the
// file and line, for each thing wrong.
Kernel read_kernel(TomlTable table, const std::string& source);

// Numbers for some of `settings`, in place of its own: the table `values` of `table`.
Settings with_values(TomlTable& table, Settings settings, std::string_view kernel_name);

// changes = 7, or changes = "7b".
LessonNumber read_lesson_number(TomlTable& table, std::string_view key);

// Throws Error (usage) for an expression that is none, or has names that `values` does not have.
void check_names(const std::string& expression, const Values& values, const FilePlace& place);

}  // namespace gemm_tutor
