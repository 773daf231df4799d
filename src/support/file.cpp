#include "support/file.hpp"

#include <fmt/format.h>

#include <array>
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

bool write_file(const fs::path& path, std::string_view contents) {
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  return file.good();
}

fs::path from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
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
  if (file.bad()) return {};  // a directory, for one
  return contents;
}

bool write_file_atomically(const fs::path& path, std::string_view contents) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  const fs::path temporary = temporary_beside(path);
  if (write_file(temporary, contents)) {
    fs::rename(temporary, path, error);
    if (!error) return true;
  }
  fs::remove(temporary, error);
  return false;
}

fs::path cache_directory() {
  // The XDG base directory specification has a relative path ignored.
  if (const fs::path cache = from_environment("XDG_CACHE_HOME"); cache.is_absolute()) {
    return cache / "gemm-tutor";
  }
  const fs::path home = from_environment("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "gemm-tutor";
}

}  // namespace gemm_tutor
