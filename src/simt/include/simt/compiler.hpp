// Compiles CUDA C++ to PTX (for the emulator) and to a cubin (for a GPU), with NVRTC or clang. Both
// need no GPU. Clang has no assembler for NVIDIA's GPUs: it makes only PTX, and the number of
// registers is not known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simt/gpu_spec.hpp"
#include "source/included_files.hpp"
#include "support/error.hpp"

namespace gemm_tutor::simt {

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

// Error (usage): the file has no kernel with the name expression.
struct NoSuchKernel : Error {
  using Error::Error;
};

// Error (unavailable): there is no compiler, and the kernel was not compiled ahead.
struct NoCompiler : Error {
  using Error::Error;
};

// A useful warning about a line of the user's file.
struct CompilerWarning {
  int line = 0;
  std::string message = {};  // "missing return statement at end of non-void function "f""
  std::string text = {};     // the compiler's text, with the source line and its mark

  // Ignores the text, because it may name another instance of a template.
  bool operator==(const CompilerWarning& other) const;
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
  std::vector<CompilerWarning> warnings;           // the useful ones
  std::string compiler;                            // "NVRTC 13.0", "clang 14.0.6"
  bool from_cache = false;
};

// Ignores host code, such as main, in the file and in those that it includes, and does not need the
// headers of host libraries. Leaves out other kernels that do not compile. Throws
// - Error (compile_error) with the user's file, the line and the compiler's message,
// - NoSuchKernel,
// - Error (usage) if the file needs a newer architecture,
// - Error (unavailable) if there is no compiler, or if it does not know the architecture,
// - NoCompiler if there are only kernels that were compiled ahead.
// The cache is in cache_directory(), or else in `cache`; an empty path means no cache.
CompiledKernel compile(const CompileRequest& request);
CompiledKernel compile(const CompileRequest& request, const std::filesystem::path& cache);

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
// environment variable SIMT_COMPILER=nvrtc or clang (README.md) overrides this; throws Error
// (usage) if it has another value. The others describe one compiler, whether or not it is used.
CompilerStatus compiler_status();
CompilerStatus nvrtc_status();
CompilerStatus clang_status();

// Throws Error (unavailable) if there is no compiler, and Error (usage) if SIMT_COMPILER names
// none, as compile() does.
void require_compiler();

// Demangles a kernel's name. Returns it as code of the same file would write it: "v2<32>" for
// "void v2<32>(float const*, int)". A name that is not mangled (extern "C") stays the same.
std::string readable_name(const std::string& mangled);

// How a kernel must be launched, from its PTX.
struct PtxEntry {
  // Each parameter's type, "u64" or "f32"; empty for a struct, which is passed as bytes.
  std::vector<std::string> parameter_types;
  std::vector<int> parameter_bytes;    // each parameter's size
  std::vector<std::string> cpp_types;  // "float const*", "int"; empty if the name is not mangled
  std::int64_t most_threads = 0;       // per block, from __launch_bounds__; 0 if there are none
  std::int64_t exact_threads = 0;      // per block, if the kernel requires a block size; 0 if not
  Dim3 cluster{};                      // blocks of a cluster that it requires; 1×1×1 if none
  bool uses_dynamic_shared = false;    // it uses extern __shared__ memory
  int static_shared_bytes = 0;         // bytes of its other __shared__ variables
  // It, or a function that it may call, reads blockIdx.y, blockIdx.z and threadIdx.y.
  bool reads_block_y = false, reads_block_z = false, reads_thread_y = false;
};

PtxEntry ptx_entry(std::string_view ptx, std::string_view lowered_name);

// Writes the headers that clang compiles kernels with, in place of NVIDIA's and the system's.
// Returns all options that clangd needs for a kernel's file; none if they cannot be written.
std::vector<std::string> clangd_options(const std::filesystem::path& folder);

}  // namespace gemm_tutor::simt
