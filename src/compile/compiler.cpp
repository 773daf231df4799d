#include "compile/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "compile/compiler_log.hpp"
#include "compile/cuda_text.hpp"
#include "compile/host_headers.hpp"
#include "compile/kernel_cache.hpp"
#include "compile/kernel_name.hpp"
#include "compile/nvrtc.hpp"
#include "compile/ptx_entry.hpp"
#include "model/gpu_spec.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_get_nvrtc =
    "Install the CUDA Toolkit, 12.4 to 13, from https://developer.nvidia.com/cuda-downloads (for "
    "Linux; no GPU or driver is needed), or put libnvrtc.so's directory into LD_LIBRARY_PATH.";

const Nvrtc& loaded_nvrtc() {
  std::string problem;
  const Nvrtc* nvrtc = Nvrtc::load(problem);
  if (!nvrtc) {
    throw Error(ExitStatus::unavailable, "NVRTC, the CUDA compiler, is missing: " + problem,
                how_to_get_nvrtc);
  }
  return *nvrtc;
}

// "sm_90a" is a variant of "sm_90".
void check_architecture(const Nvrtc& nvrtc, const std::string& architecture) {
  std::vector<std::string> supported;
  for (const int known : nvrtc.architectures()) supported.push_back(fmt::format("sm_{}", known));
  const std::string base = architecture.substr(0, architecture.find_last_of("0123456789") + 1);
  if (std::find(supported.begin(), supported.end(), base) != supported.end()) return;
  throw Error(
      ExitStatus::unavailable,
      fmt::format("NVRTC {} cannot compile for '{}'", nvrtc.version(), architecture),
      fmt::format("It compiles for {}: choose another GPU with --gpu, or install another CUDA "
                  "Toolkit.",
                  join(supported)));
}

// The toolkit's headers, so that a learner's file may include <cuda_runtime.h> or <cuda/pipeline>:
// those beside the NVRTC that was loaded, else those of the toolkit this was built with.
std::vector<fs::path> toolkit_headers(const Nvrtc& nvrtc) {
  const fs::path beside = fs::path(nvrtc.path()).parent_path().parent_path() / "include";
  std::error_code ignored;
  for (const fs::path& directory : {beside, fs::path(CUDA_INCLUDE_DIRECTORY)}) {
    if (!fs::exists(directory / "cuda_runtime.h", ignored)) continue;
    // CUDA 13 moved libcu++ into a directory of its own.
    if (fs::exists(directory / "cccl", ignored)) return {directory, directory / "cccl"};
    return {directory};
  }
  return {};
}

// NVRTC 12.9 and newer, whose guide has a chapter on it.
bool has_own_cache(const std::string& version) {
  int major = 0, minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  return std::pair(major, minor) >= std::pair(12, 9);
}

// "compute_90" of "sm_90".
std::string virtual_architecture(const CompileRequest& request) {
  return "compute" + request.architecture.substr(request.architecture.find('_'));
}

std::vector<std::string> compile_options(const Nvrtc& nvrtc, const CompileRequest& request) {
  // What is left unmarked after the host's functions are gone (constexpr functions, members of a
  // struct, global variables) is nvcc's to leave out when no kernel uses it; NVRTC must be told.
  std::vector<std::string> options = {
      "-arch=" + (request.assemble ? request.architecture : virtual_architecture(request)),
      "-std=c++17", "-lineinfo", "-default-device",
      fmt::format("--pre-include={}", types_of_every_file)};
  if (request.assemble) options.push_back("--ptxas-options=-v");
  // Beside a driver NVRTC has a cache of its own, and what it answers from there says nothing of
  // registers.
  if (has_own_cache(nvrtc.version())) options.push_back("--no-cache");
  for (const std::string& directory : request.include_directories) {
    options.push_back("-I" + directory);
  }
  for (const fs::path& directory : toolkit_headers(nvrtc)) {
    options.push_back("-I" + directory.string());
  }
  return options;
}

// Whether the source may include files of the learner's own, whose changes the cache would not see.
// Says yes too often (at the word "include" in a comment, say), which costs only time.
bool may_include_own_files(const CompileRequest& request) {
  if (!request.include_directories.empty()) return true;
  constexpr std::string_view word = "include";
  const std::string_view source = request.source;
  for (std::size_t at = source.find(word); at != source.npos; at = source.find(word, at + 1)) {
    const std::size_t next = source.find_first_not_of(" \t", at + word.size());
    if (next == source.npos || source[next] != '<') return true;
  }
  return false;
}

