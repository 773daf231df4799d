// What the warps of one block of a kernel did to memory.
#pragma once

#include <string>
#include <vector>

#include "compile/compiler.hpp"
#include "emulator/emulator.hpp"
#include "gemm/matrices.hpp"
#include "gemm/parameter.hpp"
#include "model/gpu_spec.hpp"
#include "run/prepared_kernel.hpp"

namespace gemm_tutor {

struct RunOptions;

// A matrix, whose place in the list is emulator::Access::buffer.
struct TracedMatrix {
  std::string name;
  int rows = 0, columns = 0;
};

struct BlockTrace {
  std::string name;  // "shared_memory_tile<32, 32, 32>"
  std::string source_file, source;
  std::vector<CompilerWarning> warnings = {};
  Problem problem;
  Launch launch;
  LaunchShape shape;
  Dim3 block;   // that was traced
  GpuSpec gpu;  // whose limits it ran with
  std::vector<TracedMatrix> matrices;
  std::vector<Argument> arguments;  // of the kernel, in order
  emulator::Recording result;
  std::vector<emulator::Finding> findings = {};  // of that block, where it ran for the trace alone
  std::string second_pass = {};  // that a run launches next, and which is not traced

  int warps() const { return static_cast<int>((launch.block.count() + 31) / 32); }
};

// The block that options.trace names, else the first; where it has no work, as tiles are shared,
// the next one that has some.
Dim3 traced_block(const PreparedKernel& kernel, const RunOptions& options);

// Of a recording of that block.
BlockTrace block_trace(const PreparedKernel& kernel, const RunOptions& options,
                       emulator::Recording recording);

// Runs that block on the emulator, and no other. Throws Error (usage) for a block that the grid
// does not have; and Interrupted.
BlockTrace trace_block(const PreparedKernel& kernel, Matrices& matrices, const RunOptions& options);

// Makes the matrices for that.
BlockTrace trace_cuda(const PreparedKernel& kernel, const RunOptions& options);

}  // namespace gemm_tutor
