// A shared library that is loaded at run time, so that the program starts without it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gemm_tutor {

// Stays loaded until the program ends: CUDA's libraries do not survive being unloaded.
class DynamicLibrary {
 public:
  // Loads the first of `names` that can be loaded. These are paths, or names that the system's
  // loader searches for. If all fail, returns nothing. Then `problem` has the loader's message
  // about the first library that exists, or is empty if none exists.
  static std::optional<DynamicLibrary> open(const std::vector<std::string>& names,
                                            std::string& problem);

  // F is a function's type, as in function<int(int*, int*)>("nvrtcVersion"). Returns null if
  // the library has no such function.
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(address(name));
  }

  // Sets the pointer to the function of that name. Returns false if the library has no such
  // function.
  template <class F>
  bool load(F*& pointer, const char* name) const {
    pointer = function<F>(name);
    return pointer != nullptr;
  }

  // The file that was loaded; the name that was opened if the system does not tell.
  const std::string& path() const { return path_; }

 private:
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* address(const char* name) const;

  void* handle_;
  std::string path_;
};

}  // namespace gemm_tutor
