// A run of a kernel: its options and its result. A run compiles, executes and verifies the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gemm/scalar.hpp"
#include "gemm/verification.hpp"
#include "run/backend.hpp"
#include "run/block_trace.hpp"
#include "run/further_sizes.hpp"
#include "run/kernel_source.hpp"
#include "run/launch_shape.hpp"
#include "run/wrong_result.hpp"
#include "simt/compiler.hpp"
#include "simt/emulator.hpp"
#include "simt/estimate.hpp"
#include "simt/gpu_spec.hpp"
#include "source/excerpt.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

// A small map of the elements of a part of C that no thread has written. A character is a cell of
// `rows` × `columns` elements, fewer at the edges.
// '#' means that all of them were written, '.' none, '+' some.
struct WriteMap {
  Region region;
  int rows = 1, columns = 1;
  std::vector<std::string> lines;  // at most 16 lines of at most 32 characters
};

// Draws the first of `tiles` that has an unwritten element. If no element of that tile was written,
// draws all of C, unless `tiles` is only a part of it. Empty `tiles` means all tiles of C.
WriteMap draw_unwritten(const Problem& problem, std::span<const float> c, const LaunchShape& shape,
                        const std::vector<Region>& tiles);

// Returns C, with poison in elements that have not changed.
std::vector<float> changed_elements(const Matrices& matrices);

// Returns the written elements of each row, as strips without gaps.
std::vector<Region> written_strips(const Problem& problem, std::span<const float> c);

// If blocks did not write their `tiles`, but the same number of elements elsewhere, returns where.
// This happens if a kernel computes the tiles in another order. Otherwise returns nothing.
std::vector<Region> written_elsewhere(const Problem& problem, std::span<const float> c,
                                      const std::vector<Region>& tiles);

// Which blocks of a grid are emulated: as many as take about two seconds, all, or a given number.
// At least one of each class runs.
struct AutomaticBlocks {};
struct AllBlocks {};
using BlockBudget = std::variant<AutomaticBlocks, AllBlocks, std::int64_t>;

// A block to trace. If blocks share tiles and it has no work, the next block with work is traced.
struct TraceRequest {
  simt::Dim3 block = {0, 0, 0};
  std::optional<int> warp = std::nullopt;  // trace only this warp
};

struct RunOptions {
  Problem problem;
  std::uint64_t seed = 1;
  std::optional<Backend> backend;  // --backend; by default the GPU, if there is one
  std::string gpu;                 // --gpu; if empty, this machine's GPU, or h200 without one
  BlockBudget blocks;              // --blocks
  bool check = true;  // false with --no-check: the emulator then finds only fatal errors
  // --max-instructions, per warp. By default more than any kernel needs for the problem.
  std::optional<std::int64_t> max_instructions = std::nullopt;
  // Also record this block's memory accesses.
  std::optional<TraceRequest> trace = std::nullopt;
  // One of many runs: emulates a quarter of the blocks, and compares with no other kernel.
  bool one_of_many = false;
  bool only_result = false;  // takes and estimates no time
  // The further sizes at which a user's kernel runs too, those of sizes_to_try() if there are none.
  // Then WrongResult::computed is kept.
  std::optional<std::vector<Problem>> further = std::nullopt;
  // Shows the run's progress, and may stop it, which throws Interrupted. NVRTC and a kernel on a
  // GPU cannot be stopped.
  Activity* activity = nullptr;
};

struct Traffic {  // in elements
  std::optional<std::int64_t> counted_loads, counted_stores;
  bool count_is_exact = true;           // false if scaled from some blocks or rows
  int load_bytes = 4, store_bytes = 4;  // of an element of A and B, and of C
};

struct RunTiming {
  Backend where = Backend::gpu;  // or the CPU
  int runs = 0;
  double median_ms = 0, min_ms = 0, tflops = 0;
  std::optional<double> cublas_median_ms, percent_of_cublas;
  double spread_percent = 0;  // the interquartile range in percent of the median
};

