#include "cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>

#include "course/lesson.hpp"
#include "support/error.hpp"
#include "support/file.hpp"

namespace gemm_tutor::cli {
namespace {

namespace fs = std::filesystem;

// A device or a pipe, which must not be replaced.
bool is_special(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  return type != fs::file_type::regular && type != fs::file_type::not_found;
}

bool may_write(const fs::path& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

// The folder that it will be in.
fs::path folder_of(const fs::path& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).parent_path();
}

// The files of a course's lessons, and the source files of built-in lessons if they exist.
std::vector<fs::path> files_of_lessons() {
  std::vector<fs::path> files;
  for (const Lesson& lesson : lessons()) {
    const fs::path folder = fs::path(lesson.source_file).parent_path();
    for (const char* name : {"kernel.cu", "lesson.md", "lesson.toml", "exercise.cu"}) {
      files.push_back(folder / name);
    }
  }
  return files;
}

bool is_one_of(const fs::path& path, const std::vector<fs::path>& files) {
  return std::ranges::any_of(files, [&](const fs::path& file) {
    std::error_code ignored;  // one of them is not there
    return fs::equivalent(path, file, ignored);
  });
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
    throw Error(ExitStatus::usage, fmt::format("{} '{}' is not a name for a file", option, *path),
                fmt::format("Give a file, as in {} {}.", option, example));
  }
  if (is_special(*path) && may_write(*path)) return;
  const fs::path file = without_links(*path), folder = folder_of(file);
  const bool may_replace = !fs::exists(file, ignored) || may_write(file);
  if (!may_replace || !fs::is_directory(folder, ignored) || !may_write(folder)) {
    throw cannot_write(option, *path);
  }
}

void check_different(const std::vector<NamedOutput>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [option, path] = outputs[i];
      const auto& [other, other_path] = outputs[j];
      if (!path || !other_path || without_links(*path) != without_links(*other_path)) continue;
      throw Error(ExitStatus::usage,
                  fmt::format("{} and {} name the same file, '{}'", other, option, *path),
                  "Give each a file of its own.");
    }
  }
}

void check_not_read(const std::vector<NamedOutput>& outputs, const std::string& read) {
  std::vector<fs::path> files = files_of_lessons();
  if (!read.empty()) files.emplace_back(read);
  for (const auto& [option, path] : outputs) {
    if (!path || !is_one_of(*path, files)) continue;
    throw Error(ExitStatus::usage,
                fmt::format("{} '{}' would replace a file that is read", option, *path),
                "Give a file of its own.");
  }
}

void write_output(const std::string& option, const std::string& path, const std::string& contents) {
  if (!is_special(path)) {
    if (!write_file_atomically(without_links(path), contents)) throw cannot_write(option, path);
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  if (!file) throw cannot_write(option, path);
}

}  // namespace gemm_tutor::cli
