#include "support/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <random>
#include <system_error>

namespace gemm_tutor {
namespace fs = std::filesystem;

namespace {

// In the same directory, because a rename is atomic only within a file system.
fs::path temporary_beside(fs::path path) {
  std::random_device random;
  path += fmt::format(".{:08x}{:08x}.tmp", random(), random());
  return path;
}

std::error_code last_error() { return {errno == 0 ? EIO : errno, std::generic_category()}; }

bool write_file(const fs::path& path, std::string_view contents, std::error_code& error) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (!file.good()) error = last_error();
  return file.good();
}

// Renaming needs only the directory's permission.
bool may_replace(const fs::path& path, std::error_code& error) {
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 || errno == ENOENT) return true;
  error = last_error();
  return false;
}

fs::path from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

// The XDG base directory specification says that relative paths are ignored.
fs::path base_directory(const char* variable, const char* below_home) {
  if (const fs::path given = from_environment(variable); given.is_absolute()) return given;
  const fs::path home = from_environment("HOME");
  return home.empty() ? fs::path() : home / below_home;
}

fs::path own_directory(const fs::path& base) {
  return base.empty() ? fs::path() : base / "gemm-tutor";
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::string contents;
  std::array<char, 1 << 16> part;
  do {
    file.read(part.data(), part.size());
    contents.append(part.data(), file.gcount());
  } while (file);
  if (file.bad()) return {};  // for example, a directory
  return contents;
}

std::optional<std::string> read_ordinary_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? read_file(path) : std::nullopt;
}

bool write_file_atomically(const fs::path& path, std::string_view contents,
                           std::error_code& error) {
  error.clear();
  if (path.has_parent_path() && !fs::is_directory(path.parent_path(), error)) {
    fs::create_directories(path.parent_path(), error);
    if (error) return false;
  }
  if (!may_replace(path, error)) return false;
  const fs::path temporary = temporary_beside(path);
  if (write_file(temporary, contents, error)) {
    fs::rename(temporary, path, error);
    if (!error) return true;
  }
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return false;
}

bool write_file_atomically(const fs::path& path, std::string_view contents) {
  std::error_code ignored;
  return write_file_atomically(path, contents, ignored);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

fs::path without_links(fs::path path) {
  constexpr int most_links = 40;  // as on Linux
  std::error_code error;
  for (int links = 0; links < most_links && fs::is_symlink(path, error); ++links) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

fs::path move_aside(const fs::path& path, std::string_view suffix, std::error_code& error) {
  fs::path aside = path;
  aside += suffix;
  const std::string first = aside.string();
  for (int number = 2; fs::exists(fs::symlink_status(aside, error)); ++number) {
    aside = fmt::format("{}-{}", first, number);
  }
  fs::rename(path, aside, error);
  return error ? fs::path() : aside;
}

fs::path cache_directory() { return own_directory(base_directory("XDG_CACHE_HOME", ".cache")); }

fs::path data_directory() { return own_directory(base_directory("XDG_DATA_HOME", ".local/share")); }

fs::path state_directory() {
  return own_directory(base_directory("XDG_STATE_HOME", ".local/state"));
}

}  // namespace gemm_tutor
