// Files that a command writes in addition to its report.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gemm_tutor::cli {

// Call before the work. Throws Error (usage) for an invalid name, with `example` ("grades.csv") as
// a valid one, and Error (unavailable) if the file cannot be written, as far as this can be known.
void check_writable(const std::string& option, const std::optional<std::string>& path,
                    const std::string& example);

// An option and its file.
struct NamedOutput {
  const char* option;
  const std::optional<std::string>& path;
};

// Throws Error (usage) if two outputs are the same file.
void check_different(const std::vector<NamedOutput>& outputs);

// Throws Error (usage) if an output is `read`, a file that the command reads, or a lesson's file,
// also through links.
void check_not_read(const std::vector<NamedOutput>& outputs, const std::string& read = "");

// Writes the file. If the path is a link, writes its target. Throws Error (unavailable) on failure,
// and leaves an existing file unchanged.
void write_output(const std::string& option, const std::string& path, const std::string& contents);

}  // namespace gemm_tutor::cli
