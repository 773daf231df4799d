#include "simt/compile/device_compiler.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace gemm_tutor::simt {
namespace {

constexpr const char* how_to_get_one =
    "Install clang 14 or newer (on Debian and Ubuntu: apt-get install clang), or the CUDA Toolkit, "
    "12.4 to 13, from https://developer.nvidia.com/cuda-downloads (no GPU or driver is needed).";

constexpr const char* how_to_get_clang =
    "Install clang 14 or newer (on Debian and Ubuntu: apt-get install clang), or name "
    "one: " SIMT_VARIABLES "_CLANG=/usr/bin/clang-14.";

const DeviceCompiler& found(const DeviceCompiler* compiler, const std::string& name,
                            const std::string& problem, const char* help) {
  if (!compiler) throw Error(ExitStatus::unavailable, name + " is missing: " + problem, help);
  return *compiler;
}

const DeviceCompiler& chosen() {
  const char* variable = std::getenv(SIMT_VARIABLES "_COMPILER");
  const std::string wanted = variable ? variable : "";
  std::string no_nvrtc, no_clang;
  if (wanted == "clang") {
    const DeviceCompiler* clang = clang_compiler(no_clang);
    return found(clang, "clang", no_clang, how_to_get_clang);
  }
  if (!wanted.empty() && wanted != "nvrtc") {
    throw Error(ExitStatus::usage,
                fmt::format(SIMT_VARIABLES "_COMPILER is '{}', which is not a compiler", wanted),
                "Set it to nvrtc or clang, or leave it out: then it is NVRTC, or clang where NVRTC "
                "is missing.");
  }
  const DeviceCompiler* nvrtc = nvrtc_compiler(no_nvrtc);
  if (nvrtc || wanted == "nvrtc") {
    return found(nvrtc, "NVRTC, the CUDA compiler,", no_nvrtc, how_to_get_nvrtc);
  }
  const DeviceCompiler* clang = clang_compiler(no_clang);
  if (const DeviceCompiler* ahead = compiled_ahead(); ahead && !clang) return *ahead;
  return found(clang, "a compiler for CUDA",
               fmt::format("NVRTC: {}; clang: {}", no_nvrtc, no_clang), how_to_get_one);
}

CompilerStatus status_of(const DeviceCompiler* compiler, const std::string& problem,
                         const char* help) {
  if (!compiler) return {.problem = problem, .help = help};
  return {.available = true,
          .name = compiler->name(),
          .path = compiler->path(),
          .has_assembler = compiler->has_assembler(),
          .files_to_read = compiler->files_to_read(),
          .files_to_execute = compiler->files_to_execute()};
}

}  // namespace

int architecture_number(const std::string& architecture) {
  int number = 0, read = 0;
  if (std::sscanf(architecture.c_str(), "sm_%d%n", &number, &read) != 1) return 0;
  const std::string rest = architecture.substr(static_cast<std::size_t>(read));
  return rest.empty() || rest == "a" || rest == "f" ? number : 0;
}

const DeviceCompiler& device_compiler() {
  static const DeviceCompiler& compiler = chosen();
  return compiler;
}

void require_compiler() { device_compiler(); }

CompilerStatus compiler_status() try {
  return status_of(&device_compiler(), "", "");
} catch (const Error& error) {
  if (error.status() == ExitStatus::usage) throw;
  return {.problem = error.what(), .help = error.help()};
}

CompilerStatus nvrtc_status() {
  std::string problem;
  const DeviceCompiler* compiler = nvrtc_compiler(problem);
  return status_of(compiler, problem, how_to_get_nvrtc);
}

CompilerStatus clang_status() {
  std::string problem;
  const DeviceCompiler* compiler = clang_compiler(problem);
  return status_of(compiler, problem, how_to_get_clang);
}

}  // namespace gemm_tutor::simt
