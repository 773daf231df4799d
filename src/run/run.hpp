// A kernel through compile, execute and verify: what is asked for, and what comes out of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compile/compiler.hpp"
#include "emulator/emulator.hpp"
#include "estimate/estimate.hpp"
#include "gemm/update.hpp"
#include "gemm/verification.hpp"
#include "model/gpu_spec.hpp"
#include "model/occupancy.hpp"
#include "run/backend.hpp"
#include "run/block_trace.hpp"
#include "run/unwritten.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

// Which blocks of a grid are emulated: as many as take about two seconds, all, or that many, but at
// least one of each class.
struct AutomaticBlocks {};
struct AllBlocks {};
using BlockBudget = std::variant<AutomaticBlocks, AllBlocks, std::int64_t>;

// A block to trace; where it has no work, as tiles are shared, the next one that has some.
struct TraceRequest {
  Dim3 block = {0, 0, 0};
  std::optional<int> warp = std::nullopt;  // only this one's accesses are wanted
};

struct RunOptions {
  Problem problem;
  std::uint64_t seed = 1;
  std::optional<Backend> backend;  // --backend; without it the GPU, if there is one
  std::string gpu;                 // --gpu: whose limits; empty: the GPU that is there, else h200
  BlockBudget blocks;              // --blocks
  bool check = true;  // --no-check: the emulator then finds only what no run could survive
  // --max-instructions, of a warp; without the option, what no kernel needs for such a problem.
  std::optional<std::int64_t> max_instructions = std::nullopt;
  // Record what this block does to memory, beside the run.
  std::optional<TraceRequest> trace = std::nullopt;
  // One run of many: a quarter of the emulation, and no comparison with another kernel.
  bool one_of_many = false;
  // Shows the progress of the run, and may stop it: Interrupted is then thrown. NVRTC and a
  // kernel on a GPU cannot be stopped before they are done.
  Activity* activity = nullptr;
};

struct Traffic {                                                  // in floats
  std::optional<std::int64_t> predicted_loads, predicted_stores;  // by a formula
  bool formula_is_exact = true;  // at this size: for some kernels whole tiles of C
  std::optional<std::int64_t> counted_loads, counted_stores;
  bool count_is_exact = true;  // of all blocks or rows, not scaled from some of them
};

struct RunTiming {
  Backend where = Backend::gpu;  // or the CPU
  int runs = 0;
  double median_ms = 0, min_ms = 0, tflops = 0;
  std::optional<double> cublas_median_ms, percent_of_cublas;
  double spread_percent = 0;  // of the middle half of the runs, in percent of the median
};

// An element of C by cuBLAS with its operands in the right order, and in the other: B·A.
struct OperandOrder {
  double right = 0, exchanged = 0;
};

// After the kernel's own launch, where its blocks left parts of tiles to be added up.
struct SecondLaunch {
  Launch launch;
  std::string statement;
  KernelResources resources;
  Occupancy occupancy;
};

struct RunResult {
  Problem problem;
  Update update;     // what was verified: alpha·A·B + beta·C
  std::string name;  // "shared_memory_tile<32, 32, 32>"
  std::string source_file;
  // None for the library's where there is no GPU: nothing is verified.
  Backend backend = Backend::none;
  std::string device;  // the GPU's name; the emulator with its limits; the CPU's name

  std::optional<Launch> launch;
  std::string launch_statement;  // shared_memory_tile<32, 32, 32><<<dim3(64, 64), …>>>(A, …)
  std::optional<GpuSpec> gpu;    // that ran it, or whose limits the emulator assumed
  std::string compiler;          // "NVRTC 13.0"; empty where nothing is compiled here
  std::vector<CompilerWarning> warnings;
  std::optional<KernelResources> resources;
  std::optional<Occupancy> occupancy;
  std::optional<SecondLaunch> second_launch;

  Traffic traffic;  // as it was counted
  std::optional<emulator::Result> emulation;
  std::optional<BlockTrace> trace;  // of the block that was asked for, where that could be run
  std::optional<RunTiming> timing;
  std::optional<Estimate> estimate;           // of its time on `gpu`; none without machine code
  std::optional<OperandOrder> operand_order;  // of a library's multiply of square matrices
  Verification verification;
  bool leaves_out_c = false;  // C is wrong, but right as A·B alone, of a kernel without a beta
  std::optional<WriteMap> unwritten;  // where elements of C were not written
  bool kept_from_gpu = false;         // it was to run there, but the emulator found something wrong
  std::string not_emulated;           // why the emulator could not run it; empty where it can

  bool can_run_here() const { return backend != Backend::none; }
};

}  // namespace gemm_tutor
