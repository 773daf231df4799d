// Synchronisation of a block's threads by other means than a barrier of all threads. These are
// handlers like those of the interpreter.
#include <algorithm>
#include <cstring>
#include <utility>

#include "simt/exec/places.hpp"
#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {
namespace {

// The kind of a named barrier, from i.setting.
enum class Barrier : std::uint32_t { sync, arrive, count, all, any };

void stop_at_barrier(Warp& warp, const Instruction& instruction, Fault fault, std::uint32_t number,
                     std::uint32_t expected, std::uint32_t others) {
  warp.worker->machine->add_finding(fault, instruction, [&](FoundFault& finding) {
    finding.thread = thread_of(warp, __builtin_ctz(warp.active));
    finding.barrier = number;
    finding.expected = expected;
    finding.arrived = others;
  });
  warp.status = Status::stopped;
}

// The result of __syncthreads_count(), _and() and _or().
void write_reduction(Warp& warp, const Instruction& instruction, const NamedBarrier& barrier) {
  const auto kind = static_cast<Barrier>(instruction.setting);
  std::uint32_t* destination = warp.registers + (instruction.operands[0].bits >> 1);
  if (kind == Barrier::count) {
    for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
      destination[__builtin_ctz(rest)] = barrier.holds;
    }
  } else if (kind == Barrier::all || kind == Barrier::any) {
    const bool holds = kind == Barrier::all ? barrier.holds == barrier.votes : barrier.holds > 0;
    *destination = (*destination & ~warp.active) | (holds ? warp.active : 0);
  }
}

// All lanes that run give the same value.
bool is_uniform(const Warp& warp, Operand operand) {
  const std::uint32_t* values = words(warp, operand);
  const std::uint32_t first = values[__builtin_ctz(warp.active)];
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    if (values[__builtin_ctz(rest)] != first) return false;
  }
  return true;
}

// Visits the distinct addresses of the active lanes, each with the lanes that have it.
template <typename Visit>
void for_each_address(const Warp& warp, const std::uint64_t* addresses, Visit visit) {
  for (std::uint32_t rest = warp.active; rest != 0;) {
    const std::uint64_t address = addresses[__builtin_ctz(rest)];
    std::uint32_t alike = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      alike |= static_cast<std::uint32_t>((rest >> lane & 1) && addresses[lane] == address) << lane;
    }
    visit(address, alike);
    rest &= ~alike;
  }
}

bool is_global(std::uint64_t address) { return (address & window_mask) == 0; }

}  // namespace

ThreadOrder& BlockMachine::order() {
  if (!order_) order_.emplace(warp_count());
  return *order_;
}

void BlockMachine::release(Warp& warp, std::uint32_t active, KnownClocks& place) {
  const std::uint32_t now = worker_.shadow.clock;
  order().release(warp.number, active, warp.sync_clock, now, place);
  advance_clock(worker_);
}

void BlockMachine::acquire(Warp& warp, std::uint32_t active, const KnownClocks& place) {
  if (place.empty()) return;
  order().acquire(warp.number, active, place);
  warp.known = order().known_by_all(warp.number, warp.live);
}

void BlockMachine::release_at(Warp& warp, std::uint32_t active, std::uint64_t address) {
  release(warp, active, known_at_[address]);
}

void BlockMachine::acquire_at(Warp& warp, std::uint32_t active, std::uint64_t address) {
  const auto released = known_at_.find(address);
  if (released != known_at_.end()) acquire(warp, active, released->second);
}

void BlockMachine::arrive(Warp& warp, NamedBarrier& barrier) {
  barrier.arrived += lanes;
  barrier.came[warp.number] = worker_.shadow.clock;
  if (context_.check) release(warp, warp.active, barrier.known);
  if (barrier.arrived >= barrier.expected) complete(barrier);
}

// Releases this block's accesses until now, and the order that it knows, at the address.
void BlockMachine::release_block(std::uint64_t address) const {
  const std::lock_guard lock(context_.block_order->mutex);
  KnownBlocks& known = context_.block_order->known_at[address];
  for (const auto& [block, clock] : known_blocks_) known[block] = std::max(known[block], clock);
  known[block_mark()] = worker_.shadow.clock;
}

