// Estimates a kernel's time on a GPU, and what limits it, from the counts and the machine code. It
// needs no GPU and measures nothing. docs/measuring.md says how much estimates differ from measured
// times.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt {

// What may limit a kernel. The first eight are units of a GPU with a limited throughput per cycle.
enum class Limit {
  issue,      // the schedulers: one instruction each per cycle
  fp32,       // the FP32 units
  tensor,     // the tensor cores
  registers,  // register bank conflicts
  shared,     // wavefronts of shared memory
  l1,
  l2,
  dram,
  latency,  // cycles in which every warp waits
  launch    // the time that every kernel takes at least
};

inline constexpr std::size_t limit_count = 10;

std::string_view name_of(Limit limit);  // "issue": in JSON

// An estimate with one of the kernel's counts changed.
struct Change {
  enum class Kind {
    no_bank_conflicts,  // each request to shared memory needs the fewest wavefronts possible
    coalesced,          // each request to global memory touches the fewest lines possible
    twice_the_results,  // each thread computes twice as many results with half of one line's loads
    more_blocks,        // one more block per SM
    no_register_conflicts
  } kind;
  double median_ms = 0;  // the new estimate
  int line = 0;          // the line of the kernel's file with most of that count; 0 for none
};

struct Estimate {
  std::string gpu;  // "NVIDIA H200"
  double median_ms = 0;
  double low_ms = 0, high_ms = 0;  // nine of ten measured kernels were in such a range
  // Cycles of the SM with the most work. For a unit: the cycles in which it is busy, which the
  // kernel would need if nothing else limited it. For registers: the cycles that conflicts add. For
  // latency: the cycles that no unit and no conflict accounts for. So the busiest unit, registers,
  // latency and launch together are the kernel's time. For launch: the time outside of the SM.
  std::array<double, limit_count> cycles = {};
  double clock_ghz = 0;

  double warps_per_scheduler = 0;       // resident warps
  double instructions_per_barrier = 0;  // per warp; 0 without barriers
  double conflicting_ffma_share = 0;    // share of FFMAs with a conflict, 0 to 1
  double unknown_share = 0;             // share of instructions that are not known, 0 to 1
  std::vector<Change> changes;          // those at least 5 % faster, the fastest first
  std::vector<std::string> doubts;      // why it is not reliable: "atomics"; empty if it is

  bool is_reliable() const { return doubts.empty(); }
  double of(Limit limit) const { return cycles[static_cast<std::size_t>(limit)]; }
  Limit limited_by() const;  // that with the most cycles
  // Converts cycles to milliseconds at the GPU's clock.
  double milliseconds(double at_cycles) const { return at_cycles / (clock_ghz * 1e6); }
};

// Estimates a launch that was counted. It is run in part again, to see how its blocks share the
// caches; stores change the buffers. Returns nothing without machine code.
std::optional<Estimate> estimate_time(const Program& program, const Launch& launch,
                                      const std::vector<Buffer>& buffers,
                                      const std::vector<Argument>& arguments,
                                      const KernelResources& resources, const Result& counted,
                                      const GpuSpec& gpu);

}  // namespace gemm_tutor::simt
