// Runs a CUDA kernel on the GPU, with the emulator's counts, or only on the emulator.
#pragma once

#include <optional>
#include <vector>

#include "run/prepared_kernel.hpp"
#include "run/run.hpp"
#include "simt/estimate.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor {

// Counts, executes, times and verifies it. `kernel` must be prepared for the same problem.
KernelRun run_cuda(const PreparedKernel& kernel, const RunOptions& options);

// Compiles a user's kernel and runs it, at further sizes too if the options say so. Throws Error if
// it cannot be compiled, launched or run. A wrong result is not an Error.
KernelRun run_kernel(const KernelSource& kernel, const RunOptions& options);

// Finds out whether findings come from an edge that is not guarded: from a size that is not a whole
// number of tiles.

struct RunOptions;

// Sets Finding::edge of accesses out of the matrices, and of races in C, that small problems of
// whole tiles do not have and that one with such an edge has. Emulates a few problems of at most
// two tiles in each direction, if there are accesses out of a matrix.
void find_edges(std::vector<simt::Finding>& findings, const PreparedKernel& kernel,
                const RunOptions& options);

// Runs, times and verifies cuBLAS. Without a GPU with cuBLAS, or if --gpu names another GPU, only
// computes the order of the operands, on Backend::none.
KernelRun run_library(const RunOptions& options);

// Estimates a kernel's time on the GPU that it was compiled for.

// Estimates the time from the counts, including a second launch. Returns nothing without machine
// code. Runs some blocks again to get the addresses of their requests, which changes C.
std::optional<simt::Estimate> estimated(const PreparedKernel& kernel, Matrices& matrices,
                                        const simt::Result& counted);

}  // namespace gemm_tutor
