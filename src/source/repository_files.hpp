// Other files of the repository that a user's CUDA C++ file is in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gemm_tutor::source {

// Returns the absolute path without links, as far as it exists.
std::filesystem::path resolved(const std::filesystem::path& path);

// Returns all files below a folder, except hidden ones, by name.
std::multimap<std::filesystem::path, std::filesystem::path> files_below(
    const std::filesystem::path& root);

// Returns nothing for a file that is larger than 1 MiB or not text.
std::optional<std::string> text_of_file(const std::filesystem::path& path);

// Another file of the repository that launches a kernel, or is included by one.
struct OtherFile {
  std::filesystem::path path;
  std::string text;
  std::int64_t missing = 0;  // words that were looked for and that it does not have
};

// Returns the other source files of a file's repository that have some of the words: those with the
// most words first, and of these the nearest.
std::vector<OtherFile> files_with(const std::filesystem::path& file,
                                  const std::set<std::string>& words);

// Returns those that launch something of that name. A file that defines a kernel of that name
// launches its own.
std::vector<OtherFile> files_that_launch(const std::filesystem::path& file,
                                         const std::string& name);

// Returns the files that include this one, directly or not: first those that no other one includes,
// and of these the nearest.
std::vector<OtherFile> files_that_include(const std::filesystem::path& file);

// Adds the file, and those that it includes, as far as they are not of `known`.
void add_with_included(std::vector<OtherFile>& files, std::set<std::filesystem::path>& known,
                       OtherFile one);

}  // namespace gemm_tutor::source
