// How long a kernel takes on a GPU, and what it waits for there, from what was counted and from the
// kernel's machine code. No GPU is needed. Nothing here is measured: docs/measuring.md says how far
// from measured times the estimates are.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

// What may limit a kernel. The first seven are units of a GPU that can do so much per cycle.
enum class Limit {
  issue,      // the schedulers: one instruction each per cycle
  fp32,       // the FP32 units
  registers,  // operands of one instruction that are in one register bank
  shared,     // wavefronts of shared memory
  l1,
  l2,
  dram,
  latency,  // cycles in which every warp waits
  launch    // the time that any kernel takes, however little it does
};

inline constexpr std::size_t limit_count = 9;

// As in the JSON: "issue".
std::string_view name_of(Limit limit);

// One count of the kernel, changed.
struct Change {
  enum class Kind {
    no_bank_conflicts,  // each request to shared memory takes as few wavefronts as it can
    coalesced,          // each request to global memory touches as few lines as it can
    twice_the_results,  // each thread computes twice as many, so half the loads of one line do
    more_blocks,        // one more block per SM
    no_register_conflicts
  } kind;
  double median_ms = 0;  // what the estimate becomes
  int line = 0;          // of the kernel's file: that which has most of that count; 0 for none
};

struct Estimate {
  std::string gpu;  // "NVIDIA H200"
  double median_ms = 0;
  double low_ms = 0, high_ms = 0;  // nine of ten measured kernels were within such a range
  Limit limited_by = Limit::issue;
  // Cycles of the SM that has most to do. Of a unit: how long it is busy, and so how long the
  // kernel would take if nothing else limited it. Of registers: what conflicts add. Of latency: the
  // cycles of the whole that no unit accounts for. Of launch: what is not the SM's.
  std::array<double, limit_count> cycles = {};
  double clock_ghz = 0;

  double warps_per_scheduler = 0;       // resident at a time
  double instructions_per_barrier = 0;  // of a warp; 0 without barriers
  double conflicting_ffma_share = 0;    // of all FFMAs, 0 to 1
  std::vector<Change> changes;          // by at least 5 % faster, the fastest first
  std::vector<std::string> doubts;      // why the digits mean nothing: "atomics"; none: they do

  bool is_reliable() const { return doubts.empty(); }
  double of(Limit limit) const { return cycles[static_cast<std::size_t>(limit)]; }
  // In milliseconds, at the GPU's clock.
  double milliseconds(double at_cycles) const { return at_cycles / (clock_ghz * 1e6); }
};

}  // namespace gemm_tutor
