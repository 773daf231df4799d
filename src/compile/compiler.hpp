// CUDA C++ to PTX (for the emulator) and to a cubin (for a GPU), by NVRTC or by clang, which need
// no GPU. Clang has no assembler for NVIDIA's GPUs: it makes PTX alone, and registers are not
// known.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/occupancy.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

struct CompileRequest {
  std::string source;
  std::string file_name;     // as the user knows it: in errors and in the line table
  std::string architecture;  // "sm_90"
  // "shared_memory_tile<32, 32, 32>", "ns::kernel<64>", or a plain name; empty compiles the file
  // without instantiating anything.
  std::string name_expression;
  std::vector<std::string> include_directories;  // the learner's own
  std::string gpu = {};                          // "NVIDIA T4": whose architecture it is, if known
};

// The help of a file's own errors.
inline constexpr std::string_view correct_and_run =
    "Correct the file at the line named, and run the command again.";

// (usage) The name expression names no kernel of the file.
struct NoSuchKernel : Error {
  using Error::Error;
};

// About a line of the user's file, and useful to a learner.
struct CompilerWarning {
  int line = 0;
  std::string message = {};  // "missing return statement at end of non-void function "f""
  std::string text = {};     // as the compiler wrote it, with the line of the source and its mark

  // The text may name another instance of a template.
  bool operator==(const CompilerWarning& other) const {
    return line == other.line && message == other.message;
  }
};

struct CompiledKernel {
  std::string ptx;
  std::vector<char> cubin;  // empty where the compiler has no assembler
  // The mangled name of `name_expression` in both; without one, that of the file's only kernel;
  // empty where there is none or a choice.
  std::string lowered_name;
  KernelResources resources;                       // of that kernel, as the assembler reported them
  std::map<std::string, KernelResources> kernels;  // every kernel in the cubin, by mangled name
  std::string log;                                 // all warnings, with their files and lines
  std::vector<CompilerWarning> warnings;           // those that useful_warnings() has of it
  std::string compiler;                            // "NVRTC 13.0", "clang 14.0.6"
  bool from_cache = false;
};

// Functions for the host (main, say) are left out, and headers of the C and C++ libraries need not
// be there. Throws Error: (compile_error) with the user's file, line and the compiler's message;
// NoSuchKernel; (usage) when the file needs a newer architecture; (unavailable) when there is no
// compiler or it does not know the architecture. Uses the cache in cache_directory().
CompiledKernel compile(const CompileRequest& request);

// The same with a cache of one's own choosing; an empty path means none.
CompiledKernel compile(const CompileRequest& request, const std::filesystem::path& cache);

// A compiler, without compiling anything.
struct CompilerStatus {
  bool available = false;
  std::string name = {};       // "NVRTC 13.0", "clang 14.0.6"
  std::string path = {};       // of the shared library or the program
  bool has_assembler = false;  // knows registers, and compiles for a GPU itself
  std::string problem = {};    // why it is not there
  std::string help = {};       // what to do
  // What a process that compiles must be able to open, directories with all that is in them, and to
  // start.
  std::vector<std::filesystem::path> files_to_read = {}, files_to_execute = {};
};

// The one that compile() uses: NVRTC where it can be loaded, else clang;
// GEMM_TUTOR_COMPILER=nvrtc or clang decides. Throws Error (usage) where that names neither.
CompilerStatus compiler_status();

// Each by itself, used or not.
CompilerStatus nvrtc_status();
CompilerStatus clang_status();

// Throws the Error that compile() would throw where there is no compiler: (unavailable); (usage)
// where GEMM_TUTOR_COMPILER names none.
void require_compiler();

}  // namespace gemm_tutor
