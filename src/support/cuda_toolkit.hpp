// Where NVIDIA's libraries and headers are on this machine. The program is built without them and
// looks for them when it runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gemm_tutor {

// Returns the paths and names to open a library by, the preferred one first. `name` is "nvrtc" or
// "cublas". If the environment variable CUDA_PATH is set, only that folder is looked in. Otherwise
// these are
// - the folders of NVIDIA's Python packages, if this program is itself in a site-packages folder:
//   nvidia/cu13/lib, or nvidia/cuda_nvrtc/lib of CUDA 12,
// - /usr/local/cuda, and those of the system's loader.
std::vector<std::string> cuda_library_names(const std::string& name);

// Returns the message that a library, such as "libnvrtc", is in none of these places.
std::string is_nowhere(const std::string& library);

// Returns the folders of CUDA's headers, with libcu++, that fit an NVRTC that was loaded from this
// path. Empty if there are none.
std::vector<std::filesystem::path> cuda_headers(const std::filesystem::path& nvrtc);

// A shared library that is loaded at run time, so that the program starts without it.

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
