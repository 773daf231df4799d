// The trace of one block of a kernel: its warps' memory accesses.
#pragma once

#include <string>
#include <vector>

#include "gemm/matrices.hpp"
#include "gemm/scalar.hpp"
#include "run/prepared_kernel.hpp"
#include "simt/compiler.hpp"
#include "simt/emulator.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

struct RunOptions;

// A matrix. Its index in the list is simt::Access::buffer.
struct TracedMatrix {
  std::string name;
  int rows = 0, columns = 0;
  int element_bytes = 4;
};

struct Trace {
  std::string name;  // "shared_memory_tile<32, 32, 32>"
  KernelSource kernel;
  std::vector<simt::CompilerWarning> warnings = {};
  Problem problem;
  simt::Launch launch;
  simt::Dim3 block;   // the traced block
  simt::GpuSpec gpu;  // it ran with this GPU's limits
  std::vector<TracedMatrix> matrices;
  std::vector<Argument> arguments;  // the kernel's, in order
  simt::Recording result;
  std::vector<simt::Finding> findings = {};  // the block's, if it ran only for the trace
  std::string second_pass = {};  // the kernel that a run launches next; it is not traced

  int warps() const { return static_cast<int>((launch.block.count() + 31) / 32); }
};

// Returns the block of options.trace, or the first block. If blocks share tiles and this block has
// no work, returns the next block that has work.
simt::Dim3 traced_block(const PreparedKernel& kernel, const RunOptions& options);

// Makes the trace from a recording of that block.
Trace block_trace(const PreparedKernel& kernel, const RunOptions& options,
                  simt::Recording recording);

// Runs only that block on the emulator. Throws Error (usage) if the grid has no such block, and
// Interrupted.
Trace trace_block(const PreparedKernel& kernel, Matrices& matrices, const RunOptions& options);

// The same, with matrices of its own.
Trace trace_cuda(const PreparedKernel& kernel, const RunOptions& options);

// Compiles the kernel and runs that block on the emulator, with any backend. Also throws what
// prepare() throws. Faults of the kernel are not an Error, but findings of the result.
Trace trace_kernel(const KernelSource& kernel, const RunOptions& options);

}  // namespace gemm_tutor
