// Clang as one of the compilers. It is started for each kernel and reads the source from standard
// input.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "simt/compile/clang_headers.hpp"
#include "simt/compile/clang_output.hpp"
#include "simt/compile/compiler_input.hpp"
#include "simt/compile/device_compiler.hpp"
#include "simt/compile/embedded_texts.hpp"
#include "simt/compile/host_headers.hpp"
#include "simt/compiler.hpp"
#include "source/token.hpp"
#include "support/child_process.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

namespace fs = std::filesystem;

constexpr int oldest = 14, newest = 25;  // versions that are searched by name

// --- The program

// Passes few environment variables, so that none changes the result.
std::vector<std::string> environment(const fs::path& directory) {
  std::vector<std::string> result = {"TMPDIR=" + directory.string(), "LC_ALL=C"};
  for (const char* kept : {"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(kept)) result.push_back(fmt::format("{}={}", kept, value));
  }
  return result;
}

ChildResult run(const fs::path& program, std::vector<std::string> arguments,
                const fs::path& directory, const std::string& input) {
  ChildRequest request{program, std::move(arguments), environment(directory), directory, input, {}};
  request.limits.seconds = 120;
  request.limits.output_bytes = 64 << 20;
  return run_child(request);
}

// "14.0.6" of "Debian clang version 14.0.6"; empty for Apple's, which knows no NVIDIA GPU.
std::string version_in(const std::string& text) {
  constexpr std::string_view mark = "clang version ";
  const std::size_t at = text.find(mark);
  if (at == text.npos || text.starts_with("Apple")) return "";
  const std::size_t begin = at + mark.size();
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

struct Program {
  fs::path path;
  std::string version;
};

// Returns nothing, with the reason in `problem`, if it is not a usable clang.
std::optional<Program> usable(const fs::path& path, std::string& problem) try {
  const ChildResult result = run(path, {"--version"}, fs::temp_directory_path(), "");
  const std::string version = version_in(result.output);
  if (std::atoi(version.c_str()) >= oldest) return Program{path, version};
  problem = fmt::format("{} is {}, not clang {} or newer", path.string(),
                        version.empty() ? "another program" : "clang " + version, oldest);
  return {};
} catch (const Error& error) {
  problem = error.what();
  return {};
}

// Returns the files of that name in the folders of PATH. Links are resolved, so that a confined
// process can be allowed to open the file. A link to ccache is not clang.
std::vector<fs::path> on_path(const std::string& name) {
  std::vector<fs::path> found;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "", ':')) {
    std::error_code error;
    const fs::path file = fs::canonical(fs::path(folder) / name, error);
    if (folder.empty() || error || !fs::is_regular_file(file, error)) continue;
    if (file.filename().string().find("ccache") == std::string::npos) found.push_back(file);
  }
  return found;
}

std::vector<std::string> names_of_clang() {
  std::vector<std::string> names = {"clang"};
  for (int version = newest; version >= oldest; --version) {
    names.push_back(fmt::format("clang-{}", version));
  }
  return names;
}

std::optional<Program> find_clang(std::string& problem) {
  if (const char* named = std::getenv("GEMM_TUTOR_CLANG"); named && *named) {
    std::error_code error;
    const fs::path file = fs::canonical(named, error);
    if (!error) return usable(file, problem);
    problem = fmt::format("GEMM_TUTOR_CLANG names '{}', which is not there", named);
    return {};
  }
  problem = "no clang on PATH";
  for (const std::string& name : names_of_clang()) {
    for (const fs::path& file : on_path(name)) {
      if (std::optional<Program> program = usable(file, problem)) return program;
    }
  }
  return {};
}

// --- Its options

// Newest first. A clang knows the architectures of its time.
constexpr std::array architectures = {120, 100, 90, 89, 87, 86, 80, 75, 70, 60, 50};

// The newest PTX version that clang 14 writes. Later instructions are inline assembly.
std::vector<std::string> for_architecture(int architecture) {
  const int ptx = architecture >= 100 ? 87 : architecture > 86 ? 78 : 72;
  return {fmt::format("--cuda-gpu-arch=sm_{}", architecture), "-Xclang", "-target-feature",
          "-Xclang", fmt::format("+ptx{}", ptx)};
}

