#include "simt/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "simt/compile/compiler_input.hpp"
#include "simt/compile/compiler_log.hpp"
#include "simt/compile/device_compiler.hpp"
#include "simt/compile/kernel_cache.hpp"
#include "simt/compile/ptx_entry.hpp"
#include "simt/gpu_spec.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "source/definitions.hpp"
#include "source/device_code.hpp"
#include "source/included_files.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

namespace fs = std::filesystem;

Error not_compiled(const CompileRequest& request, const std::string& why) {
  const bool has_host_code = source::device_code({request.source}, "").front() != request.source ||
                             why.find("namespace \"std\"") != std::string::npos ||
                             why.find("in namespace 'std'") != std::string::npos ||
                             why.find("undeclared identifier 'std'") != std::string::npos;
  // CUDA's names have these prefixes or namespaces.
  constexpr std::string_view marks[] = {"use of undeclared identifier '__",
                                        "use of undeclared identifier 'atomic", "file not found",
                                        "in namespace 'cuda", "in namespace 'cooperative_groups"};
  const auto is_said = [&](std::string_view mark) { return why.find(mark) != why.npos; };
  if (!device_compiler().has_assembler() && std::ranges::any_of(marks, is_said)) {
    return Error(
        ExitStatus::compile_error, fmt::format("{} does not compile\n{}", request.file_name, why),
        "With clang only a part of CUDA's functions and headers is known here: if that name is one "
        "of the others, install NVIDIA's compiler NVRTC, of the CUDA Toolkit.");
  }
  return Error(
      ExitStatus::compile_error, fmt::format("{} does not compile\n{}", request.file_name, why),
      has_host_code ? "Only code for the device is compiled here: functions without __device__ or "
                      "__global__ are left out, other host code belongs in another file."
                    : "Correct the file at the line named, and run the command again.");
}

// The first few errors of the user's file. Errors in the name expression and later errors mostly
// follow from these.
std::string errors_of_file(std::vector<Diagnostic> found) {
  constexpr std::size_t most_errors = 10;
  std::erase_if(found, [](const Diagnostic& d) {
    return d.severity != Diagnostic::Severity::error || d.text.starts_with(name_expression_file);
  });
  const std::size_t shown = std::min(found.size(), most_errors), more = found.size() - shown;
  found.resize(shown);
  std::string text = joined(found, Diagnostic::Severity::error);
  for (std::size_t end; (end = text.find(name_expression_file)) != text.npos;) {
    const std::size_t begin = std::min(text.rfind(" at line ", end), end);
    text.erase(begin, end + name_expression_file.size() - begin);
  }
  if (more > 0) text += fmt::format("\n… and {} more", more);
  return text;
}

// The error in the name expression, if there is no other error.
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
                      "launch: --shared {}.",
                      resources.static_shared_bytes)};
}

// Replaces the assembler's message, which has hexadecimal bytes and a mangled name.
std::optional<Error> shared_memory_problem(const CompileRequest& request, const std::string& log) {
  const int limit = GpuSpec().shared_bytes_per_block;
  for (const auto& [name, resources] : assembler_report(log)) {
    if (resources.static_shared_bytes > limit) return too_much_shared(request, name, resources);
  }
  return {};
}

// Returns "8.0" for "Feature 'cp.async' requires .target sm_80 or higher"; the highest requirement.
std::optional<std::pair<int, int>> required_capability(const std::string& log) {
  constexpr std::string_view words = "requires .target sm_";
  int required = 0;
  for (std::size_t at = log.find(words); at != log.npos; at = log.find(words, at + 1)) {
    required = std::max(required, std::atoi(log.c_str() + at + words.size()));
  }
  if (required == 0) return {};
  return std::pair(required / 10, required % 10);
}

// The kernel needs a newer GPU than the one that it is compiled for.
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

// A function of that name that is not a kernel, for example because __global__ is misspelt.
std::optional<NoSuchKernel> kernel_without_global(const CompileRequest& request) {
  const std::string& expression = request.name_expression;
  const std::string_view name =
      trimmed(std::string_view(expression).substr(0, expression.find('<')));
  const source::File file(request.source);
  const auto found = std::ranges::find(file.functions, name, &source::Function::name);
  if (found == file.functions.end() || found->is_kernel) return {};
  return NoSuchKernel(
      ExitStatus::usage,
      fmt::format("'{}' names no kernel of {}: the function at line {} has no __global__",
                  expression, request.file_name, found->first_line),
      fmt::format("Write __global__ before its type, as in '__global__ void {}(…)'.", name));
}

