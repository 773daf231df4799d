// What several tests of runs need.
#pragma once

#include <string>

#include "checks.hpp"
#include "run/cuda_run.hpp"
#include "run/run.hpp"

namespace gemm_tutor {

inline RunOptions on_emulator(const Problem& problem) {
  RunOptions options;
  options.problem = problem;
  options.backend = Backend::emulator;
  options.gpu = "h200";
  options.blocks = AllBlocks{};
  return options;
}

inline constexpr Problem odd_sizes{70, 50, 40};

inline KernelRun result_of(const KernelSource& kernel,
                           const RunOptions& options = on_emulator(odd_sizes)) {
  return run_cuda(prepare(kernel, options), options);
}

inline std::string text(const Problem& p) {
  return std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
}

// Tiles that blocks share: fewer than one, a few, and many, with edges.
inline const Problem stream_k_sizes[] = {
    {1, 1, 1}, {5, 7, 3}, {64, 64, 64}, {100, 36, 50}, {33, 70, 129}};

}  // namespace gemm_tutor