std::vector<std::string> common_options(const CompileRequest& request) {
  std::vector<std::string> options = {
      "-x", "cuda", "-", "--cuda-device-only", "-S", "-o", "-", standard_option(request), "-O3",
      // Fuse products and sums to FFMAs and unroll loops of known length, as NVRTC does.
      "-ffp-contract=fast", "-fno-finite-loops", "-mllvm", "-unroll-threshold=4000",
      // Line tables with the file name that the user knows.
      "-gline-directives-only", "-fdebug-compilation-dir=.",
      // Diagnostics like NVRTC's, without crash reports.
      "-fdiagnostics-format=msvc", "-fno-show-column", "-fno-color-diagnostics",
      "-fno-diagnostics-show-option", "-fno-crash-diagnostics", "-Wunused-variable",
      "-Wuninitialized", "-Wtautological-unsigned-zero-compare", "-Wno-unknown-cuda-version",
      "-Wno-pass-failed", "-Wno-duplicate-decl-specifier", "-Wno-builtin-macro-redefined",
      // The requested GPU, even if clang does not know it.
      "-U__CUDA_ARCH__",
      fmt::format("-D__CUDA_ARCH__={}0", architecture_number(request.architecture))};
  const auto headers = clang_header_options(std::string(clang_header_folder));
  options.insert(options.end(), headers.begin(), headers.end());
  const fs::path folder = fs::absolute(fs::path(request.file_name)).parent_path();
  options.push_back("-iquote" + folder.string());
  for (const std::string& directory : request.include_directories) {
    options.push_back("-I" + fs::absolute(directory).string());
  }
  return options;
}

// Quotes the text for a directive.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// Kernels are inline functions for clang (cuda_for_clang.cuh). These must not have an explicit
// instantiation: "template __global__ void kernel<4>(…);".
std::string with_plain_instances(const std::string& text) {
  const std::vector<source::Token> tokens = source::tokens_of(text);
  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens[i - 1].is("template") || !tokens[i].is("__global__")) continue;
    result += text.substr(copied, tokens[i].at - copied) + "gemm_tutor_instance";
    copied = tokens[i].end();
  }
  return result + text.substr(copied);
}

// Kernels may call unmarked code (members of a struct, constexpr functions), as with NVRTC's
// -default-device. Then clang does not accept a kernel that is declared before its definition, so
// such files are compiled without it.
enum class Unmarked { for_both, for_host };

// The file, with all functions inlined, followed by a use of the requested kernel, which
// instantiates a template.
std::string input_for(const CompileRequest& request, const std::string& source, bool with_name,
                      Unmarked unmarked = Unmarked::for_both) {
  std::string input = fmt::format(
      "{}"
      "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)\n"
      "#line 1 {}\n{}\n"
      "#pragma clang attribute pop\n",
      unmarked == Unmarked::for_both ? "#pragma clang force_cuda_host_device begin\n" : "",
      quoted(request.file_name), with_plain_instances(source));
  if (!with_name) return input;
  // The name may already take the address: "&kernel<32>".
  const std::string_view name = trimmed(request.name_expression);
  return input + fmt::format("#line 1 \"{}\"\n__device__ auto* {} = ({}{});\n",
                             name_expression_file, clang_kernel_variable,
                             name.starts_with('&') ? "" : "&", name);
}

void write_headers(const fs::path& folder, const std::vector<CompilerInput::Header>& own) {
  const auto write = [&](const CompilerInput::Header& header) {
    return write_file_atomically(folder / header.name, with_plain_instances(header.text));
  };
  if (write_clang_headers(folder) && std::ranges::all_of(own, write)) return;
  throw Error(ExitStatus::unavailable,
              fmt::format("clang's headers cannot be written to {}", folder.string()),
              "Check that there is room for temporary files, or set TMPDIR to where there is.");
}

// --- Its messages

bool is_unknown_architecture(const ChildResult& result) {
  return result.status != 0 &&
         result.error.find("unsupported CUDA gpu architecture") != std::string::npos;
}

// An error in the name expression is an error of the file if the file has an unfinished construct
// at its end.
bool begins_with_name(const std::string& log) {
  for (const std::string& line : split_lines(log)) {
    if (line.find(": error: ") != line.npos) return line.starts_with(name_expression_file);
  }
  return false;
}

class ClangCompiler : public DeviceCompiler {
 public:
  explicit ClangCompiler(Program program) : program_(std::move(program)) {}

  std::string name() const override { return "clang " + program_.version; }
  std::string path() const override { return program_.path.string(); }
  bool has_assembler() const override { return false; }
  std::string help() const override {
    return "Try another clang: GEMM_TUTOR_CLANG=PATH names one.";
  }

