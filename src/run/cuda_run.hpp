// Runs a CUDA kernel on the GPU, with the emulator's counts, or only on the emulator.
#pragma once

#include <vector>

#include "run/prepared_kernel.hpp"
#include "run/run.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor {

// Returns the launch, the resources and where it would run. `kernel` must be prepared for the same
// problem.
RunResult plan_cuda(const PreparedKernel& kernel, const RunOptions& options);

// Counts, executes, times and verifies it.
RunResult run_cuda(const PreparedKernel& kernel, const RunOptions& options);

// Finds out whether findings come from an edge that is not guarded: from a size that is not a whole
// number of tiles.

struct RunOptions;

// Sets Finding::edge of accesses out of the matrices, and of races in C, that small problems of
// whole tiles do not have and that one with such an edge has. Emulates a few problems of at most
// two tiles in each direction, if there are accesses out of a matrix.
void find_edges(std::vector<emulator::Finding>& findings, const PreparedKernel& kernel,
                const RunOptions& options);

// Returns where cuBLAS would run: Backend::none without a GPU with cuBLAS, or if --gpu names
// another GPU.
RunResult plan_library(const RunOptions& options);

// Runs, times and verifies it. Without a GPU, only the order of the operands is computed.
RunResult run_library(const RunOptions& options);

}  // namespace gemm_tutor
