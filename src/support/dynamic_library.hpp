// A shared library loaded while the program runs, so that the program starts without it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gemm_tutor {

// Stays loaded until the program ends: CUDA's libraries do not survive being unloaded.
class DynamicLibrary {
 public:
  // The first of `names` (paths, or names the system's loader searches for) that can be loaded.
  // When none can, nothing, and `problem` says which were tried and what the loader said about the
  // last.
  static std::optional<DynamicLibrary> open(const std::vector<std::string>& names,
                                            std::string& problem);

  // F is a function's type, as in function<decltype(nvrtcVersion)>("nvrtcVersion"); null when the
  // library has no such function.
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(address(name));
  }

  // Where it was found; the name it was opened by where the system does not say.
  const std::string& path() const { return path_; }

 private:
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* address(const char* name) const;

  void* handle_;
  std::string path_;
};

}  // namespace gemm_tutor