  void check_architecture(const std::string& architecture) const override {
    if (architecture_number(architecture) >= architectures.back()) return;
    throw Error(ExitStatus::unavailable,
                fmt::format("{} cannot compile for '{}'", name(), architecture),
                fmt::format("It compiles for sm_{} and newer, such as sm_90: choose another GPU "
                            "with --gpu.",
                            architectures.back()));
  }

  std::string identity(const CompileRequest& request) const override {
    CompileRequest nothing;
    nothing.name_expression = "k";
    std::vector<std::string> parts = common_options(request);
    parts.insert(parts.end(), {name(), input_for(nothing, "", true), cuda_for_clang_cuh()});
    for (const char* text : host_headers_for_clang().texts) parts.emplace_back(text);
    return join(parts, "\n");
  }

  CompilerOutput compile(const CompileRequest& request, const CompilerInput& text) const override {
    const TemporaryFolder folder("gemm-tutor-clang-");
    write_headers(folder.path() / clang_header_folder, text.headers);
    const std::string& source = text.source;
    const bool has_name = !request.name_expression.empty();
    CompilerOutput output = compile_in(folder.path(), request, source, has_name);
    if (output.compiled || !has_name || !begins_with_name(output.log)) return output;
    CompilerOutput alone = compile_in(folder.path(), request, source, false);
    return alone.compiled ? output : alone;
  }

  // The program's libraries, if they are not in the system's folders.
  std::vector<fs::path> files_to_read() const override {
    return {program_.path, program_.path.parent_path().parent_path() / "lib"};
  }
  std::vector<fs::path> files_to_execute() const override { return {program_.path}; }

 private:
  CompilerOutput compile_in(const fs::path& folder, const CompileRequest& request,
                            const std::string& source, bool with_name) const {
    std::string input = input_for(request, source, with_name);
    ChildResult result = start(folder, request, input);
    const auto says = [&](std::string_view what) { return result.error.find(what) != what.npos; };
    if (says("attributes are not compatible")) {
      input = input_for(request, source, with_name, Unmarked::for_host);
      result = start(folder, request, input);
    }
    // A union that is assigned, or a __builtin_bit_cast.
    if (says("non-trivial copy assignment") || says("must be trivially copyable")) {
      result = start(folder, request, input, {"-Dgemm_tutor_plain_vectors"});
    }
    return output_of(result, request);
  }

  // For the newest GPU that clang knows, at most the requested one.
  ChildResult start(const fs::path& folder, const CompileRequest& request, const std::string& input,
                    const std::vector<std::string>& more = {}) const {
    std::vector<std::string> options = common_options(request);
    options.insert(options.end(), more.begin(), more.end());
    const int wanted = architecture_number(request.architecture);
    ChildResult result;
    for (const int architecture : architectures) {
      if (architecture > wanted || architecture > newest_known_) continue;
      std::vector<std::string> arguments = for_architecture(architecture);
      arguments.insert(arguments.end(), options.begin(), options.end());
      result = run(program_.path, std::move(arguments), folder, input);
      if (!is_unknown_architecture(result)) break;
      newest_known_ = architecture - 1;
    }
    return result;
  }

  CompilerOutput output_of(const ChildResult& result, const CompileRequest& request) const {
    using End = ChildResult::End;
    if (result.end != End::exited) {
      const char* what = result.end == End::took_too_long ? "took too long" : "stopped";
      return {.log = fmt::format("error: {} {}", name(), what)};
    }
    CompilerOutput output;
    output.compiled = result.status == 0;
    output.log = log_like_nvrtc(result.error);
    if (!output.compiled) {
      if (output.log.empty()) output.log = fmt::format("error: {} failed", name());
      return output;
    }
    ClangPtx ptx = without_kernel_variable(result.output);
    output.ptx = marked_for(ptx.text, request.architecture);
    output.lowered_name = std::move(ptx.lowered_name);
    return output;
  }

  Program program_;
  mutable std::atomic<int> newest_known_ = architectures.front();
};

}  // namespace

const DeviceCompiler* clang_compiler(std::string& problem) {
  static std::string why_not;
  static const std::optional<Program> found = find_clang(why_not);
  problem = found ? "" : why_not;
  if (!found) return nullptr;
  static const ClangCompiler compiler(*found);
  return &compiler;
}

}  // namespace gemm_tutor::simt