Error not_compiled(const CompileRequest& request, const std::string& why) {
  const bool has_host_code = without_host_functions(request.source) != request.source ||
                             why.find("namespace \"std\"") != std::string::npos;
  return Error(
      ExitStatus::compile_error, fmt::format("{} does not compile\n{}", request.file_name, why),
      has_host_code ? "Only code for the device is compiled here: functions without __device__ or "
                      "__global__ are left out, other host code belongs in another file."
                    : "Correct the file at the line named, and run the command again.");
}

// NVRTC parses a name expression as if it stood in a file of this name.
constexpr std::string_view name_expression_file = "__nv_name_map";

// Of the user's file alone: what is said of the name expression follows from that.
std::string errors_of_file(std::vector<Diagnostic> found) {
  std::erase_if(found,
                [](const Diagnostic& d) { return d.text.starts_with(name_expression_file); });
  std::string text = joined(found, Diagnostic::Severity::error);
  for (std::size_t end; (end = text.find(name_expression_file)) != text.npos;) {
    const std::size_t begin = std::min(text.rfind(" at line ", end), end);
    text.erase(begin, end + name_expression_file.size() - begin);
  }
  return text;
}

// What is wrong with the name expression, if that is the only thing wrong.
std::optional<std::string> name_expression_problem(const std::vector<Diagnostic>& found) {
  const auto is_error = [](const Diagnostic& d) {
    return d.severity == Diagnostic::Severity::error;
  };
  const auto first = std::find_if(found.begin(), found.end(), is_error);
  if (first == found.end() || !first->text.starts_with(name_expression_file)) return {};
  constexpr std::string_view mark = "error: ";
  const std::string line = split_lines(first->text).front();
  const std::size_t begin = line.find(mark);
  return begin == line.npos ? line : line.substr(begin + mark.size());
}

Error too_much_shared(const CompileRequest& request, const std::string& name,
                      const KernelResources& resources) {
  return {ExitStatus::compile_error,
          fmt::format(
              "{} does not compile\n{} declares {} bytes of shared memory, more than the {} "
              "that a block may declare",
              request.file_name, readable_name(name), with_thousands(resources.static_shared_bytes),
              with_thousands(GpuSpec().shared_bytes_per_block)),
          fmt::format("Declare less, or declare it as extern __shared__, whose size comes with the "
                      "launch: 'gemm-tutor run' takes --shared {}.",
                      resources.static_shared_bytes)};
}

// What the assembler says of it too, but in bytes to the base 16 and of a mangled name.
std::optional<Error> shared_memory_problem(const CompileRequest& request, const std::string& log) {
  const int limit = GpuSpec().shared_bytes_per_block;
  for (const auto& [name, resources] : assembler_report(log)) {
    if (resources.static_shared_bytes > limit) return too_much_shared(request, name, resources);
  }
  return {};
}

// "8.0" of "Feature 'cp.async' requires .target sm_80 or higher", the highest that is required.
std::optional<std::pair<int, int>> required_capability(const std::string& log) {
  constexpr std::string_view words = "requires .target sm_";
  int required = 0;
  for (std::size_t at = log.find(words); at != log.npos; at = log.find(words, at + 1)) {
    required = std::max(required, std::atoi(log.c_str() + at + words.size()));
  }
  if (required == 0) return {};
  return std::pair(required / 10, required % 10);
}

// A kernel that is right, but for newer GPUs than the one it was to be compiled for.
std::optional<Error> capability_problem(const CompileRequest& request, const std::string& log) {
  const auto required = required_capability(log);
  if (!required) return {};
  const auto& [major, minor] = *required;
  const auto suits = [&](const GpuSpec& gpu) {
    return std::pair(gpu.compute_major, gpu.compute_minor) >= *required;
  };
  const auto other = std::ranges::find_if(known_gpus(), suits);
  if (other == known_gpus().end()) return {};
  return Error(ExitStatus::usage,
               fmt::format("{} needs a GPU of compute capability {}.{} or newer, and {} is older",
                           request.file_name, major, minor,
                           request.gpu.empty() ? request.architecture : "the " + request.gpu),
               fmt::format("Choose another GPU with --gpu, such as --gpu {}.", other->name));
}

