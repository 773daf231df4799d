// Finds and reads the files that a user's CUDA C++ file includes, and others of its repository.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

// A file of the user, not of the toolkit or of a library.
struct IncludedFile {
  // A directive that includes it.
  struct Inclusion {
    std::size_t file = 0;  // 0 for the main file, n for the n-th included one, from 1
    std::string header;    // as the directive names it: "../common/tile.cuh"
  };

  std::string name;            // as shown to the user
  std::filesystem::path path;  // absolute
  std::string text;
  bool was_searched = false;  // it is neither beside the including file nor in a folder of -I
  std::vector<Inclusion> inclusions = {};
};

namespace source {

// One #include of a file: "tile.cuh" in quotes, or <tile.cuh>.
struct Include {
  std::string header;
  bool in_quotes = false;
  std::size_t begin = 0, end = 0;  // offsets of the header with its quotes or angle brackets
  int line = 0;
};

// Returns all that name a header, of every branch of #if.
std::vector<Include> includes_in(std::string_view text);

// Reads the files that `text`, the contents of `path`, includes, directly or not, in order of
// inclusion. It searches the including file's folder, then `folders`, then ../include, then the
// folders up to the root of the repository, each with its include/ and common/, and at last the
// whole repository for the only file of that name. Leaves out headers of host_only_headers(), if
// they are not beside the including file, headers that it does not find, and files that are larger
// than 1 MiB or not text. At most 200 files.
std::vector<IncludedFile> included_files(const std::filesystem::path& path, std::string_view text,
                                         const std::vector<std::string>& folders);

// Returns the root of the repository that has the absolute folder: the folder with .git, else the
// uppermost with a build file, a few folders up at most; neither the file system's root nor the
// home directory. Returns the folder itself if there is no repository.
std::filesystem::path repository_root(const std::filesystem::path& folder);

// --- Headers of libraries that kernel files often include

// Headers that only host code needs, or whose device functions the compilers know without them:
// "vector", "cublas_v2.h". A '*' at the end or at the beginning means any text: "torch/*".
std::span<const std::string_view> host_only_headers();

// True if it is one of them. The empty text is a header that has all that device code needs.
bool is_host_only_header(std::string_view header);

// Returns the name of the library that the header is of, "CUTLASS", whose device code is not
// supported; empty for others.
std::string_view unsupported_library(std::string_view header);

// --- Other files of the repository that the user's file is in

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

}  // namespace source
}  // namespace gemm_tutor