void BlockMachine::acquire_block(std::uint64_t address) {
  const std::lock_guard lock(context_.block_order->mutex);
  const auto released = context_.block_order->known_at.find(address);
  if (released == context_.block_order->known_at.end()) return;
  for (const auto& [block, clock] : released->second) {
    known_blocks_[block] = std::max(known_blocks_[block], clock);
  }
}

bool BlockMachine::is_free(const Warp& warp, std::uint32_t barrier) const {
  const std::map<std::uint32_t, std::uint32_t>& last = last_at_barrier_[barrier];
  if (!context_.check || last.contains(warp.number)) return true;
  const std::uint32_t thread =
      warp.number * lanes + static_cast<std::uint32_t>(__builtin_ctz(warp.active));
  return std::ranges::all_of(last, [&](const auto& other) {
    const auto& [number, clock] = other;
    return clock < worker_.shadow.barrier_clock ||
           (order_ && order_->knows(thread, number * lanes, clock));
  });
}

// Lets the waiting warps continue.
void BlockMachine::complete(NamedBarrier& barrier) {
  const auto waiting = static_cast<std::uint32_t>(__builtin_popcount(barrier.waiting));
  if (waiting == warp_count()) order_whole_block();
  for (std::uint32_t rest = barrier.waiting; rest != 0; rest &= rest - 1) {
    Warp& warp = warps_[static_cast<std::size_t>(__builtin_ctz(rest))];
    const Instruction& here = warp.code[warp.next - 1];
    warp.status = Status::running;
    if (context_.check) acquire(warp, warp.active, barrier.known);
    write_reduction(warp, here, barrier);
  }
  last_at_barrier_[static_cast<std::size_t>(&barrier - named_barriers_.data())] =
      std::move(barrier.came);
  barrier = {};
}

void BlockMachine::report_deadlock() {
  for (const Warp& warp : warps_) {
    if (warp.status != Status::at_named_barrier) continue;
    const NamedBarrier& barrier = named_barriers_[warp.barrier];
    add_finding(Fault::incomplete_barrier, warp.code[warp.next - 1], [&](FoundFault& finding) {
      finding.barrier = warp.barrier;
      finding.expected = barrier.expected;
      finding.arrived = barrier.arrived;
    });
    return stop();
  }
}

// Completes a barrier of the whole block that waits only for warps that have ended. True if it did.
bool BlockMachine::complete_without_returned() {
  std::uint32_t returned = 0;
  for (const Warp& warp : warps_) returned += warp.status == Status::done ? lanes : 0;
  for (NamedBarrier& barrier : named_barriers_) {
    if (barrier.waiting == 0 || !barrier.is_whole) continue;
    if (barrier.arrived + returned < barrier.expected) continue;
    if (context_.check) check_barrier(barrier.waiting);
    complete(barrier);
    return true;
  }
  return false;
}

// Operands are the result, the number, the count of threads (0 for all), the predicate, and the
// mask of lanes whose predicate is negated.
void named_barrier(Warp& warp, const Instruction& instruction) {
  ++warp.worker->blocks[instruction.index].executions;
  if (warp.active != warp.live) {
    report_fault(warp, instruction, Fault::divergent_barrier,
                 __builtin_ctz(warp.live & ~warp.active), 0, 0, ptx::Space::shared);
    warp.status = Status::stopped;
    return;
  }
  BlockMachine& machine = *warp.worker->machine;
  const auto kind = static_cast<Barrier>(instruction.setting);
  const int first = __builtin_ctz(warp.active);
  const std::uint32_t number = words(warp, instruction.operands[1])[first];
  const std::uint32_t count = words(warp, instruction.operands[2])[first];
  const std::uint32_t most = machine.warp_count() * lanes;
  const bool can_be = number < named_barriers && count % lanes == 0 && count <= most &&
                      is_uniform(warp, instruction.operands[1]) &&
                      is_uniform(warp, instruction.operands[2]);
  if (!can_be) return stop_at_barrier(warp, instruction, Fault::bad_barrier, number, count, 0);

  NamedBarrier& barrier = machine.named_barrier(number);
  const std::uint32_t expected = count == 0 ? most : count;
  if (barrier.expected != 0 && barrier.expected != expected) {
    return stop_at_barrier(warp, instruction, Fault::barrier_counts, number, expected,
                           barrier.expected);
  }
  if (expected > lanes && !machine.is_free(warp, number)) {
    machine.add_finding(Fault::shared_barrier, instruction, [&](FoundFault& finding) {
      finding.thread = thread_of(warp, first);
      finding.barrier = number;
      finding.expected = expected;
    });
  }
  if (kind != Barrier::sync && kind != Barrier::arrive) {
    const std::uint32_t predicate =
        *words(warp, instruction.operands[3]) ^ *words(warp, instruction.operands[4]);
    const std::uint32_t holds = predicate & warp.active;
    barrier.holds += static_cast<std::uint32_t>(__builtin_popcount(holds));
    barrier.votes += static_cast<std::uint32_t>(__builtin_popcount(warp.active));
  }
  if (kind != Barrier::arrive) {
    warp.status = Status::at_named_barrier;
    warp.barrier = number;
    barrier.waiting |= 1u << warp.number;
  }
  barrier.expected = expected;
  barrier.is_whole = count == 0;
  machine.arrive(warp, barrier);
}

