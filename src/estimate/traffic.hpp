// Which of a kernel's requests to global memory the caches answer, from the addresses that blocks
// ask for which run at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/emulator.hpp"
#include "model/gpu_spec.hpp"

namespace gemm_tutor {

// Of one line of the PTX text, per request on average.
struct RequestTraffic {
  double lines = 0;       // of 128 bytes
  double sectors = 0;     // of 32 bytes
  double wavefronts = 0;  // the L1 cache has the banks of shared memory
  double from_l2 = 0;     // sectors that the L1 cache does not have
  double from_dram = 0;   // sectors that the L2 cache does not have either
  // Warps of a block make this request at the same iteration. In which share of the iterations some
  // sector is not in the L1 cache, and how many warps ask for such a sector.
  double missing = 0, sharing_warps = 1;
};

using MemoryTraffic = std::map<int, RequestTraffic>;  // by PTX line

// Requests of one block, in the order in which its warps take turns: each makes its next one.
std::vector<emulator::Access> interleaved(std::vector<emulator::Access> requests);

// What the requests of blocks that share an SM cost, whose L1 cache has that many bytes. `share` of
// the sectors that it does not have come from DRAM, by PTX line.
MemoryTraffic traffic_of(const std::vector<std::vector<emulator::Access>>& blocks,
                         std::int64_t l1_bytes, const std::map<int, double>& dram_share);

// How the launch's first wave of blocks accesses memory. `resident` blocks share an SM. Buffers
// that fit into the L2 cache together are there: a kernel is timed many times in a row.
MemoryTraffic observe_traffic(const emulator::Program& program, const Launch& launch,
                              const std::vector<emulator::Buffer>& buffers,
                              const std::vector<emulator::Argument>& arguments, const GpuSpec& gpu,
                              int resident, std::int64_t shared_bytes);

}  // namespace gemm_tutor