NoSuchKernel no_such_kernel(const CompileRequest& request, const std::string& why) {
  if (const auto unmarked = kernel_without_global(request)) return *unmarked;
  return NoSuchKernel(
      ExitStatus::usage,
      fmt::format("'{}' names no kernel of {}: {}", request.name_expression, request.file_name,
                  why),
      "Name it as the file's own code would: kernel, kernel<32> for a template, ns::kernel in a "
      "namespace.");
}

// Returns the name of the header that a compiler did not find; empty if it found all.
std::string header_not_found(const std::string& log) {
  constexpr std::string_view of_clang = "' file not found", of_nvrtc = "cannot open source file \"";
  if (const std::size_t end = log.find(of_clang); end != log.npos) {
    const std::size_t begin = log.rfind('\'', end - 1) + 1;
    return log.substr(begin, end - begin);
  }
  const std::size_t at = log.find(of_nvrtc);
  if (at == log.npos) return "";
  const std::size_t begin = at + of_nvrtc.size();
  return log.substr(begin, log.find('"', begin) - begin);
}

bool is_of_toolkit(std::string_view header) {
  constexpr std::string_view of_toolkit[] = {
      "cuda/",   "cuda_fp", "cuda_bf16", "cuda_awbarrier", "cooperative_groups", "mma.h", "cub/",
      "thrust/", "nv/",     "crt/"};
  const auto begins = [&](std::string_view name) { return header.starts_with(name); };
  return std::ranges::any_of(of_toolkit, begins);
}

// What only NVRTC compiles: "kernel.cu includes mma.h", "kernel.cu(7) calls erff"; empty for
// others. clang says the latter in the words of cuda_mathematics_for_clang.cuh.
std::string use_of_nvrtc(const CompileRequest& request, const std::string& log) {
  constexpr std::string_view begin = ": error: clang has no ", end = " here: NVRTC, ";
  const std::string header = header_not_found(log);
  if (is_of_toolkit(header)) return fmt::format("{} includes {}", request.file_name, header);
  const std::size_t at = log.find(begin);
  if (at == log.npos) return "";
  const std::size_t line = log.rfind('\n', at) + 1, name = at + begin.size();
  return fmt::format("{} calls {}", log.substr(line, at - line),
                     log.substr(name, log.find(end, name) - name));
}

std::optional<Error> nvrtc_needed(const CompileRequest& request, const DeviceCompiler& compiler,
                                  const std::string& log) {
  if (compiler.has_assembler()) return {};
  const std::string use = use_of_nvrtc(request, log);
  if (use.empty()) return {};
  return Error(ExitStatus::unavailable,
               fmt::format("{}, which {} does not have here: NVRTC, of the CUDA Toolkit, "
                           "compiles it",
                           use, compiler.name()),
               how_to_get_nvrtc);
}

std::optional<Error> missing_header(const CompileRequest& request, const std::string& log,
                                    const std::string& errors) {
  const std::string header = header_not_found(log);
  if (header.empty()) return {};
  const std::string_view library = source::unsupported_library(header);
  const std::string help =
      !library.empty()
          ? fmt::format(
                "{} is a header of {}: give the folder of that library with -I, or put the "
                "kernel into a file that works without it.",
                header, library)
          : fmt::format(
                "Give the folder that has {} with -I, as in -I ../include. If only host "
                "code needs it, delete that #include.",
                header);
  return Error(ExitStatus::compile_error,
               fmt::format("{} does not compile\n{}", request.file_name, errors), help);
}

// Neither compiler supports kernels that launch kernels. Each has its own message.
std::optional<Error> nested_launch(const CompileRequest& request, const std::string& why) {
  const bool is_nested = why.find("device-side kernel launch") != why.npos ||
                         why.find("kernel launch from __device__") != why.npos ||
                         (why.find("reference to __global__ function") != why.npos &&
                          why.find("in __global__ function") != why.npos);
  if (!is_nested) return {};
  return Error(ExitStatus::compile_error,
               fmt::format("{} does not compile\n{}", request.file_name, why),
               "A kernel cannot launch kernels here (dynamic parallelism): call a __device__ "
               "function instead, or let the grid of the one launch cover all of C.");
}

