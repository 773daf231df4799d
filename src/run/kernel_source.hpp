// A CUDA kernel as it is compiled and launched, whoever wrote it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gemm/matrices.hpp"
#include "gemm/parameter.hpp"
#include "gemm/update.hpp"
#include "run/arguments.hpp"
#include "run/launch_shape.hpp"

namespace gemm_tutor {

struct KernelSource {
  std::string source;
  std::string file_name;               // as the user knows it
  std::string name_expression;         // "v2<32>", "ns::kernel"; empty: the only kernel of the file
  std::string second_name_expression;  // of the second pass; empty for none
  std::vector<std::string> include_directories;
  LaunchShape shape;
  int compute_capability = 0;  // what a GPU must have: 80 for cp.async; 0 for any
  bool for_gpu = true;         // else for the emulator alone, which has registers enough
  // Empty: by the names of the parameters, as resolve() of run/arguments.hpp says.
  std::vector<Argument> arguments = usual_arguments;
  Scales scales = {};                               // of A·B and C
  std::optional<InitialC> c_before = std::nullopt;  // else as update_of() says
  Transposed transposed = {};
};

inline constexpr const char* give_a_kernel =
    "Give a CUDA C++ file with a kernel in it, as in 'gemm-tutor run kernel.cu --block 32x32 "
    "--tile 32x32'.";

// What a file of the user's own holds, without the mark of UTF-8 before its first character. Throws
// Error (usage), with that help, when it is not there, cannot be read, is no text, or is larger
// than 1 MiB.
KernelSource read_kernel_file(const std::filesystem::path& path,
                              const std::string& help = give_a_kernel);

}  // namespace gemm_tutor
