// Compiles CUDA C++ to PTX (for the emulator) and to a cubin (for a GPU), with NVRTC or clang. Both
// need no GPU. Clang has no assembler for NVIDIA's GPUs: it makes only PTX, and the number of
// registers is not known.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simt/occupancy.hpp"
#include "source/included_files.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

struct CompileRequest {
  std::string source;
  std::string file_name;     // as shown in errors and in the line table
  std::string architecture;  // "sm_90"
  // "shared_memory_tile<32, 32, 32>", "ns::kernel<64>" or a plain name. If it is empty, the file is
  // compiled without instantiating a template.
  std::string name_expression;
  std::vector<std::string> include_directories = {};  // of the user
  std::string gpu = {};                               // "NVIDIA T4", for errors; may be empty
  std::vector<IncludedFile> included = {};            // the user's files that it includes
};

// The help for errors in the user's file.
inline constexpr std::string_view correct_and_run =
    "Correct the file at the line named, and run the command again.";

// Error (usage): the file has no kernel with the name expression.
struct NoSuchKernel : Error {
  using Error::Error;
};

// A warning about a line of the user's file that is useful.
struct CompilerWarning {
  int line = 0;
  std::string message = {};  // "missing return statement at end of non-void function "f""
  std::string text = {};     // the compiler's text, with the source line and its mark

  // Ignores the text, because it may name another instance of a template.
  bool operator==(const CompilerWarning& other) const {
    return line == other.line && message == other.message;
  }
};

struct CompiledKernel {
  std::string ptx;
  std::vector<char> cubin;  // empty if the compiler has no assembler
  // The mangled name of `name_expression` in PTX and cubin. Without a name expression, the name of
  // the file's only kernel; empty if it does not have exactly one.
  std::string lowered_name;
  KernelResources resources;                       // of that kernel, as reported by the assembler
  std::map<std::string, KernelResources> kernels;  // every kernel in the cubin, by mangled name
  std::string log;                                 // all warnings, with files and lines
  std::vector<CompilerWarning> warnings;           // useful_warnings() of the log
  std::string compiler;                            // "NVRTC 13.0", "clang 14.0.6"
  bool from_cache = false;
};

// Ignores host code, such as main, in the file and in those that it includes, and does not need the
// headers of host libraries. Leaves out other kernels that do not compile.
// Uses the cache in cache_directory(). Throws
// - Error (compile_error) with the user's file, the line and the compiler's message,
// - NoSuchKernel,
// - Error (usage) if the file needs a newer architecture,
// - Error (unavailable) if there is no compiler, or if it does not know the architecture.
CompiledKernel compile(const CompileRequest& request);

// The same with another directory for the cache; an empty path means no cache.
CompiledKernel compile(const CompileRequest& request, const std::filesystem::path& cache);

// Describes a compiler.
struct CompilerStatus {
  bool available = false;
  std::string name = {};       // "NVRTC 13.0", "clang 14.0.6"
  std::string path = {};       // the shared library or the program
  bool has_assembler = false;  // it makes cubins and knows the number of registers
  std::string problem = {};    // why it is not available
  std::string help = {};       // what the user can do then
  // Files and whole directories that a compiling process must be able to read, and programs that it
  // must be able to start.
  std::vector<std::filesystem::path> files_to_read = {}, files_to_execute = {};
};

// Describes the compiler that compile() uses: NVRTC if it can be loaded, otherwise clang. The
// environment variable GEMM_TUTOR_COMPILER=nvrtc or clang overrides this; throws Error (usage) if
// it has another value.
CompilerStatus compiler_status();

// Describe one compiler, whether or not it is used.
CompilerStatus nvrtc_status();
CompilerStatus clang_status();

// Throws Error (unavailable) if there is no compiler, and Error (usage) if GEMM_TUTOR_COMPILER
// names none, as compile() does.
void require_compiler();

}  // namespace gemm_tutor
