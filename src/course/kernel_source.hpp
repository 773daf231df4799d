// A CUDA kernel as it is compiled and launched, whoever wrote it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "gemm/parameter.hpp"

namespace gemm_tutor {

struct KernelSource {
  std::string source;
  std::string file_name;        // as the user knows it
  std::string name_expression;  // "v2<32>", "ns::kernel"; empty: the only kernel of the file
  std::vector<std::string> include_directories;
  LaunchShape shape;
  std::vector<Role> parameters = {Role::a, Role::b, Role::c, Role::m, Role::n, Role::k};
};

KernelSource kernel_source(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                           const Problem& problem);

// What a file of the user's own holds. Throws Error (usage) when it is not there, cannot be read,
// or is no text.
KernelSource read_kernel_file(const std::filesystem::path& path);

// The roles that "A,B,C,M,N,K" or the like names. Throws Error (usage) for a name that is none of
// the six, a matrix named twice, and no C.
std::vector<Role> parse_roles(std::string_view list);

}  // namespace gemm_tutor
