// NVRTC as one of the compilers.
#include "simt/compile/nvrtc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "simt/compile/compiler_input.hpp"
#include "simt/compile/device_compiler.hpp"
#include "simt/compile/host_headers.hpp"
#include "support/child_process.hpp"
#include "support/cuda_api.hpp"
#include "support/cuda_toolkit.hpp"
#include "support/dynamic_library.hpp"
#include "support/error.hpp"
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

namespace {

using namespace cuda;

NvrtcFunctions functions;  // set once, by Nvrtc::load

// Returns false, with the missing function in `problem`, if the library does not have all.
bool find_functions(const DynamicLibrary& library, std::string& problem) {
  const auto find = [&](auto& function, const char* name) {
    if (!library.load(function, name)) problem = fmt::format("{} has no {}", library.path(), name);
  };
  find(functions.version, "nvrtcVersion");
  find(functions.error_string, "nvrtcGetErrorString");
  find(functions.architecture_count, "nvrtcGetNumSupportedArchs");
  find(functions.architectures, "nvrtcGetSupportedArchs");
  find(functions.create, "nvrtcCreateProgram");
  find(functions.destroy, "nvrtcDestroyProgram");
  find(functions.add_name_expression, "nvrtcAddNameExpression");
  find(functions.lowered_name, "nvrtcGetLoweredName");
  find(functions.compile, "nvrtcCompileProgram");
  find(functions.log_size, "nvrtcGetProgramLogSize");
  find(functions.log, "nvrtcGetProgramLog");
  find(functions.ptx_size, "nvrtcGetPTXSize");
  find(functions.ptx, "nvrtcGetPTX");
  find(functions.cubin_size, "nvrtcGetCUBINSize");
  find(functions.cubin, "nvrtcGetCUBIN");
  return problem.empty();
}

void check(nvrtcResult result, const char* call) {
  if (result == NVRTC_SUCCESS) return;
  throw Error(ExitStatus::unavailable,
              fmt::format("NVRTC's {} failed: {}", call, functions.error_string(result)),
              "Check that the CUDA Toolkit is installed completely and that memory is free.");
}

struct DestroyProgram {
  void operator()(nvrtcProgram program) const { functions.destroy(&program); }
};
using NvrtcProgram = std::unique_ptr<OfNvrtcProgram, DestroyProgram>;

// NVRTC treats the byte 0xFF, which is not valid in UTF-8, as the end of the file.
std::string without_early_end(std::string source) {
  std::ranges::replace(source, '\xff', '?');
  return source;
}

NvrtcProgram create_program(const CompilerInput& input, const std::string& file_name) {
  std::vector<const char*> names = host_headers().names, texts = host_headers().texts;
  for (const CompilerInput::Header& header : input.headers) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  const std::string text = without_early_end(input.source);
  nvrtcProgram program = nullptr;
  check(functions.create(&program, text.c_str(), file_name.c_str(), static_cast<int>(names.size()),
                         texts.data(), names.data()),
        "nvrtcCreateProgram");
  return NvrtcProgram(program);
}

// One of the texts or binaries that a program has after compiling.
template <class Bytes, class Size, class Get>
Bytes fetch(const NvrtcProgram& program, Size size_of, Get get, const char* call) {
  std::size_t size = 0;
  check(size_of(program.get(), &size), call);
  Bytes bytes(size, '\0');
  if (size > 0) check(get(program.get(), bytes.data()), call);
  return bytes;
}

// NVRTC's sizes include the final zero byte, and there is one between a log's parts.
std::string without_zeros(std::string text) {
  std::erase(text, '\0');
  return text;
}

CompilerOutput compile_here(const CompilerInput& input, const std::string& file_name,
                            const std::string& name_expression,
                            const std::vector<std::string>& options) {
  const NvrtcProgram program = create_program(input, file_name);
  if (!name_expression.empty()) {
    check(functions.add_name_expression(program.get(), name_expression.c_str()),
          "nvrtcAddNameExpression");
  }
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  const nvrtcResult result =
      functions.compile(program.get(), static_cast<int>(arguments.size()), arguments.data());

  CompilerOutput output;
  output.compiled = result == NVRTC_SUCCESS;
  if (result != NVRTC_ERROR_COMPILATION) check(result, "nvrtcCompileProgram");
  output.log = without_zeros(
      fetch<std::string>(program, functions.log_size, functions.log, "nvrtcGetProgramLog"));
  if (!output.compiled) return output;

  output.ptx =
      without_zeros(fetch<std::string>(program, functions.ptx_size, functions.ptx, "nvrtcGetPTX"));
  output.cubin =
      fetch<std::vector<char>>(program, functions.cubin_size, functions.cubin, "nvrtcGetCUBIN");
  if (!name_expression.empty()) {
    const char* lowered = nullptr;
    check(functions.lowered_name(program.get(), name_expression.c_str(), &lowered),
          "nvrtcGetLoweredName");
    if (!lowered) check(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, "nvrtcGetLoweredName");
    output.lowered_name = lowered;
  }
  return output;
}

constexpr double longest_compilation = 120;  // seconds

bool finished(const ChildResult& result) {
  return result.end == ChildResult::End::exited && result.status == 0;
}

Error no_output(const ChildResult& result, const std::string& version,
                const std::string& file_name) {
  using End = ChildResult::End;
  if (result.end == End::took_too_long) {
    return {
        ExitStatus::compile_error,
        fmt::format("{} does not compile\nNVRTC {} did not finish within {:.0f} s", file_name,
                    version, longest_compilation),
        "Look for a template, a macro or a constexpr function that grows without end, or for loops "
        "that unroll too often."};
  }
  const std::string how = result.end == End::signalled
                              ? fmt::format("crashed (signal {})", result.signal)
                              : "failed, perhaps because memory ran out";
  return {
      ExitStatus::compile_error,
      fmt::format("{} does not compile\nNVRTC {} {}, without a message", file_name, version, how),
      "Undo your last change, or let clang look for the mistake: " SIMT_VARIABLES
      "_COMPILER=clang."};
}

// The result of a copy of this process: the fields of the output, or of an Error.
constexpr const char *sent_output = "output", *sent_error = "error";

std::string to_text(const CompilerOutput& output) {
  return encode_fields({sent_output, output.compiled ? "compiled" : "", output.log, output.ptx,
                        std::string(output.cubin.begin(), output.cubin.end()),
                        output.lowered_name});
}

CompilerOutput to_output(const std::string& text) {
  const Fields fields = decode_fields(text).value();
  if (fields.front() == sent_error) {
    throw Error(ExitStatus::unavailable, fields[1], fields[2]);
  }
  return {
      !fields[1].empty(), fields[2], fields[3], {fields[4].begin(), fields[4].end()}, fields[5]};
}

}  // namespace