[[noreturn]] void throw_failure(const DeviceCompiler& compiler, const CompileRequest& request,
                                const std::string& log) {
  const std::vector<Diagnostic> found = diagnostics(log);
  if (const auto problem = name_expression_problem(found)) {
    throw no_such_kernel(request, *problem);
  }
  if (const auto problem = shared_memory_problem(request, log)) throw *problem;
  if (const auto problem = capability_problem(request, log)) throw *problem;
  const std::string errors = errors_of_file(found);
  if (const auto problem = nvrtc_needed(request, compiler, log)) throw *problem;
  if (const auto problem = missing_header(request, log, errors)) throw *problem;
  if (const auto problem = nested_launch(request, errors)) throw *problem;
  throw not_compiled(request, errors.empty() ? log : errors);
}

// Resources from the PTX, if there is no assembler.
void describe_ptx(CompiledKernel& kernel, const CompileRequest& request) {
  for (const std::string& name : ptx_entry_names(kernel.ptx)) {
    kernel.kernels[name].static_shared_bytes = ptx_entry(kernel.ptx, name).static_shared_bytes;
  }
  const int limit = GpuSpec().shared_bytes_per_block;
  for (const auto& [name, resources] : kernel.kernels) {
    if (resources.static_shared_bytes > limit) throw too_much_shared(request, name, resources);
  }
}

// Features of newer GPUs, and the starts of their PTX instructions ("PTX ISA").
struct Instructions {
  std::string_view begin;
  int capability;  // 80 for 8.0
};
constexpr Instructions newer_instructions[] = {
    {"cp.async.bulk", 90},     {"cp.async", 80},
    {"mbarrier.try_wait", 90}, {"mbarrier.arrive.expect_tx", 90},
    {"mbarrier.", 80},         {"fence.proxy.async", 90},
    {"barrier.cluster", 90},   {"redux.sync", 80},
    {"tanh.approx", 75},       {"fma.rn.bf16", 80},
    {"add.bf16", 90},          {"sub.bf16", 90},
    {"mul.bf16", 90},          {"cvt.rn.bf16.f32", 80}};

// The assembler's message about the PTX, if there is no assembler.
std::string assembler_complaint(const std::string& ptx) {
  std::string complaints;
  for (const std::string& line : split_lines(ptx)) {
    const std::string_view text = trimmed(line);
    for (const Instructions& some : newer_instructions) {
      // Also after the predicate "@%p1 ".
      const std::size_t at = text.starts_with('@') ? text.find(' ') + 1 : 0;
      if (!text.substr(at).starts_with(some.begin)) continue;
      complaints += fmt::format("Feature '{}' requires .target sm_{} or higher\n", some.begin,
                                some.capability);
      break;
    }
  }
  return complaints;
}

// Reports a kernel that its GPU cannot run, if there is no assembler.
void check_capability(const CompileRequest& request, const std::string& ptx) {
  const std::string complaint = assembler_complaint(ptx);
  const auto required = required_capability(complaint);
  if (!required) return;
  const auto& [major, minor] = *required;
  if (architecture_number(request.architecture) >= 10 * major + minor) return;
  if (const auto problem = capability_problem(request, complaint)) throw *problem;
}

// Collects the results of the compiler and of the assembler, if there is one.
CompiledKernel described(const DeviceCompiler& compiler, const CompileRequest& request,
                         CompilerOutput output) {
  CompiledKernel kernel;
  kernel.ptx = std::move(output.ptx);
  kernel.cubin = std::move(output.cubin);
  kernel.lowered_name = std::move(output.lowered_name);
  if (compiler.has_assembler()) {
    kernel.kernels = assembler_report(output.log);
  } else {
    describe_ptx(kernel, request);
    check_capability(request, kernel.ptx);
  }
  kernel.log = joined(diagnostics(output.log), Diagnostic::Severity::warning);
  kernel.compiler = compiler.name();
  if (request.name_expression.empty() && kernel.kernels.size() == 1) {
    kernel.lowered_name = kernel.kernels.begin()->first;
  }
  return kernel;
}

// A warning about a header that was not found, in NVRTC's form.
std::string absent_header_warning(const CompileRequest& request, const std::string& header) {
  int line = 1;
  for (const source::Include& include : source::includes_in(request.source)) {
    if (include.header == header) line = include.line;
  }
  return fmt::format("{}({}): warning: {} was not found, and the kernel compiles without it\n",
                     request.file_name, line, header);
}

