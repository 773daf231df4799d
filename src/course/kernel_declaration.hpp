// Reads a kernel's table in lesson.toml: [kernel], or one of several [[kernel]].
#pragma once

#include <string>
#include <string_view>

#include "course/lesson.hpp"
#include "support/toml_table.hpp"

namespace gemm_tutor {

// `source` is the lesson's kernel file. The pieces of code of notes and questions must be in it. If
// it is empty, this is not checked. The kernel may be a variant of one of the lesson's `earlier`
// kernels, or of one in the lesson that is `changed`.
//
// Throws Error (usage) with the file and line for a mistake. The kernel's shape() throws Error
// (usage), with the settings and the rule, for settings that break a constraint, or if a number of
// threads, rows or columns is not a whole number.
Kernel read_kernel(TomlTable table, const std::string& source, const Lesson* changed = nullptr,
                   const std::vector<Kernel>& earlier = {});

// Replaces values of `settings` by those in the table `values` of `table`.
Settings with_values(TomlTable& table, Settings settings, std::string_view kernel_name);

// Throws Error (usage) for an invalid expression, or if it has names that are not in `values`.
void check_names(const std::string& expression, const Values& values, const FilePlace& place);

}  // namespace gemm_tutor
