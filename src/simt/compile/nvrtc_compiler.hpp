// NVRTC, NVIDIA's run-time compiler. It is loaded when it is first used, and called only here.
#pragma once

#include <string>
#include <vector>

#include "simt/compile/device_compiler.hpp"

namespace gemm_tutor::simt {

class Nvrtc {
 public:
  // Returns null, with the reason in `problem`, if it cannot be loaded. Loads it at most once.
  static const Nvrtc* load(std::string& problem);

  const std::string& version() const { return version_; }  // "13.0"
  const std::string& path() const { return path_; }
  // The compute capabilities that it compiles for, ascending: 75, 80, …
  const std::vector<int>& architectures() const { return architectures_; }

  // Thread-safe. Throws Error (unavailable) if NVRTC itself fails, and Error (compile_error) if it
  // crashes on the file.
  CompilerOutput compile(const CompilerInput& input, const std::string& file_name,
                         const std::string& name_expression,
                         const std::vector<std::string>& options) const;

 private:
  std::string version_, path_;
  std::vector<int> architectures_;
};

}  // namespace gemm_tutor::simt
