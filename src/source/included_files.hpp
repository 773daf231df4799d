// Finds and reads the files that a user's CUDA C++ file includes.
#pragma once

#include <cstddef>
#include <filesystem>
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

}  // namespace source
}  // namespace gemm_tutor