NoSuchKernel no_such_kernel(const CompileRequest& request, const std::string& why) {
  return NoSuchKernel(
      ExitStatus::usage,
      fmt::format("'{}' names no kernel of {}: {}", request.name_expression, request.file_name,
                  why),
      "Name it as the file's own code would: kernel, kernel<32> for a template, ns::kernel in a "
      "namespace.");
}

[[noreturn]] void throw_failure(const CompileRequest& request, const std::string& log) {
  const std::vector<Diagnostic> found = diagnostics(log);
  if (const auto problem = name_expression_problem(found)) {
    throw no_such_kernel(request, *problem);
  }
  if (const auto problem = shared_memory_problem(request, log)) throw *problem;
  if (const auto problem = capability_problem(request, log)) throw *problem;
  const std::string errors = errors_of_file(found);
  throw not_compiled(request, errors.empty() ? log : errors);
}

// What PTX says without the assembler.
void describe_ptx(CompiledKernel& kernel, const CompileRequest& request) {
  for (const std::string& name : ptx_entry_names(kernel.ptx)) {
    kernel.kernels[name].static_shared_bytes = ptx_entry(kernel.ptx, name).static_shared_bytes;
  }
  const int limit = GpuSpec().shared_bytes_per_block;
  for (const auto& [name, resources] : kernel.kernels) {
    if (resources.static_shared_bytes > limit) throw too_much_shared(request, name, resources);
  }
}

CompiledKernel compile_afresh(const Nvrtc& nvrtc, const CompileRequest& request,
                              const std::vector<std::string>& options) {
  NvrtcOutput output = nvrtc.compile(without_host_functions(request.source), request.file_name,
                                     request.name_expression, options);
  if (!output.compiled) throw_failure(request, output.log);

  CompiledKernel kernel;
  kernel.ptx = std::move(output.ptx);
  kernel.cubin = std::move(output.cubin);
  kernel.lowered_name = std::move(output.lowered_name);
  if (request.assemble) {
    kernel.kernels = assembler_report(output.log);
  } else {
    describe_ptx(kernel, request);
  }
  kernel.log = joined(diagnostics(output.log), Diagnostic::Severity::warning);
  kernel.compiler = "NVRTC " + nvrtc.version();
  if (request.name_expression.empty() && kernel.kernels.size() == 1) {
    kernel.lowered_name = kernel.kernels.begin()->first;
  }
  if (kernel.lowered_name.empty()) return kernel;
  const auto resources = kernel.kernels.find(kernel.lowered_name);
  if (resources == kernel.kernels.end()) {
    if (kernel.ptx.find(".entry " + kernel.lowered_name) == std::string::npos) {
      throw no_such_kernel(request, "it is not a __global__ function");
    }
    throw Error(
        ExitStatus::unavailable,
        fmt::format("{} did not report the registers of {}", kernel.compiler, kernel.lowered_name),
        how_to_get_nvrtc);
  }
  kernel.resources = resources->second;
  return kernel;
}

}  // namespace

CompiledKernel compile(const CompileRequest& request) {
  const fs::path directory = cache_directory();
  return compile(request, directory.empty() ? directory : directory / "kernels");
}

CompiledKernel compile(const CompileRequest& request, const fs::path& cache_path) {
  const Nvrtc& nvrtc = loaded_nvrtc();
  check_architecture(nvrtc, request.architecture);
  if (request.source.find('\0') != std::string::npos) {
    throw not_compiled(request, "It is not text: it contains a zero byte.");
  }
  const std::vector<std::string> options = compile_options(nvrtc, request);
  if (may_include_own_files(request)) return compile_afresh(nvrtc, request, options);

  const KernelCache cache(cache_path);
  const std::string key = cache_key({nvrtc.version(), join(options, "\n"), request.file_name,
                                     request.name_expression, request.source});
  if (std::optional<CompiledKernel> kept = cache.load(key)) return *kept;
  CompiledKernel kernel = compile_afresh(nvrtc, request, options);
  cache.store(key, kernel);
  return kernel;
}

void require_nvrtc() { loaded_nvrtc(); }

NvrtcStatus nvrtc_status() {
  NvrtcStatus status;
  if (const Nvrtc* nvrtc = Nvrtc::load(status.problem)) {
    status.available = true;
    status.version = nvrtc->version();
    status.path = nvrtc->path();
    for (const fs::path& directory : toolkit_headers(*nvrtc)) {
      status.include_directories.push_back(directory.string());
    }
  } else {
    status.help = how_to_get_nvrtc;
  }
  return status;
}

}  // namespace gemm_tutor
