#include "course/kernel_source.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <system_error>

#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_bytes = 1
                                    << 20;  // the compiler takes thousands of times as much memory
constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

Error unusable(const fs::path& path, std::string_view why) {
  return {ExitStatus::usage, fmt::format("'{}' {}", path.string(), why),
          "Give a CUDA C++ file with a kernel in it, as in 'gemm-tutor run kernel.cu --block 32x32 "
          "--tile 32x32'."};
}

std::string text_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw unusable(path, "does not exist");
  if (fs::is_directory(path, ignored)) throw unusable(path, "is a directory");
  // A device may have no end.
  if (!fs::is_regular_file(path, ignored)) throw unusable(path, "is not an ordinary file");
  if (const auto bytes = fs::file_size(path, ignored); !ignored && bytes > most_bytes) {
    throw unusable(path, fmt::format("has {} bytes, more than the {} of the largest file taken",
                                     with_thousands(static_cast<std::int64_t>(bytes)),
                                     with_thousands(most_bytes)));
  }
  std::optional<std::string> text = read_file(path);
  if (!text) throw unusable(path, "cannot be read");
  if (text->starts_with(utf8_mark)) text->erase(0, utf8_mark.size());
  if (text->find_first_not_of(" \t\r\n") == text->npos) throw unusable(path, "is empty");
  if (text->find('\0') != text->npos) throw unusable(path, "is not text: it has a zero byte");
  return *text;
}

}  // namespace

KernelSource kernel_source(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                           const Problem& problem) {
  KernelSource result;
  result.source = lesson.source;
  result.file_name = lesson.source_file;
  result.name_expression = kernel.name_expression(settings, problem);
  result.shape = kernel.shape(settings);
  return result;
}

KernelSource read_kernel_file(const fs::path& path) {
  KernelSource result;
  result.source = text_of(path);
  result.file_name = path.string();
  if (result.file_name.starts_with('-')) result.file_name.insert(0, "./");  // no option of NVRTC's
  result.include_directories = {fs::absolute(path).parent_path().string()};
  return result;
}

}  // namespace gemm_tutor
