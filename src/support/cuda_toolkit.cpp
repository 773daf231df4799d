#include "support/cuda_toolkit.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "support/child_process.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

constexpr const char* usual_folder = "/usr/local/cuda";

// Of the Python environment that this program is in; empty if it is in none.
fs::path nvidia_packages() {
  for (fs::path folder = program_path().parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (folder.filename() == "site-packages") return folder / "nvidia";
  }
  return {};
}

// The folders to look in if the user names none. CUDA 13 has one folder for all Python packages,
// CUDA 12 one for each.
std::vector<fs::path> default_folders(const std::string& package_of_cuda_12) {
  const fs::path packages = nvidia_packages();
  if (packages.empty()) return {usual_folder};
  return {packages / "cu13", packages / package_of_cuda_12, usual_folder};
}

// Empty if the user names none.
std::string folder_of_user() {
  const char* const folder = std::getenv("CUDA_PATH");
  return folder == nullptr ? "" : folder;
}

}  // namespace

std::vector<std::string> cuda_library_names(const std::string& name) {
  const std::string chosen = folder_of_user();
  const std::vector<fs::path> folders = chosen.empty()
                                            ? default_folders(name == "nvrtc" ? "cuda_nvrtc" : name)
                                            : std::vector<fs::path>{chosen};
  std::vector<std::string> names;
  const auto add = [&](const std::string& folder) {
    for (const char* version : {".13", ".12"})
      names.push_back(fmt::format("{}lib{}.so{}", folder, name, version));
  };
  for (const fs::path& folder : folders) {
    for (const char* libraries : {"lib64", "lib"}) add((folder / libraries / "").string());
  }
  if (chosen.empty()) add("");
  return names;
}

std::string is_nowhere(const std::string& library) {
  const std::string chosen = folder_of_user();
  if (!chosen.empty()) return fmt::format("CUDA_PATH is {}, where {} is not", chosen, library);
  const fs::path packages = nvidia_packages();
  return fmt::format("{} is neither in {}{} nor where the system looks for libraries", library,
                     packages.empty() ? "" : packages.string() + ", in ", usual_folder);
}

std::vector<fs::path> cuda_headers(const fs::path& nvrtc) {
  std::vector<fs::path> folders = default_folders("cuda_runtime");
  folders.insert(folders.begin(), nvrtc.parent_path().parent_path());
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    const fs::path headers = folder / "include";
    if (!fs::exists(headers / "cuda_runtime.h", ignored)) continue;
    // CUDA 13 moved libcu++ into a folder of its own.
    if (fs::exists(headers / "cccl", ignored)) return {headers, headers / "cccl"};
    return {headers};
  }
  return {};
}

}  // namespace gemm_tutor
