#include "cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "support/error.hpp"
#include "support/file.hpp"

namespace gemm_tutor::cli {
namespace {

namespace fs = std::filesystem;

bool may_write(const fs::path& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

// The folder that it will be in, or that the folders it needs will be made in.
fs::path nearest_folder(const fs::path& path) {
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored).parent_path();
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Error cannot_write(const std::string& option, const std::string& path) {
  return {ExitStatus::unavailable, fmt::format("{}: cannot write '{}'", option, path),
          "Give the name of a file in a folder that can be written."};
}

}  // namespace

void check_writable(const std::string& option, const std::optional<std::string>& path,
                    const std::string& example) {
  if (!path) return;
  std::error_code ignored;
  if (path->empty() || fs::is_directory(*path, ignored)) {
    throw Error(ExitStatus::usage, fmt::format("{} '{}' is no name for a file", option, *path),
                fmt::format("Give a file, as in {} {}.", option, example));
  }
  const fs::path folder = nearest_folder(*path);
  const bool may_replace = !fs::exists(*path, ignored) || may_write(*path);
  if (!may_replace || !fs::is_directory(folder, ignored) || !may_write(folder)) {
    throw cannot_write(option, *path);
  }
}

void write_output(const std::string& option, const std::string& path, const std::string& contents) {
  if (!write_file_atomically(path, contents)) throw cannot_write(option, path);
}

}  // namespace gemm_tutor::cli