// Groups the lanes by their masks. If some lanes reached the barrier on another path, all of them
// have the same mask.
void synchronise_lanes(Warp& warp, const Instruction& instruction, std::uint32_t there) {
  const std::uint32_t* masks = words(warp, instruction.operands[0]);
  std::uint64_t by_lane[lanes] = {};
  std::copy_n(masks, lanes, by_lane);
  BlockMachine& machine = *warp.worker->machine;
  const auto synchronise = [&](std::uint64_t, std::uint32_t alike) {
    machine.order().synchronise(warp.number, alike, warp.worker->shadow.clock);
    advance_clock(*warp.worker);
  };
  if (there == warp.active) {
    for_each_address(warp, by_lane, synchronise);
  } else {
    synchronise(0, there);
  }
  warp.known = machine.order().known_by_all(warp.number, warp.live);
}

bool BlockMachine::has_released() const {
  if (!known_at_.empty()) return true;
  const std::lock_guard lock(context_.block_order->mutex);
  return !context_.block_order->known_at.empty();
}

// Operand 0 is the address, in the space that the instruction's setting says. The access may
// overwrite it, so it is kept for release_by_memory() and acquire_by_memory().
void keep_addresses(Warp& warp, const Instruction& instruction) {
  if (warp.worker->shadow.writer == nullptr) return;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const Operand base = instruction.operands[0];
    const std::uint64_t address = instruction.wide_address
                                      ? long_at(warp, base, static_cast<int>(lane))
                                      : words(warp, base)[lane];
    warp.ordering[lane] = address + static_cast<std::uint64_t>(instruction.offset);
    if (static_cast<ptx::Space>(instruction.setting) == ptx::Space::shared) {
      warp.ordering[lane] = shared_window | static_cast<std::uint32_t>(warp.ordering[lane]);
    }
  }
}

// Of a store or an atomic operation.
void release_by_memory(Warp& warp, const Instruction& instruction) {
  keep_addresses(warp, instruction);
  if (warp.worker->shadow.writer == nullptr) return;
  BlockMachine& machine = *warp.worker->machine;
  // Of the lanes of an atomic operation each comes after another.
  for_each_address(warp, warp.ordering, [&](std::uint64_t address, std::uint32_t alike) {
    if (is_global(address)) machine.release_block(address);
    machine.release_at(warp, alike, address);
  });
}

void acquire_by_memory(Warp& warp, const Instruction&) {
  BlockMachine& machine = *warp.worker->machine;
  if (warp.worker->shadow.writer == nullptr || !machine.has_released()) return;
  for_each_address(warp, warp.ordering, [&](std::uint64_t address, std::uint32_t alike) {
    if (is_global(address)) machine.acquire_block(address);
    machine.acquire_at(warp, alike, address);
  });
}

