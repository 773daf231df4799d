// Where NVIDIA's libraries and headers are on this machine. The program is built without them and
// looks for them when it runs.
#pragma once

#include <filesystem>
#include <string>
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

}  // namespace gemm_tutor
