#include "simt/estimate/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simt/machine/code.hpp"

namespace gemm_tutor::simt {
namespace {

using machine::Kind;

// "Analyzing Modern NVIDIA GPU cores", Huerta et al., MICRO 2025; a chain of loads that depend on
// each other took 34 cycles each on the H200, with the address.
constexpr std::uint8_t constant_latency = 29;

WarpFlow flow_of(machine::Role role) {
  switch (role) {
    case machine::Role::block_barrier:
      return WarpFlow::block_barrier;
    case machine::Role::group_end:
      return WarpFlow::group_end;
    case machine::Role::group_wait:
      return WarpFlow::group_wait;
    case machine::Role::phase_wait:
      return WarpFlow::phase_wait;
    default:
      return WarpFlow::next;
  }
}

MemoryRequest request_of(const machine::Instruction& instruction, double cost,
                         const MemoryTraffic& traffic) {
  MemoryRequest request;
  request.is_global = instruction.kind == Kind::global_load ||
                      instruction.kind == Kind::global_store || instruction.kind == Kind::copy;
  constexpr double bits_of_a_pass = 32;  // of each lane
  request.least_passes = std::max(1.0, instruction.bits / bits_of_a_pass);
  if (instruction.kind == Kind::local_load || instruction.kind == Kind::local_store) {
    request.wavefronts = request.least_passes;  // neighbouring lanes have neighbouring words
    return request;
  }
  if (!request.is_global) {
    if (cost > 0) request.wavefronts = cost;
    return request;
  }
  request.wavefronts = 1;
  if (instruction.role == machine::Role::bulk_copy) {
    request.is_bulk = true;
    request.sectors = request.sectors_of_l2 = cost;
    return request;
  }
  const auto found = traffic.find(instruction.ptx_line);
  if (found == traffic.end() || found->second.sectors == 0) return request;
  // No request if the predicate is false.
  const RequestTraffic& of = found->second;
  const double requests = cost > 0 ? cost / of.sectors : 1;
  request.lines = of.lines * requests;
  request.sectors = of.sectors * requests;
  request.wavefronts = of.wavefronts * requests;
  request.sectors_of_l2 = of.from_l2 * requests;
  request.sectors_of_dram = of.from_dram * requests;
  request.far = of.far;
  if (of.missing > 0) request.missing = of.missing;
  request.sharing_warps = static_cast<int>(std::lround(of.sharing_warps));
  request.is_store = instruction.kind == Kind::global_store;
  return request;
}

class Builder {
 public:
  Builder(const LaunchedCode& launched, double most_iterations)
      : code_(launched.code),
        counted_(launched.counted),
        traffic_(launched.traffic),
        reads_(machine::bank_reads(code_)) {
    std::size_t place = 0;
    for (const machine::Block& block : code_.blocks) {
      place_.push_back(place);
      if (block.is_reachable) place += block.end - block.begin;
    }
    choose_loops(most_iterations);
  }

  SmWork build() {
    SmWork work;
    for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
      if (!code_.blocks[b].is_reachable) continue;
      for (std::size_t i = code_.blocks[b].begin; i < code_.blocks[b].end; ++i) {
        work.operations.push_back(
            operation(counted_.machine[work.operations.size()], reads_[i], work));
        work.operations.back().is_in_loop = code_.blocks[b].loop >= 0;
      }
      from_.emplace_back(work.operations.size() - 1, static_cast<int>(b));
    }
    const auto exit = static_cast<std::uint32_t>(work.operations.size());
    work.operations.push_back({.flow = WarpFlow::exit});
    for (const auto& [operation, block] : from_) end_block(work, operation, block, exit);
    double copies = 0, waits = 0;
    for (const Operation& op : work.operations) {
      if (op.instruction == nullptr) continue;
      const auto executions = static_cast<double>(op.instruction->executions);
      if (op.is_asynchronous) copies += executions;
      if (op.flow == WarpFlow::phase_wait) waits += executions;
    }
    if (waits > 0) work.copies_per_wait = copies / waits;
    return work;
  }

 private:
  Operation operation(const MachineInstruction& counted, const machine::BankReads& reads,
                      SmWork& work) const {
    const machine::Instruction& instruction = code_.instruction_at(counted.address);
    Operation op;
    op.unit = instruction.is_never_executed() ? UnitKind::other : instruction.unit;
    op.instruction = &counted;
    op.flow = flow_of(instruction.role);
    if (instruction.role == machine::Role::constant_load) op.latency = constant_latency;
    op.stall = static_cast<std::uint8_t>(instruction.stall);
    op.write_barrier = static_cast<std::uint8_t>(instruction.write_barrier);
    op.read_barrier = static_cast<std::uint8_t>(instruction.read_barrier);
    op.wait_mask = static_cast<std::uint8_t>(instruction.wait_mask);
    op.bank_reads[0] = static_cast<std::uint8_t>(reads.even);
    op.bank_reads[1] = static_cast<std::uint8_t>(reads.odd);
    op.reads_without_reuse[0] =
        static_cast<std::uint8_t>(reads.even + reads.reused - reads.reused_odd);
    op.reads_without_reuse[1] = static_cast<std::uint8_t>(reads.odd + reads.reused_odd);
    if (op.unit == UnitKind::tensor) read_all(instruction, op);
    op.groups = instruction.pending;
    op.is_asynchronous = instruction.kind == Kind::copy;
    op.product = instruction.product;
    op.is_shallow = instruction.is_shallow;
    op.fmas = instruction.fmas;
    if (op.unit == UnitKind::memory) {
      op.request = static_cast<int>(work.requests.size());
      work.requests.push_back(request_of(instruction, counted.cost, traffic_));
    }
    return op;
  }