// Lanes of a warp that reach a .sync instruction on different paths wait for each other. The first
// ones let others run, until all lanes of the mask have arrived.
namespace {

// Returns the entry of the SIMT stack that can run now and has some of the lanes; -1 for none.
// Lanes that are also in an entry above are not there yet.
int runnable_entry(const Warp& warp, std::uint32_t wanted) {
  std::uint32_t elsewhere = warp.active;
  for (int e = warp.depth - 1; e >= 0; --e) {
    const std::uint32_t lanes_of_entry = warp.stack[e].lanes & warp.live;
    if ((lanes_of_entry & wanted) != 0 && (lanes_of_entry & elsewhere) == 0) return e;
    elsewhere |= lanes_of_entry;
  }
  return -1;
}

bool begins_exit(const Warp& warp, std::uint32_t place) {
  const Instruction& instruction = warp.code[place];
  const bool begins_block = instruction.run.full == warp.code[0].run.full;
  return begins_block && instruction.setting != 0;
}

// Lets the active lanes wait at this instruction, and runs those of the entry.
void let_run(Warp& warp, int entry) {
  const StackEntry next = warp.stack[entry];
  std::copy(warp.stack + entry + 1, warp.stack + warp.depth, warp.stack + entry);
  warp.stack[warp.depth - 1] = {warp.active, warp.next - 1, warp.reconvergence, warp.frame};
  warp.active = next.lanes & warp.live;
  warp.next = next.instruction;
  warp.reconvergence = next.reconvergence;
}

void report_missing(Warp& warp, const Instruction& instruction, const std::uint32_t* masks,
                    std::uint32_t elsewhere) {
  if (warp.worker->shadow.writer == nullptr) return;  // nothing is checked
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint32_t missing = masks[lane] & elsewhere;
    if (missing == 0) continue;
    report_fault(warp, instruction, Fault::missing_lane, lane, missing, 0, ptx::Space::generic);
  }
}

}  // namespace

std::uint32_t about_to_exit(const Warp& warp) {
  std::uint32_t result = 0, elsewhere = warp.active;
  for (int e = warp.depth - 1; e >= 0; --e) {
    const std::uint32_t lanes_of_entry = warp.stack[e].lanes & warp.live;
    if (begins_exit(warp, warp.stack[e].instruction)) result |= lanes_of_entry & ~elsewhere;
    elsewhere |= lanes_of_entry;
  }
  return result;
}

bool meet(Warp& warp, const Instruction& instruction, const std::uint32_t* masks,
          std::uint64_t* values, std::uint32_t& there) {
  const std::uint32_t staying = warp.live & ~about_to_exit(warp);
  std::uint32_t named = 0;
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    named |= masks[__builtin_ctz(rest)];
  }
  named &= staying;
  const std::uint32_t missing = named & ~warp.active;
  const auto take = [&](const std::uint64_t* brought) {
    for (std::uint32_t rest = missing; rest != 0; rest &= rest - 1) {
      values[__builtin_ctz(rest)] = brought[__builtin_ctz(rest)];
    }
    there = named;
  };
  if ((warp.active & ~warp.met) == 0) {  // all had arrived before
    take(warp.agreed);
    warp.met &= ~warp.active;
    return true;
  }
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    warp.brought[__builtin_ctz(rest)] = values[__builtin_ctz(rest)];
  }
  if ((missing & ~warp.waiting) == 0) {
    for (std::uint32_t rest = named; rest != 0; rest &= rest - 1) {
      warp.agreed[__builtin_ctz(rest)] = warp.brought[__builtin_ctz(rest)];
    }
    take(warp.brought);
    warp.waiting &= ~named;
    warp.met |= missing;
    return true;
  }
  const bool may_wait = instruction.guarded.full == nullptr;
  const int entry = may_wait ? runnable_entry(warp, missing & ~warp.waiting) : -1;
  // A call's registers are released at its end, so lanes in another call cannot wait.
  const bool is_call_apart = entry >= 0 && warp.stack[entry].frame != warp.frame;
  if (entry < 0 || is_call_apart) {
    report_missing(warp, instruction, masks, staying & ~warp.active);
    warp.waiting &= ~warp.active;
    there = warp.active;
    return true;
  }
  warp.waiting |= warp.active;
  let_run(warp, entry);
  return false;
}

}  // namespace gemm_tutor::simt
