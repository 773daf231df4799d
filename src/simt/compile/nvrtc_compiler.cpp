// NVRTC as one of the compilers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "simt/compile/compiler_input.hpp"
#include "simt/compile/device_compiler.hpp"
#include "simt/compile/host_headers.hpp"
#include "simt/compile/nvrtc.hpp"
#include "support/cuda_toolkit.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

namespace fs = std::filesystem;

// NVRTC 12.9 and newer, whose guide has a chapter on it.
bool has_own_cache(const std::string& version) {
  int major = 0, minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  return std::pair(major, minor) >= std::pair(12, 9);
}

// "compute_90" of "sm_90".
class NvrtcCompiler : public DeviceCompiler {
 public:
  explicit NvrtcCompiler(const Nvrtc& nvrtc) : nvrtc_(nvrtc) {}

  std::string name() const override { return "NVRTC " + nvrtc_.version(); }
  std::string path() const override { return nvrtc_.path(); }
  bool has_assembler() const override { return true; }
  std::string help() const override {
    return "Check that the CUDA Toolkit is installed completely and that memory is free.";
  }

  // "sm_90a" is a variant of "sm_90".
  void check_architecture(const std::string& architecture) const override {
    std::vector<std::string> supported;
    for (const int known : nvrtc_.architectures()) supported.push_back(fmt::format("sm_{}", known));
    const std::string base = architecture.substr(0, architecture.find_last_of("0123456789") + 1);
    if (std::find(supported.begin(), supported.end(), base) != supported.end()) return;
    throw Error(
        ExitStatus::unavailable, fmt::format("{} cannot compile for '{}'", name(), architecture),
        fmt::format("It compiles for {}: choose another GPU with --gpu, or install another CUDA "
                    "Toolkit.",
                    join(supported)));
  }

  std::string identity(const CompileRequest& request) const override {
    return join({name(), join(options(request), "\n")}, "\n");
  }

  CompilerOutput compile(const CompileRequest& request, const CompilerInput& input) const override {
    return nvrtc_.compile(input, request.file_name, request.name_expression, options(request));
  }

  // NVRTC's libraries, not their folder, which may be a home directory; and the headers.
  std::vector<fs::path> files_to_read() const override {
    std::vector<fs::path> found = cuda_headers(nvrtc_.path());
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(nvrtc_.path()).parent_path(), error), end;
         !error && entry != end; entry.increment(error)) {
      if (entry->path().filename().string().starts_with("libnvrtc")) found.push_back(entry->path());
    }
    return found;
  }
  std::vector<fs::path> files_to_execute() const override { return {}; }

 private:
  std::vector<std::string> options(const CompileRequest& request) const {
    // After the host functions are removed, there may be unmarked code: constexpr functions,
    // members of a struct, global variables. nvcc leaves it out if no kernel uses it. NVRTC needs
    // an option.
    std::vector<std::string> options = {"-arch=" + request.architecture,
                                        standard_option(request),
                                        "-lineinfo",
                                        "-default-device",
                                        "--device-int128",  // this and the next as in nvcc
                                        "-D__asm__=asm",
                                        "-D__volatile__=volatile",
                                        "--ptxas-options=-v"};
    for (const char* header : {types_of_every_file, integers_of_every_file, names_of_every_file}) {
      options.push_back(fmt::format("--pre-include={}", header));
    }
    // With a driver, NVRTC has its own cache, and results from the cache do not report registers.
    if (has_own_cache(nvrtc_.version())) options.push_back("--no-cache");
    for (const std::string& directory : request.include_directories) {
      options.push_back("-I" + directory);
    }
    // So that a user's file may include <cuda_runtime.h> or <cuda/pipeline>.
    for (const fs::path& directory : cuda_headers(nvrtc_.path())) {
      options.push_back("-I" + directory.string());
    }
    return options;
  }

  const Nvrtc& nvrtc_;
};

}  // namespace

const char* const how_to_get_nvrtc =
    "Install the CUDA Toolkit, 12.4 to 13, from https://developer.nvidia.com/cuda-downloads (for "
    "Linux; no GPU or driver is needed), or set CUDA_PATH to the folder where it is.";

const DeviceCompiler* nvrtc_compiler(std::string& problem) {
  const Nvrtc* nvrtc = Nvrtc::load(problem);
  if (!nvrtc) return nullptr;
  static const NvrtcCompiler compiler(*nvrtc);
  return &compiler;
}

}  // namespace gemm_tutor::simt
