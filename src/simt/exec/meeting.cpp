// Lanes of a warp that reach a .sync instruction on different paths wait for each other. The first
// ones let others run, until all lanes of the mask have arrived.
#include <algorithm>

#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {
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