  // A product of matrices reads its registers through the same banks: ten for an m16n8k16 of FP16,
  // five from each bank, which leaves one cycle in six to other instructions on Hopper. What the
  // reuse cache has of them is not known.
  static void read_all(const machine::Instruction& product, Operation& op) {
    for (const auto& [first, count] : product.sources) {
      for (int each = first; each < first + count; ++each) ++op.bank_reads[each % 2];
    }
    std::ranges::copy(op.bank_reads, op.reads_without_reuse);
  }

  double way(int from, int to) const {
    const auto found = counted_.ways.find({from, to});
    return found == counted_.ways.end() ? 0 : found->second;
  }

  // Of the loops of one nest, the one with the most iterations makes fewer.
  void choose_loops(double most_iterations) {
    const std::size_t loops = code_.loops.size();
    iterations_.assign(loops, 0);
    shortened_.assign(loops, 1);
    for (std::size_t l = 0; l < loops; ++l) {
      const machine::Loop& loop = code_.loops[l];
      double entries = 0;
      for (const int b : code_.flow.before[loop.header]) {
        if (!std::ranges::binary_search(loop.blocks, b)) entries += way(b, loop.header);
      }
      if (entries > 0) iterations_[l] = executions_of(loop.header) / entries;
    }
    std::vector<bool> is_decided(loops);
    double share = 1;
    for (;;) {
      int longest = -1;
      for (std::size_t l = 0; l < loops; ++l) {
        if (is_decided[l]) continue;
        if (longest < 0 || iterations_[l] > iterations_[longest]) longest = static_cast<int>(l);
      }
      if (longest < 0) return;
      share = std::min(share, most_iterations / iterations_[longest]);  // of the first, the longest
      shortened_[longest] = std::max(share, std::min(1.0, 2 / iterations_[longest]));
      for (std::size_t l = 0; l < loops; ++l) {
        if (is_within(static_cast<int>(l), longest) || is_within(longest, static_cast<int>(l))) {
          is_decided[l] = true;
        }
      }
    }
  }
  bool is_within(int loop, int outer) const {
    while (loop >= 0 && loop != outer) loop = code_.loops[loop].outer;
    return loop == outer;
  }

  double executions_of(int block) const {
    return static_cast<double>(counted_.machine[place_[block]].executions);
  }

  // The share of the block's executions after which that block follows, where loops make fewer
  // iterations: they are left more often.
  double share_of_way(int block, int next) const {
    const double executions = executions_of(block);
    if (executions <= 0) return 0;
    double share = way(block, next) / executions;
    for (int l = code_.blocks[block].loop; l >= 0; l = code_.loops[l].outer) {
      const bool leaves =
          next == code_.flow.exit() || !std::ranges::binary_search(code_.loops[l].blocks, next);
      if (leaves) share /= shortened_[l];
    }
    return std::min(share, 1.0);
  }

  std::uint32_t place_of(int block, std::uint32_t exit) const {
    return block == code_.flow.exit() ? exit : static_cast<std::uint32_t>(place_[block]);
  }

  void end_block(SmWork& work, std::size_t operation, int block, std::uint32_t exit) const {
    Operation& op = work.operations[operation];
    const std::vector<int>& next = code_.flow.next[block];
    if (next.empty() || (next.size() == 1 && next[0] == code_.flow.exit())) {
      op.flow = WarpFlow::exit;
      return;
    }
    const auto after = static_cast<std::uint32_t>(operation + 1);
    if (next.size() == 1) {
      const std::uint32_t target = place_of(next[0], exit);
      if (target == after) return;
      op.flow = WarpFlow::branch;
      op.target = target;
      op.rarer = 0;  // the other way is never taken
      op.rarer_is_taken = false;
      return;
    }
    // It jumps to the first of them. The other one follows in the code.
    const int taken = place_of(next[0], exit) == after ? 1 : 0;
    op.flow = WarpFlow::branch;
    op.target = place_of(next[taken], exit);
    op.branch = work.branches++;
    const double share_taken = share_of_way(block, next[taken]);
    const double share_left = share_of_way(block, next[1 - taken]);
    // Shortened loops change the share of the way that leaves the loop.
    const bool taken_leaves = share_left + share_taken > 1 + 1e-9
                                  ? way(block, next[taken]) < way(block, next[1 - taken])
                                  : share_taken <= 0.5;
    op.rarer_is_taken = taken_leaves;
    op.rarer = taken_leaves ? share_taken : share_left;
    if (op.rarer < 1e-4 && code_.blocks[block].loop < 0) op.rarer = 0;
    if (code_.blocks[block].loop >= 0 || op.rarer == 0) return;
    op.by_block = std::ranges::find(next, code_.flow.exit()) != next.end();
    op.by_warp = !op.by_block;
  }

  const machine::Code& code_;
  const Result& counted_;
  const MemoryTraffic& traffic_;
  std::vector<machine::BankReads> reads_;
  std::vector<double> iterations_, shortened_;     // of each loop
  std::vector<std::size_t> place_;                 // where each block's operations begin
  std::vector<std::pair<std::size_t, int>> from_;  // last operation of each block
};

}  // namespace

SmWork work_of(const LaunchedCode& launched, double most_iterations) {
  return Builder(launched, most_iterations).build();
}

}  // namespace gemm_tutor::simt
