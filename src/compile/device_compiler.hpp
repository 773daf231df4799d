// What makes PTX of CUDA C++: NVRTC, or clang, which has no assembler for NVIDIA's GPUs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.hpp"

namespace gemm_tutor {

struct CompilerOutput {
  bool compiled = false;
  // Diagnostics as NVRTC writes them (compiler_log.hpp), and what the assembler reports.
  std::string log = {};
  // What follows is filled in only when it compiled.
  std::string ptx = {};
  std::vector<char> cubin = {};   // only where it was assembled
  std::string lowered_name = {};  // of the name expression; empty without one
};

class DeviceCompiler {
 public:
  virtual ~DeviceCompiler() = default;

  virtual std::string name() const = 0;  // "NVRTC 13.0"
  virtual std::string path() const = 0;  // of its library or program
  // Whether it can make cubins; only an assembler knows a kernel's registers.
  virtual bool has_assembler() const = 0;
  virtual std::string help() const = 0;  // what to do when it fails for no fault of the kernel

  // Throws Error (unavailable) where it does not compile for "sm_90".
  virtual void check_architecture(const std::string& architecture) const = 0;

  // Whatever its output depends on, beside the source, the file's name and the name expression.
  virtual std::string identity(const CompileRequest& request) const = 0;

  // `source` in place of the request's. From any thread. Throws Error (unavailable) when the
  // compiler itself fails.
  virtual CompilerOutput compile(const CompileRequest& request,
                                 const std::string& source) const = 0;

  // What a process that compiles must be able to read, directories with all that is in them, and
  // the programs that it must be able to start.
  virtual std::vector<std::filesystem::path> files_to_read() const = 0;
  virtual std::vector<std::filesystem::path> files_to_execute() const = 0;
};

// 90 of "sm_90", "sm_90a" and "sm_90f"; 0 of what is no architecture.
int architecture_number(const std::string& architecture);

// A name expression is parsed as if it stood in a file of this name, in NVRTC's logs and clang's.
inline constexpr std::string_view name_expression_file = "__nv_name_map";

// Null, and why in `problem`, when it cannot be loaded, or this program was built without CUDA.
// Tried once in the life of the program.
const DeviceCompiler* nvrtc_compiler(std::string& problem);
extern const char* const how_to_get_nvrtc;  // what to do then
extern const bool built_with_cuda;

// Null, and why in `problem`, when it is not found. Looked for once in the life of the program.
const DeviceCompiler* clang_compiler(std::string& problem);

// The one that compiles here, chosen once. Throws Error: (unavailable) where there is none; (usage)
// when GEMM_TUTOR_COMPILER names neither.
const DeviceCompiler& device_compiler();

}  // namespace gemm_tutor
