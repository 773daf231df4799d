// Estimates a kernel's time on a GPU from its counts and machine code.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/estimate.hpp"
#include "simt/estimate/simulation.hpp"
#include "simt/exec/program.hpp"
#include "simt/gpu_spec.hpp"
#include "simt/machine/code.hpp"

namespace gemm_tutor::simt {

// Which of a kernel's requests to global memory hit the caches, from the addresses of blocks that
// run at the same time.

// The average per request of one line of the PTX text.
struct RequestTraffic {
  double lines = 0;       // of 128 bytes
  double sectors = 0;     // of 32 bytes
  double wavefronts = 0;  // of the L1 cache, which uses the banks of shared memory
  double from_l2 = 0;     // sectors that are not in the L1 cache
  double from_dram = 0;   // sectors that are not in the L2 cache either
  // The share of the other ones that may be in the L2 cache's farther partition.
  double far = 0;
  // The share of iterations in which a sector is not in the L1 cache, and the number of the block's
  // warps that request such a sector in the same iteration.
  double missing = 0, sharing_warps = 1;
};

using MemoryTraffic = std::map<int, RequestTraffic>;  // by PTX line

// Orders one block's requests as if its warps took turns, each with its next request.
std::vector<Access> interleaved(std::vector<Access> requests);

// Computes the traffic of blocks that share an SM with `l1_bytes` of L1 cache. `dram_share`, by PTX
// line, is the share of missing sectors that come from DRAM.
MemoryTraffic traffic_of(const std::vector<std::vector<Access>>& blocks, std::int64_t l1_bytes,
                         const std::map<int, double>& dram_share);

// Computes the traffic of a launch's waves of blocks. `resident` blocks share an SM. If all buffers
// together fit into the L2 cache (into half of it, if it has two partitions), they are in it,
// because a kernel is timed many times in a row. Otherwise the L2 cache has what the wave before
// has loaded too, if that fits.
MemoryTraffic observe_traffic(const DecodedProgram& program, const Launch& launch,
                              const std::vector<Buffer>& buffers,
                              const std::vector<Argument>& arguments, const GpuSpec& gpu,
                              int resident, std::int64_t shared_bytes);

// --- An SM's work for a kernel: the machine code and the counted paths of warps through it

// The machine code, the counts of its launch, and the number of blocks per SM.
struct LaunchedCode {
  const machine::Code& code;
  const Result& counted;
  MemoryTraffic traffic;
  Launch launch;
  int resident = 1;
  int registers = 0;              // per thread
  bool has_loop_by_data = false;  // simt::DecodedProgram::has_loop_by_data
};

// Returns a warp's operations with fewer iterations of long loops: the longest loop has
// `most_iterations`, the others are scaled in proportion, but have at least two. The caller sets
// the numbers of warps and blocks.
SmWork work_of(const LaunchedCode& launched, double most_iterations);

// Simulates one SM with a wave of blocks, some more blocks, and some iterations of their loops, and
// extrapolates the rest.
Estimate estimate_time(const LaunchedCode& launched, const GpuSpec& gpu);

}  // namespace gemm_tutor::simt
