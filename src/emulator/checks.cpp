// The checked path: one lane at a time, with all the facts of a finding.
#include <atomic>

#include "emulator/address_space.hpp"
#include "emulator/places.hpp"
#include "emulator/worker.hpp"

namespace gemm_tutor::emulator {
namespace {

using Shadow = SharedShadow;

Mark who(Mark mark) { return mark & Shadow::who_mask; }

bool of_warp(Mark mark, std::uint32_t warp) {
  const Mark by = who(mark);
  return by < Shadow::several ? by / lanes == warp : by == Shadow::several + warp;
}

// Whether what left the mark and an access by `thread` now are in no order: another thread, with no
// barrier of the block since, nor of the warp where both belong to one.
bool unordered(const Warp& warp, Mark mark, std::uint32_t thread) {
  const Shadow& shadow = warp.worker->shadow;
  if (mark == Shadow::being_copied) return true;
  if (mark < shadow.window() || who(mark) == thread) return false;
  return !of_warp(mark, warp.number) || mark >= warp.sync_clock << Shadow::mark_bits;
}

OtherAccess access_of(const Warp& warp, Mark mark, bool store) {
  using By = OtherAccess::By;
  OtherAccess access;
  const Mark by = who(mark);
  access.store = store;
  access.same_warp = of_warp(mark, warp.number);
  if (by < Shadow::several) {
    access.thread = thread_index(warp.worker->machine->context().launch.block, by);
  } else {
    access.by =
        by == Shadow::several_warps ? By::threads_of_several_warps : By::threads_of_the_warp;
  }
  return access;
}

MemoryAccess shared_access(const Warp& warp, std::uint32_t address, bool store) {
  return {.kind = store ? AccessKind::store : AccessKind::load,
          .element = element_at(warp.worker->machine->context(), address, ptx::Space::shared)};
}

void report_race(Warp& warp, const Instruction& instruction, int lane, std::uint32_t address,
                 bool store, Mark mark, bool mark_wrote) {
  const Fault fault = mark == Shadow::being_copied ? Fault::race_with_copy : Fault::race;
  warp.worker->machine->add_finding(fault, instruction, [&](Finding& finding) {
    finding.thread = thread_of(warp, lane);
    finding.access = shared_access(warp, address, store);
    if (fault == Fault::race) finding.other = access_of(warp, mark, mark_wrote);
  });
}

// Lanes that write different values to one place in one instruction: which one stays is chance.
void check_same_instruction(Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                            int bytes, const std::uint32_t* addresses) {
  const int words = bytes / 4;
  for (int a = 0; a < lanes; ++a) {
    for (int b = a + 1; b < lanes; ++b) {
      const bool both = (warp.active >> a & 1) && (warp.active >> b & 1);
      if (!both || offsets[a] != offsets[b]) continue;
      for (int v = 0; v < words; ++v) {
        const Operand operand = instruction.operands[1 + v];
        const std::uint32_t* values =
            (operand.bits & 1 ? warp.constants : warp.registers) + (operand.bits >> 1);
        if (values[a] == values[b]) continue;
        return warp.worker->machine->add_finding(
            Fault::simultaneous_write, instruction, [&](Finding& finding) {
              finding.thread = thread_of(warp, a);
              finding.access = shared_access(warp, addresses[b], true);
              finding.other.thread = thread_of(warp, b);
            });
      }
    }
  }
}

// visit(lane, byte, mark) for every mark of every active lane's access.
template <typename Visit>
void for_each_mark(const Warp& warp, const std::int32_t* offsets, int bytes, Visit visit) {
  const int shift = warp.worker->shadow.shift;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(warp.active >> lane & 1)) continue;
    for (int byte = 0; byte < bytes; byte += 1 << shift)
      visit(lane, byte, (offsets[lane] + byte) >> shift);
  }
}

}  // namespace

void find_races(Warp& warp, const Instruction& instruction, const std::int32_t* offsets, int bytes,
                bool store, const std::uint32_t* addresses) {
  const Shadow& shadow = warp.worker->shadow;
  for_each_mark(warp, offsets, bytes, [&](int lane, int byte, std::int32_t at) {
    const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
    const std::uint32_t address = addresses[lane] + static_cast<std::uint32_t>(byte);
    if (!store && shadow.writer[at] == 0) {
      warp.worker->machine->defer({&instruction, warp.number, lane, address, bytes, at});
    } else if (unordered(warp, shadow.writer[at], thread)) {
      report_race(warp, instruction, lane, address, store, shadow.writer[at], true);
    } else if (store && unordered(warp, shadow.reader[at], thread)) {
      report_race(warp, instruction, lane, address, store, shadow.reader[at], false);
    }
  });
}

void settle(Warp& warp, const ReadOfNothing& read) {
  const Mark mark = warp.worker->shadow.writer[read.at];
  if (mark == 0) {
    report_fault(warp, *read.instruction, Fault::uninitialised, read.lane, read.address, read.bytes,
                 ptx::Space::shared);
  } else {
    report_race(warp, *read.instruction, read.lane, read.address, false, mark, true);
  }
}

void check_shared(Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                  int bytes, bool store, const std::uint32_t* addresses) {
  if (store && bytes >= 4) check_same_instruction(warp, instruction, offsets, bytes, addresses);
  find_races(warp, instruction, offsets, bytes, store, addresses);
  Shadow& shadow = warp.worker->shadow;
  for_each_mark(warp, offsets, bytes, [&](int lane, int, std::int32_t at) {
    Mark& mark = (store ? shadow.writer : shadow.reader)[at];
    if (mark == Shadow::being_copied) return;
    mark = merged_mark(mark, shadow, warp.number, warp.sync_clock,
                       warp.number * lanes + static_cast<std::uint32_t>(lane));
  });
}

void check_output(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                  int bytes, bool store) {
  const BlockMachine& machine = *warp.worker->machine;
  const RunContext& context = machine.context();
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(warp.active >> lane & 1)) continue;
    const auto number = static_cast<std::size_t>(global_buffer(addresses[lane]));
    Writer* writers = context.global[number].writers;
    if (writers == nullptr) continue;
    const std::uint64_t me = machine.writer(warp, lane);
    for (int byte = 0; byte < bytes; byte += 4) {
      const std::uint64_t address = addresses[lane] + static_cast<std::uint64_t>(byte);
      std::atomic_ref<Writer> writer(writers[(address - global_address(number)) / 4]);
      if (!store) {
        if (writer.load(std::memory_order_relaxed) == 0) {
          report_fault(warp, instruction, Fault::uninitialised, lane, address, bytes,
                       ptx::Space::global);
        }
        continue;
      }
      const Writer before = writer.exchange(me, std::memory_order_relaxed);
      if (!machine.ordered_writes(before, me)) {
        machine.add_finding(Fault::written_twice, instruction, [&](Finding& finding) {
          finding.thread = thread_of(warp, lane);
          finding.access = {.kind = AccessKind::store,
                            .element = element_at(context, address, ptx::Space::global)};
          finding.other = machine.access_of(before);
        });
      }
    }
  }
}

}  // namespace gemm_tutor::emulator
