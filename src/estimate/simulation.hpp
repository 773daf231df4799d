// One SM of a GPU, cycle by cycle: its schedulers issue the machine instructions of the resident
// warps. Values are not computed. An instruction waits as its machine code says (stall count,
// barriers), for its unit, for its operands' register banks and for memory.
//
// Sources: the scheduling fields as in machine/instruction.hpp; the schedulers prefer the warp that
// issued last, then the youngest ("Analyzing Modern NVIDIA GPU cores", Huerta et al., MICRO 2025);
// the register banks as in machine/register_banks.hpp. A bank delivers one register per cycle, and
// an instruction issues when its banks have delivered all earlier ones. The L1 cache answers loads
// from global memory in their order: this and the instruction cache are inferred from measured
// times (docs/measuring.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gemm_tutor {

// In cycles of the SM's clock; bytes per cycle. Of one SM.
struct SmTimes {
  int schedulers = 4;
  // Between two warp instructions of one scheduler on that unit.
  double fp32_interval = 1, integer_interval = 2, special_interval = 8, fp64_interval = 2;
  double shared_latency = 23, l1_latency = 33, l2_latency = 260, dram_latency = 560;
  double memory_interval = 2;           // between two memory instructions of one scheduler
  int memory_queue = 4;                 // memory instructions of a scheduler that wait for the pipe
  double l1_lines = 1, l1_sectors = 4;  // per cycle
  double l2_sectors = 1.5;              // per cycle
  double dram_sectors = 0.57;           // per cycle: this SM's share
  // A barrier takes each warp's arrival one after the other, and is over so long after the last.
  double barrier_arrival = 2, barrier = 12, block_start = 500;
  double branch = 4;  // more, where one is taken; assumed
  // Of a scheduler: the instructions that were fetched last, and the time between two others.
  double instruction_cache_bytes = 32'768, fetch_interval = 2.2;
  double copy = 23;  // longer than a load, until a wait for the copy's group is over
  double bulk_copy_interval = 29;
};

enum class UnitKind : std::uint8_t { fp32, multiply, integer, special, fp64, memory, other };

// What a memory instruction asks for, on average per execution.
struct MemoryRequest {
  bool is_global = false, is_store = false;
  bool is_bulk = false;           // a bulk copy: a unit of the SM carries it out
  double wavefronts = 1;          // of the banks that shared memory and the L1 cache have
  double lines = 0, sectors = 0;  // of global memory, of 128 and 32 bytes
  double sectors_of_l2 = 0;       // that the L1 cache does not have
  double sectors_of_dram = 0;     // that the L2 cache does not have either
  // `missing`: the share of the iterations in which some sector is not in the L1 cache.
  // `sharing_warps`: neighbouring warps that ask for the same sectors. The first fetches them, and
  // all of them wait.
  double missing = 1;
  int sharing_warps = 1;
  double least_passes = 1;  // that as many bytes take at best
};

// Cycles that the SM's memory pipe takes for it.
double passes(const MemoryRequest& request, const SmTimes& times);

enum class WarpFlow : std::uint8_t {
  next,
  branch,
  exit,
  block_barrier,
  group_end,
  group_wait,
  mbarrier_wait
};

struct Operation {
  UnitKind unit = UnitKind::other;
  WarpFlow flow = WarpFlow::next;
  std::uint8_t stall = 1;
  std::uint8_t write_barrier = 7, read_barrier = 7, wait_mask = 0;
  std::uint8_t bank_reads[2] = {0, 0};
  // The same after another warp's instruction: the reuse cache is one warp's.
  std::uint8_t reads_without_reuse[2] = {0, 0};
  std::uint8_t latency = 18;     // until its write barrier, where it asks no memory
  bool is_asynchronous = false;  // a copy that a group waits for
  bool is_in_loop = false;
  int request = -1;      // of SmWork::requests
  int instruction = -1;  // of the machine code; -1 for none
  // Of a branch: the operation it jumps to, how often it does, and by what a warp decides.
  std::uint32_t target = 0;
  double rarer = 0;  // share of the executions that go the rarer way
  bool rarer_is_taken = false;
  // Not iterations decide: some warps take it, others do not; or some blocks.
  bool by_warp = false, by_block = false;
  int branch = -1;  // its number
  int groups = 0;   // of group_wait: that may be pending
};

struct SmWork {
  std::vector<Operation> operations;
  std::vector<MemoryRequest> requests;
  int branches = 0;
  // Asynchronous copies of a block for each time that a warp waits for an mbarrier, over the warps.
  double copies_per_wait = 0;
  int warps = 1;     // of a block
  int resident = 1;  // blocks at a time
  int blocks = 1;    // in all
};

// The work without these of its operations, none of which is a branch.
SmWork without(const SmWork& work, const std::vector<std::size_t>& operations);

struct Simulated {
  double cycles = 0;
  std::uint64_t issued = 0;
  enum class End {
    complete,  // all warps came to their ends
    too_long,  // after some millions of instructions they had not
    stuck      // warps wait for each other
  } end = End::complete;
};

Simulated simulate(const SmWork& work, const SmTimes& times);

}  // namespace gemm_tutor
