// Simulates one SM of a GPU cycle by cycle. Its schedulers issue the machine instructions of the
// resident warps. Values are not computed. An instruction waits for its stall count and barriers
// (from the machine code), its unit, its operands' register banks, and memory.
//
// Sources: simt/machine/instruction.hpp for the scheduling fields; "Analyzing Modern NVIDIA GPU
// cores", Huerta et al., MICRO 2025, for the schedulers, which prefer the warp that issued last,
// then the youngest; simt/machine/code.hpp for the register banks. A bank delivers one register per
// cycle. An instruction issues when its banks have delivered all earlier registers. The L1 cache
// answers loads from global memory in order. This and the instruction cache are inferred from
// measured times (docs/measuring.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/machine/instruction.hpp"

namespace gemm_tutor::simt {

// The rates and latencies of one SM, in cycles of its clock and bytes per cycle.
struct SmTimes {
  int schedulers = 4;
  // Cycles between two warp instructions of one scheduler on that unit.
  double fp32_interval = 1, integer_interval = 2, special_interval = 8, fp64_interval = 2;
  // FMAs per cycle of a scheduler's tensor core, by Product; those of half the depth.
  std::array<double, machine::products> mma_fmas = {}, shallow_mma_fmas = {};
  double shared_latency = 23, l1_latency = 33, l2_latency = 260, l2_far_latency = 260;
  double l2_line = 0;  // from one line of a load that L2 answers to the next
  double dram_latency = 560;
  double memory_interval = 2;           // between two memory instructions of one scheduler
  int memory_queue = 4;                 // memory instructions of a scheduler that may wait
  double pipe_interval = 1;             // between two memory instructions of the SM
  double l1_lines = 1, l1_sectors = 4;  // per cycle
  double l2_sectors = 1.5;              // per cycle
  double dram_sectors = 0.57;           // per cycle: this SM's share
  // A barrier handles the warps' arrivals one by one. `barrier` is the time after the last one.
  double barrier_arrival = 2, barrier = 12, block_start = 500;
  double branch = 4;  // additional cycles of a taken branch; assumed
  // Per scheduler: the size of the instruction cache, and the time between two instructions that
  // are not in it.
  double instruction_cache_bytes = 32'768, fetch_interval = 2.2;
  double copy = 23;  // an asynchronous copy takes this much longer than a load
  double bulk_copy_interval = 29;
};

using UnitKind = machine::Unit;

// A memory instruction's average request per execution.
struct MemoryRequest {
  bool is_global = false, is_store = false;
  bool is_bulk = false;           // a bulk copy, which the TMA unit of the SM executes
  double wavefronts = 1;          // of the banks of shared memory and L1 cache
  double lines = 0, sectors = 0;  // of global memory, of 128 and 32 bytes
  double sectors_of_l2 = 0;       // that are not in the L1 cache
  double sectors_of_dram = 0;     // that are not in the L2 cache either
  double far = 0;                 // share of the others that are in its farther partition
  // `missing` is the share of iterations in which a sector is not in the L1 cache. `sharing_warps`
  // is the number of neighbouring warps that access the same sectors. The first warp fetches them,
  // and all wait.
  double missing = 1;
  int sharing_warps = 1;
  double least_passes = 1;  // the fewest passes for that many bytes
};

// Returns the cycles that the SM's memory pipe needs for the request.
double passes(const MemoryRequest& request, const SmTimes& times);

enum class WarpFlow : std::uint8_t {
  next,
  branch,
  exit,
  block_barrier,
  group_end,
  group_wait,
  phase_wait
};

struct Operation {
  UnitKind unit = UnitKind::other;
  WarpFlow flow = WarpFlow::next;
  std::uint8_t stall = 1;
  std::uint8_t write_barrier = 7, read_barrier = 7, wait_mask = 0;
  std::uint8_t bank_reads[2] = {0, 0};
  // The same after another warp's instruction, because the reuse cache holds one warp's operands.
  std::uint8_t reads_without_reuse[2] = {0, 0};
  std::uint8_t latency = 18;  // until its write barrier, if it does not access memory
  // Of a tensor instruction.
  Product product = Product::none;
  bool is_shallow = false;
  int fmas = 0;
  bool is_asynchronous = false;  // a copy that a group waits for
  bool is_in_loop = false;
  int request = -1;                                 // index in SmWork::requests; -1 for none
  const MachineInstruction* instruction = nullptr;  // null for the exit
  // For a branch: its target, how often it is taken, and what decides it.
  std::uint32_t target = 0;
  double rarer = 0;  // share of the executions in the rarer direction
  bool rarer_is_taken = false;
  // The warp or the block decides, not the iteration.
  bool by_warp = false, by_block = false;
  int branch = -1;  // its number
  int groups = 0;   // for group_wait: the number of groups that may be in flight
};

// Returns the cycles in which a tensor core is busy with the operation; 0 if its rate is not known.
double tensor_cycles(const Operation& operation, const SmTimes& times);

struct SmWork {
  std::vector<Operation> operations;
  std::vector<MemoryRequest> requests;
  int branches = 0;
  // A block's asynchronous copies per wait of a warp for a phase, divided by the warps.
  double copies_per_wait = 0;
  int warps = 1;     // per block
  int resident = 1;  // blocks at the same time
  int blocks = 1;    // all blocks
};

// Returns the work without some operations. None of them may be a branch.
SmWork without(const SmWork& work, const std::vector<std::size_t>& operations);

struct Simulated {
  double cycles = 0;
  std::uint64_t issued = 0;
  enum class End {
    complete,  // all warps have reached their end
    too_long,  // they had not after some millions of instructions
    stuck      // warps wait for each other
  } end = End::complete;
};

Simulated simulate(const SmWork& work, const SmTimes& times);

}  // namespace gemm_tutor::simt