// Compiles, at first with all headers. If one is not found, it may be one that only host code
// needs: then it compiles without it, and warns. Otherwise returns the error about the first such
// header.
CompilerOutput compile_without_absent_headers(const DeviceCompiler& compiler,
                                              const CompileRequest& request,
                                              const CompilerInput& input, CodeKept kept) {
  constexpr std::size_t most = 32;
  const CompilerOutput first = compiler.compile(request, input);
  std::set<std::string> absent;
  CompilerOutput output = first;
  while (!output.compiled && absent.size() < most) {
    const std::string header = header_not_found(output.log);
    if (header.empty() || is_of_toolkit(header) || !absent.insert(header).second) return first;
    output = compiler.compile(request, compiler_input(request, kept, absent));
  }
  if (!output.compiled || !has_kernel(request)) return first;
  for (const std::string& header : absent) output.log += absent_header_warning(request, header);
  return output;
}

// Compiles all code for the device, then only what the requested kernel needs, because another may
// use what the compiler does not have, then all but host functions. Returns the first that
// compiles, else the errors in the least code.
CompilerOutput first_that_compiles(const DeviceCompiler& compiler, const CompileRequest& request) {
  std::vector<CompilerInput> tried;
  CompilerOutput output;
  for (const CodeKept kept :
       {CodeKept::of_device, CodeKept::of_kernel, CodeKept::all_but_host_functions}) {
    CompilerInput input = compiler_input(request, kept);
    if (std::ranges::count(tried, input) > 0) continue;
    CompilerOutput next = compile_without_absent_headers(compiler, request, input, kept);
    // More code has no kernel of that name either.
    const bool has_no_such_kernel =
        kept == CodeKept::of_device && name_expression_problem(diagnostics(next.log)).has_value();
    if (next.compiled || has_no_such_kernel) return next;
    if (tried.empty() || kept == CodeKept::of_kernel) output = std::move(next);
    tried.push_back(std::move(input));
  }
  return output;
}

CompiledKernel compile_afresh(const DeviceCompiler& compiler, const CompileRequest& request) {
  CompilerOutput output = first_that_compiles(compiler, request);
  if (!output.compiled) throw_failure(compiler, request, output.log);

  CompiledKernel kernel = described(compiler, request, std::move(output));
  if (kernel.lowered_name.empty()) return kernel;
  const auto resources = kernel.kernels.find(kernel.lowered_name);
  if (resources == kernel.kernels.end()) {
    if (kernel.ptx.find(".entry " + kernel.lowered_name) == std::string::npos) {
      throw no_such_kernel(request, "it is not a __global__ function");
    }
    throw Error(
        ExitStatus::unavailable,
        fmt::format("{} did not report the registers of {}", kernel.compiler, kernel.lowered_name),
        compiler.help());
  }
  kernel.resources = resources->second;
  return kernel;
}

CompiledKernel compiled(const CompileRequest& request, const fs::path& cache_path) {
  const DeviceCompiler& compiler = device_compiler();
  compiler.check_architecture(request.architecture);
  if (request.source.find('\0') != std::string::npos) {
    throw not_compiled(request, "It is not text: it contains a zero byte.");
  }
  if (may_include_unknown_files(request)) return compile_afresh(compiler, request);

  const fs::path own_kernels = compiler.own_kernels();
  const KernelCache cache(own_kernels.empty() ? cache_path : own_kernels);
  std::vector<std::string> parts = {compiler.identity(request), request.file_name,
                                    request.name_expression, request.source};
  for (const IncludedFile& file : request.included) {
    parts.insert(parts.end(), {file.name, file.text});
    for (const auto& [from, header] : file.inclusions) {
      parts.insert(parts.end(), {std::to_string(from), header});
    }
  }
  const std::string key = cache_key(parts);
  std::optional<CompiledKernel> kernel = cache.load(key);
  if (!kernel) {
    kernel = compile_afresh(compiler, request);
    cache.store(key, *kernel);
  }
  if (const char* folder = std::getenv(SIMT_VARIABLES "_COMPILE_AHEAD")) {
    parts.front() = ahead_identity(request);
    CompiledKernel ahead = *kernel;
    ahead.compiler += ", ahead of time";
    KernelCache(folder).store(cache_key(parts), ahead);
  }
  return *kernel;
}

}  // namespace

CompiledKernel compile(const CompileRequest& request) {
  const fs::path directory = cache_directory();
  return compile(request, directory.empty() ? directory : directory / "kernels");
}

CompiledKernel compile(const CompileRequest& request, const fs::path& cache_path) {
  CompiledKernel kernel = compiled(request, cache_path);
  kernel.warnings = useful_warnings(kernel.log, request.file_name);
  return kernel;
}

}  // namespace gemm_tutor::simt