const Nvrtc* Nvrtc::load(std::string& problem) {
  static std::string why_not;
  static const std::optional<Nvrtc> loaded = []() -> std::optional<Nvrtc> {
    const std::optional<DynamicLibrary> library =
        DynamicLibrary::open(cuda_library_names("nvrtc"), why_not);
    if (!library && why_not.empty()) why_not = is_nowhere("libnvrtc");
    if (!library || !find_functions(*library, why_not)) return std::nullopt;
    Nvrtc nvrtc;
    nvrtc.path_ = library->path();
    int major = 0, minor = 0, count = 0;
    check(functions.version(&major, &minor), "nvrtcVersion");
    nvrtc.version_ = fmt::format("{}.{}", major, minor);
    if (std::pair(major, minor) < std::pair(12, 4)) {
      why_not = fmt::format("{} is of CUDA {}, older than 12.4", nvrtc.path_, nvrtc.version_);
      return std::nullopt;
    }
    // NVRTC opens it by its name alone, and the loader does not look beside NVRTC.
    const auto folder = std::filesystem::path(nvrtc.path_).parent_path();
    std::string ignored;
    static const std::optional<DynamicLibrary> builtins =
        DynamicLibrary::open({folder / ("libnvrtc-builtins.so." + nvrtc.version_)}, ignored);
    check(functions.architecture_count(&count), "nvrtcGetNumSupportedArchs");
    nvrtc.architectures_.resize(count);
    check(functions.architectures(nvrtc.architectures_.data()), "nvrtcGetSupportedArchs");
    return nvrtc;
  }();
  problem = why_not;
  return loaded ? &*loaded : nullptr;
}

// In a copy of this process, because NVRTC crashes on some faulty files. This process must not
// compile: the copy would inherit a lock of NVRTC that another thread holds.
CompilerOutput Nvrtc::compile(const CompilerInput& input, const std::string& file_name,
                              const std::string& name_expression,
                              const std::vector<std::string>& options) const {
  const auto compile = [&](const std::string& name) {
    return run_copy(
        [&] {
          try {
            return to_text(compile_here(input, file_name, name, options));
          } catch (const Error& error) {
            return encode_fields({sent_error, error.what(), error.help()});
          }
        },
        {.seconds = longest_compilation, .output_bytes = std::size_t{1} << 30});
  };
  const ChildResult result = compile(name_expression);
  // The known crashes are caused by errors that NVRTC reports if it need not search for a name.
  if (result.end == ChildResult::End::signalled && !name_expression.empty()) {
    const ChildResult without_name = compile("");
    if (finished(without_name)) {
      CompilerOutput output = to_output(without_name.output);
      if (!output.compiled) return output;
    }
  }
  if (!finished(result)) throw no_output(result, version_, file_name);
  return to_output(result.output);
}

}  // namespace gemm_tutor::simt
