// Clang as one of the compilers. It is started for each kernel and reads the source from standard
// input.
#include "simt/compile/clang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

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
  if (const char* named = std::getenv(SIMT_VARIABLES "_CLANG"); named && *named) {
    std::error_code error;
    const fs::path file = fs::canonical(named, error);
    if (!error) return usable(file, problem);
    problem = fmt::format(SIMT_VARIABLES "_CLANG names '{}', which is not there", named);
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
    result += text.substr(copied, tokens[i].at - copied) + "__simt_instance";
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
    return "Try another clang: " SIMT_VARIABLES "_CLANG=PATH names one.";
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
    const TemporaryFolder folder(SIMT_PROGRAM "-clang-");
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
      result = start(folder, request, input, {"-Dsimt_plain_vectors"});
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

namespace {

constexpr const char* cuda_header = "cuda_for_clang.cuh";

}  // namespace

bool write_clang_headers(const std::filesystem::path& folder) {
  // An unchanged header is not written, because clangd would treat it as modified.
  const auto write = [&](const std::string& name, std::string_view text) {
    return read_file(folder / name) == text || write_file_atomically(folder / name, text);
  };
  const HostHeaders& headers = host_headers_for_clang();
  bool written = write(cuda_header, cuda_for_clang_cuh());
  for (std::size_t i = 0; i < headers.names.size(); ++i) {
    written = written && write(headers.names[i], headers.texts[i]);
  }
  return written;
}

std::vector<std::string> clang_header_options(const std::string& folder) {
  std::vector<std::string> options = {"-nocudainc",  "-nocudalib", "-nostdinc",
                                      "-nostdinc++", "-fdeclspec", "-isystem" + folder};
  for (const char* header :
       {types_of_every_file, integers_of_every_file, cuda_header, names_of_every_file}) {
    options.push_back("-include");
    options.push_back(folder + "/" + header);
  }
  return options;
}

std::vector<std::string> clangd_options(const std::filesystem::path& folder) {
  if (!write_clang_headers(folder)) return {};
  // A GPU that clang 14 knows.
  std::vector<std::string> options = {"-xcuda", "-std=c++17", "--cuda-device-only",
                                      "--cuda-gpu-arch=sm_80", "-Wno-unknown-cuda-version"};
  const std::vector<std::string> headers = clang_header_options(folder.string());
  options.insert(options.end(), headers.begin(), headers.end());
  return options;
}

namespace {

constexpr std::size_t nowhere = std::string_view::npos;

// The parts of "kernel.cu(12): error: …".
struct Head {
  std::string_view place;  // "kernel.cu(12)"
  std::string_view severity;
};

std::optional<Head> head_of(std::string_view line) {
  for (const std::string_view severity : {"fatal error", "error", "warning", "note"}) {
    const std::string mark = fmt::format("): {}: ", severity);
    if (const std::size_t at = line.find(mark); at != nowhere) {
      return Head{line.substr(0, at + 1), severity};
    }
  }
  return {};
}

bool is_summary(std::string_view line) {
  const bool counts = !line.empty() && line.front() >= '0' && line.front() <= '9' &&
                      line.find(" generated when compiling for ") != nowhere;
  return counts || line.starts_with("In file included from ");
}

// Removes "   12 | ", which clang 17 and newer write before each source line.
std::string_view without_line_number(std::string_view line) {
  const std::size_t bar = line.find(" | ");
  if (bar == nowhere || line.find_first_not_of(" 0123456789") != bar + 1) return line;
  return line.substr(bar + 3);
}

// True if the line begins a message without a source line.
bool is_about_no_line(std::string_view line) {
  return line.starts_with("error: ") || line.starts_with("clang: error: ") ||
         line.starts_with("fatal error: ");
}

// Returns 72 for "7.2".
int version_number(std::string_view digits) {
  int number = 0;
  for (const char c : digits) {
    if (c >= '0' && c <= '9') number = 10 * number + (c - '0');
  }
  return number;
}

// The first PTX version with the architecture and its instructions, which inline assembly may use
// ("PTX ISA", release notes).
int ptx_version(int architecture) {
  if (architecture >= 100) return 87;
  if (architecture >= 90) return 80;
  return architecture > 86 ? 78 : 72;
}

// The value and the place of the line `directive …` in the PTX.
struct Directive {
  std::size_t begin = nowhere, size = 0;
  std::string_view operand;
};

Directive find_directive(std::string_view ptx, std::string_view directive) {
  const std::string mark = fmt::format("\n{} ", directive);
  const std::size_t at = ptx.find(mark);
  if (at == nowhere) return {};
  const std::size_t begin = at + mark.size();
  const std::string_view operand = ptx.substr(begin, ptx.find_first_of(",\n", begin) - begin);
  return {begin, operand.size(), operand};
}

// Returns the end of the declaration at `begin`, after its semicolon; npos for a definition.
std::size_t end_of_declaration(std::string_view ptx, std::size_t begin) {
  const std::size_t end = ptx.find_first_of(";{", begin);
  return end != nowhere && ptx[end] == ';' ? end + 1 : nowhere;
}

}  // namespace

std::string log_like_nvrtc(std::string_view log) {
  std::vector<std::string> result;
  bool shows_source = false;
  for (const std::string& line : split_lines(log)) {
    if (line.starts_with("PLEASE submit a bug report")) break;  // clang's stack trace follows
    if (line.empty() || is_summary(line)) continue;
    const std::optional<Head> head = head_of(line);
    if (!head && !is_about_no_line(line)) {
      if (shows_source) result.push_back("  " + std::string(without_line_number(line)));
      continue;
    }
    const bool is_note = head && head->severity == "note";
    shows_source = !is_note;
    const bool is_ours = head && (head->place.starts_with(clang_header_folder) ||
                                  head->place.starts_with(name_expression_file));
    if (!is_note) {
      result.push_back(line);
    } else if (!is_ours) {
      result.push_back("    " + line);
    }
  }
  return join(result, "\n");
}

ClangPtx without_kernel_variable(std::string_view ptx) {
  ClangPtx result{std::string(ptx), ""};
  std::string& text = result.text;
  const std::string mark = fmt::format(" {} = ", clang_kernel_variable);
  if (const std::size_t at = text.find(mark); at != text.npos) {
    const std::size_t begin = text.rfind('\n', at) + 1, end = text.find(';', at);
    const std::size_t name = at + mark.size();
    result.lowered_name = std::string(trimmed(std::string_view(text).substr(name, end - name)));
    text.erase(begin, std::min(end + 2, text.size()) - begin);
  }
  constexpr std::string_view entry = ".entry ";
  for (std::size_t at = text.find(entry); at != text.npos; at = text.find(entry, at + 1)) {
    const std::size_t end = end_of_declaration(text, at);
    if (end == nowhere) continue;
    const std::size_t begin = text.rfind('\n', at) + 1;
    text.erase(begin, end - begin);
    at = begin;
  }
  return result;
}

std::string marked_for(const std::string& ptx, const std::string& architecture) {
  std::string text = ptx;
  const int wanted = architecture_number(architecture);
  const Directive target = find_directive(text, ".target");
  const int marked = architecture_number(std::string(target.operand));
  if (target.begin == nowhere || marked >= wanted) return text;
  text.replace(target.begin, target.size, architecture);
  const Directive version = find_directive(text, ".version");
  const int needed = ptx_version(wanted);
  if (version.begin == nowhere || version_number(version.operand) >= needed) return text;
  text.replace(version.begin, version.size, fmt::format("{}.{}", needed / 10, needed % 10));
  return text;
}

}  // namespace gemm_tutor::simt
