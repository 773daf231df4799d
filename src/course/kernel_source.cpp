#include "course/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

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
  const std::optional<std::string> text = read_file(path);
  if (!text) throw unusable(path, "cannot be read");
  if (text->find_first_not_of(" \t\r\n") == text->npos) throw unusable(path, "is empty");
  if (text->find('\0') != text->npos) throw unusable(path, "is not text: it has a zero byte");
  return *text;
}

Error wrong_list(std::string_view list, std::string_view why) {
  return {ExitStatus::usage, fmt::format("--args '{}': {}", list, why),
          "Name what each of the kernel's parameters is, in its order: A, B, C, M, N, K."};
}

Role role_named(std::string_view name, std::string_view list) {
  const auto found =
      std::ranges::find(role_names, name, &std::pair<Role, std::string_view>::second);
  if (found == std::end(role_names)) {
    throw wrong_list(list, fmt::format("'{}' is none of A, B, C, M, N, K", name));
  }
  return found->first;
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
  result.include_directories = {fs::absolute(path).parent_path().string()};
  return result;
}

std::vector<Role> parse_roles(std::string_view list) {
  std::vector<Role> roles;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const Role role = role_named(list.substr(begin, end - begin), list);
    if (is_matrix(role) && std::ranges::count(roles, role)) {
      throw wrong_list(list, fmt::format("{} stands there twice", name_of(role)));
    }
    roles.push_back(role);
    begin = end + 1;
  }
  if (!std::ranges::count(roles, Role::c)) throw wrong_list(list, "there is no C to write");
  return roles;
}

}  // namespace gemm_tutor