// The time of a lesson's kernel in docs/results.
struct RecordedTiming {
  std::string device, driver, date;
  double median_ms = 0, tflops = 0;
  std::optional<double> percent_of_cublas = std::nullopt;  // of the same types
  Precision precision = Precision::fp32;
};

// The estimated time on one of several GPUs. The kernel is compiled and counted for each.
struct GpuEstimate {
  simt::GpuSpec gpu;
  std::optional<simt::Estimate> estimate;
};

// An element of C, computed by cuBLAS with its operands in the right order and exchanged (B·A).
struct OperandOrder {
  double right = 0, exchanged = 0;
};

// A kernel's launch, and what the kernel needs of the GPU.
struct KernelLaunch : simt::Launch {
  std::string statement = {};  // shared_memory_tile<32, 32, 32><<<dim3(64, 64), …>>>(A, …)
  simt::KernelResources resources = {};
  simt::Occupancy occupancy = {};
  // Says that a search found a lesson's settings, or why that is ignored.
  std::string tuning = {};
};

// What is known of a wrong result.
struct WrongResult {
  std::optional<WriteMap> unwritten;                 // the elements of C that were not written
  std::optional<WrongKind> kind = std::nullopt;      // of this size or of a further one
  std::string right_options = {};                    // of run/launch_search.hpp
  std::optional<ComputedC> computed = std::nullopt;  // with RunOptions::further, also if right
};

// What is known of a run of any kernel. What the course adds is in course/lesson_run.hpp.
struct KernelRun {
  Problem problem;
  Update update;        // the verified result is alpha·A·B + beta·C
  std::string name;     // "shared_memory_tile<32, 32, 32>"
  KernelSource source;  // of a library or a function of the CPU, only the file's name
  // The lines of the source that a report shows: of a user's kernel it and functions with counts.
  std::vector<SourceLine> excerpt = {};
  // Backend::none for the library without a GPU: then nothing is verified.
  Backend backend = Backend::none;
  std::string device;  // the GPU's name, "emulator" with the limits of a GPU, or the CPU's name
  bool gpu_is_missing = false;  // the emulator ran it, and this machine has none; of single runs

  std::vector<KernelLaunch> earlier_launches = {};
  std::optional<KernelLaunch> launch;         // nothing if it is a function of the CPU or a library
  std::optional<KernelLaunch> second_launch;  // of the second pass, which adds partial tiles
  std::optional<simt::GpuSpec> gpu;  // the GPU that ran it, or whose limits the emulator used
  std::string compiler;              // "NVRTC 13.0"; empty if nothing was compiled
  std::vector<simt::CompilerWarning> warnings;

  Traffic traffic;
  std::optional<simt::Result> emulation;
  std::optional<Trace> trace;  // of the requested block, if it could run
  std::optional<RunTiming> timing;
  std::optional<RecordedTiming> recorded = {};  // for the same problem and settings
  std::optional<simt::Estimate> estimate;       // its time on `gpu`; nothing without machine code
  // If several GPUs were named, one for each, this run's first.
  std::vector<GpuEstimate> estimates = {};
  std::optional<OperandOrder> operand_order;  // for the library with square matrices
  Verification verification;
  WrongResult wrong;
  std::vector<FurtherSize> further = {};
  bool kept_from_gpu = false;  // it did not run on the GPU, because the emulator found errors
  std::string not_emulated;    // why the emulator could not run it; empty if it could

  bool can_run_here() const { return backend != Backend::none; }
  // The emulator's; none if it did not run.
  const std::vector<simt::Finding>& findings() const {
    static const std::vector<simt::Finding> none;
    return emulation ? emulation->findings : none;
  }
  bool is_stopped() const { return emulation && emulation->stopped; }  // by the emulator
};

// True if the result is right and there are no findings: exit status 0.
inline bool is_clean(const KernelRun& run) {
  return !run.can_run_here() || (run.verification.passed && run.findings().empty());
}

// The lines that the report shows a count beside.
std::vector<int> lines_with_accesses(const simt::Result& counted);

}  // namespace gemm_tutor
