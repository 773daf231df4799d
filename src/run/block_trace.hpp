// What the warps of one block of a kernel did to memory.
#pragma once

#include <string>
#include <vector>

#include "compile/compiler.hpp"
#include "emulator/emulator.hpp"
#include "gemm/matrices.hpp"
#include "gemm/parameter.hpp"
#include "model/gpu_spec.hpp"
#include "run/kernel_source.hpp"
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
  emulator::Result result;          // of that block alone
  std::string second_pass = {};     // that a run launches next, and which is not traced

  int warps() const { return static_cast<int>((launch.block.count() + 31) / 32); }
};

// Runs the block that options.trace names, else the first, on the emulator. Throws Error (usage)
// for a block that the grid does not have; and Interrupted.
BlockTrace trace_block(const KernelSource& source, const PreparedKernel& kernel, Matrices& matrices,
                       const GpuSpec& gpu, const RunOptions& options);

// Compiles the kernel for that, and runs no other block. Throws Error as run_cuda() does.
BlockTrace trace_cuda(const KernelSource& source, const RunOptions& options);

}  // namespace gemm_tutor
