#include "run/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>

#include "source/definitions.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_bytes = 1 << 20;  // the compiler needs thousands of times this memory
constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

std::string text_of(const fs::path& path, const std::string& help) {
  const auto unusable = [&](std::string_view why) {
    return Error(ExitStatus::usage, fmt::format("'{}' {}", path.string(), why), help);
  };
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw unusable("does not exist");
  if (fs::is_directory(path, ignored)) throw unusable("is a directory");
  // A device file may be endless.
  if (!fs::is_regular_file(path, ignored)) throw unusable("is not an ordinary file");
  if (const auto bytes = fs::file_size(path, ignored); !ignored && bytes > most_bytes) {
    throw unusable(fmt::format("has {} bytes, more than the {} of the largest file taken",
                               with_thousands(static_cast<std::int64_t>(bytes)),
                               with_thousands(most_bytes)));
  }
  std::optional<std::string> text = read_file(path);
  if (!text) throw unusable("cannot be read");
  if (text->starts_with(utf8_mark)) text->erase(0, utf8_mark.size());
  if (text->find_first_not_of(" \t\r\n") == text->npos) throw unusable("is empty");
  if (text->find('\0') != text->npos) throw unusable("is not text: it has a zero byte");
  return *text;
}

// PTX quotes the name.
std::string compilable(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == '"' || c == '\\' || c == 0x7f; }, '_');
  return name;
}

}  // namespace

std::vector<std::string_view> texts_of(const KernelSource& kernel) {
  std::vector<std::string_view> texts = {kernel.source};
  for (const IncludedFile& file : kernel.included) texts.emplace_back(file.text);
  return texts;
}

std::vector<source::SharedArray> shared_arrays_of(const KernelSource& kernel) {
  std::string text;  // extents may be constants of another file
  for (const std::string_view file : texts_of(kernel)) text.append(file) += '\n';
  return source::shared_arrays(text, kernel.name_expression);
}

KernelSource in_its_file(KernelSource kernel, std::string_view name) {
  if (kernel.included.empty() || source::File(kernel.source).find_kernel(name)) return kernel;
  for (const IncludedFile& file : kernel.included) {
    if (!source::File(file.text).find_kernel(name)) continue;
    kernel.source = file.text;
    kernel.file_name = file.name;
    break;
  }
  return kernel;
}

KernelSource read_kernel_file(const fs::path& path, const std::string& help,
                              const std::vector<std::string>& folders) {
  KernelSource result;
  result.source = text_of(path, help);
  result.file_name = compilable(path.string());
  if (result.file_name.starts_with('-'))
    result.file_name.insert(0, "./");  // not an option of NVRTC
  result.include_directories = {fs::absolute(path).parent_path().string()};
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
      throw Error(ExitStatus::usage, fmt::format("-I '{}' is not a folder", folder),
                  "Give the folder that has the header, as in -I ../include.");
    }
    result.include_directories.push_back(fs::absolute(folder).string());
  }
  result.included = source::included_files(result.file_name, result.source, folders);
  return result;
}

}  // namespace gemm_tutor
