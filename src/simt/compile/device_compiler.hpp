// The interface of the two compilers from CUDA C++ to PTX: NVRTC, and clang, which has no
// assembler.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simt/compiler.hpp"

// The name of the program that uses the library, and with what its environment variables begin. The
// build may set both.
#ifndef SIMT_PROGRAM
#define SIMT_PROGRAM "simt"
#endif
#ifndef SIMT_VARIABLES
#define SIMT_VARIABLES "SIMT"
#endif

namespace gemm_tutor::simt {

struct CompilerOutput {
  bool compiled = false;
  // Diagnostics in NVRTC's form (compiler_log.hpp), and the assembler's report.
  std::string log = {};
  // The members below are set only if it compiled.
  std::string ptx = {};
  std::vector<char> cubin = {};   // empty without an assembler
  std::string lowered_name = {};  // mangled name of the name expression; empty without one
};

// The text to compile, and the headers that it includes, by the name that its directives have. Each
// text has directives that tell the compiler the name and the lines of the user's file.
struct CompilerInput {
  struct Header {
    std::string name, text;
    bool operator==(const Header&) const = default;
  };
  std::string source;
  std::vector<Header> headers = {};

  bool operator==(const CompilerInput&) const = default;
};

class DeviceCompiler {
 public:
  virtual ~DeviceCompiler() = default;

  virtual std::string name() const = 0;  // "NVRTC 13.0"
  virtual std::string path() const = 0;  // its library or program
  // True if it can make cubins. Only then the number of registers is known.
  virtual bool has_assembler() const = 0;
  virtual std::string help() const = 0;  // what to do if it fails although the kernel is right

  // Throws Error (unavailable) if it cannot compile for the architecture, "sm_90".
  virtual void check_architecture(const std::string& architecture) const = 0;

  // Returns everything that its output depends on, except the source, the file's name and the name
  // expression. It is part of the cache's key.
  virtual std::string identity(const CompileRequest& request) const = 0;

  // Compiles `input` in place of the request's source. Thread-safe. Throws Error (unavailable) if
  // the compiler itself fails.
  virtual CompilerOutput compile(const CompileRequest& request,
                                 const CompilerInput& input) const = 0;

  // The folder of kernels that were compiled ahead, if it has only these.
  virtual std::filesystem::path own_kernels() const { return {}; }

  // Files and whole directories that a compiling process must be able to read, and programs that it
  // must be able to start.
  virtual std::vector<std::filesystem::path> files_to_read() const = 0;
  virtual std::vector<std::filesystem::path> files_to_execute() const = 0;
};

// Returns 90 for "sm_90", "sm_90a" and "sm_90f"; 0 for other texts.
int architecture_number(const std::string& architecture);

// The file name that NVRTC's and clang's logs have for errors in the name expression.
inline constexpr std::string_view name_expression_file = "__nv_name_map";

// Returns null, with the reason in `problem`, if NVRTC cannot be loaded. Loads it at most once.
const DeviceCompiler* nvrtc_compiler(std::string& problem);
extern const char* const how_to_get_nvrtc;  // what to do then

// Returns null, with the reason in `problem`, if clang is not found. Searches for it at most once.
const DeviceCompiler* clang_compiler(std::string& problem);

// Returns the kernels that were compiled ahead, in share/SIMT_PROGRAM/kernels beside the program's
// folder, where the file "compiler" names their compiler; null if there are none. They are written
// by any compiler if SIMT_COMPILE_AHEAD names a folder.
const DeviceCompiler* compiled_ahead();
std::string ahead_identity(const CompileRequest& request);

// Returns the compiler to use, which is chosen once. Throws Error (unavailable) if there is none,
// and Error (usage) if SIMT_COMPILER names neither.
const DeviceCompiler& device_compiler();

}  // namespace gemm_tutor::simt
