// Files that a command writes beside its report.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gemm_tutor::cli {

// Before the work: throws Error (usage) for a name that no file can have, and (unavailable) for one
// that may not be written, as far as that can be known. `example` is a good name: "grades.csv".
void check_writable(const std::string& option, const std::optional<std::string>& path,
                    const std::string& example);

// An option and its file.
struct NamedOutput {
  const char* option;
  const std::optional<std::string>& path;
};

// Throws Error (usage) where two are the same file.
void check_different(const std::vector<NamedOutput>& outputs);

// Throws Error (usage) where one is `read`, a file that the command reads, or one that a lesson is
// made of, under any name or link.
void check_not_read(const std::vector<NamedOutput>& outputs, const std::string& read = "");

// A link stays one: what it leads to is written. Throws Error (unavailable) when it cannot be
// written; then what was there still is.
void write_output(const std::string& option, const std::string& path, const std::string& contents);

}  // namespace gemm_tutor::cli
