// NVRTC, NVIDIA's run-time compiler, loaded when it is first used. The one place that calls it.
#pragma once

#include <string>
#include <vector>

#include "compile/device_compiler.hpp"

namespace gemm_tutor {

class Nvrtc {
 public:
  // Null, and why in `problem`, when it cannot be loaded. Tried once in the life of the program.
  static const Nvrtc* load(std::string& problem);

  const std::string& version() const { return version_; }  // "13.0"
  const std::string& path() const { return path_; }
  // 75, 80, …: the compute capabilities it compiles for, ascending.
  const std::vector<int>& architectures() const { return architectures_; }

  // From any thread. Throws Error: (unavailable) when NVRTC itself fails, (compile_error) when it
  // crashes on the file.
  CompilerOutput compile(const std::string& source, const std::string& file_name,
                         const std::string& name_expression,
                         const std::vector<std::string>& options) const;

 private:
  std::string version_, path_;
  std::vector<int> architectures_;
};

}  // namespace gemm_tutor
