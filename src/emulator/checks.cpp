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

// Whether the thread knows that what left the mark came before.
bool is_known(const ThreadOrder& order, Mark mark, std::uint32_t thread) {
  const Mark by = who(mark);
  const std::uint32_t clock = mark >> Shadow::mark_bits;
  if (by < Shadow::several) return order.knows(thread, by, clock);
  return by != Shadow::several_warps && order.knows_warp(thread, by - Shadow::several, clock);
}

// Whether what left the mark and an access by `thread` now are in no order: another thread, with no
// barrier of the block since, nor of the warp where both belong to one.
bool unordered(const Warp& warp, Mark mark, std::uint32_t thread) {
  const Shadow& shadow = warp.worker->shadow;
  if (mark == Shadow::being_copied) return true;
  if (mark < shadow.window() || who(mark) == thread) return false;
  if (of_warp(mark, warp.number) && mark < warp.sync_clock << Shadow::mark_bits) return false;
  const ThreadOrder* order = warp.worker->machine->known_order();
  return order == nullptr || !is_known(*order, mark, thread);
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

MemoryAccess shared_access(const Warp& warp, std::uint32_t address, Use use) {
  const bool writes = use == Use::store || use == Use::volatile_store;
  return {.kind = writes               ? AccessKind::store
                  : use == Use::atomic ? AccessKind::atomic
                                       : AccessKind::load,
          .element = element_at(warp.worker->machine->context(), address, ptx::Space::shared)};
}

void report_race(Warp& warp, const Instruction& instruction, int lane, std::uint32_t address,
                 Use use, Mark mark, bool mark_wrote) {
  const Fault fault = mark == Shadow::being_copied ? Fault::race_with_copy : Fault::race;
  warp.worker->machine->add_finding(fault, instruction, [&](Finding& finding) {
    finding.thread = thread_of(warp, lane);
    finding.access = shared_access(warp, address, use);
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
              finding.access = shared_access(warp, addresses[b], Use::store);
              finding.other.thread = thread_of(warp, b);
            });
      }
    }
  }
}

// The mark of a word that a thread stores to: what was there before is gone, unless another lane
// stores to it with the same instruction.
Mark stored_mark(Mark mark, const Shadow& shadow, std::uint32_t warp, std::uint32_t thread) {
  const bool is_same = mark >> Shadow::mark_bits == shadow.clock && of_warp(mark, warp);
  const Mark by = is_same && who(mark) != thread ? Shadow::several + warp : thread;
  return shadow.clock << Shadow::mark_bits | by;
}

// visit(lane, byte, mark) for every mark of every active lane's access, but of what nobody uses.
template <typename Visit>
void for_each_mark(const Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                   int bytes, Visit visit) {
  const int shift = warp.worker->shadow.shift;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(warp.active >> lane & 1)) continue;
    for (int byte = 0; byte < bytes; byte += 1 << shift) {
      if (instruction.unused_words >> (byte / 4) & 1) continue;
      visit(lane, byte, (offsets[lane] + byte) >> shift);
    }
  }
}

// A mark at that place, of whatever warp, that is in no order with an access by the thread now; 0
// for none.
Mark unordered_mark(const Warp& warp, const Mark* tables, std::int32_t at, std::uint32_t thread) {
  const Shadow& shadow = warp.worker->shadow;
  for (std::uint32_t t = 0; tables != nullptr && t < shadow.tables; ++t) {
    const Mark mark = (tables + t * shadow.stride)[at];
    if (unordered(warp, mark, thread)) return mark;
  }
  return 0;
}

}  // namespace

void find_races(Warp& warp, const Instruction& instruction, const std::int32_t* offsets, int bytes,
                Use use, const std::uint32_t* addresses) {
  const Shadow& shadow = warp.worker->shadow;
  const bool reads = use != Use::store && use != Use::volatile_store;
  const bool only_reads = use == Use::load || use == Use::volatile_load;
  const bool is_plain = use == Use::load || use == Use::store;
  const bool is_volatile = use == Use::volatile_load || use == Use::volatile_store;
  for_each_mark(warp, instruction, offsets, bytes, [&](int lane, int byte, std::int32_t at) {
    const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
    const std::uint32_t address = addresses[lane] + static_cast<std::uint32_t>(byte);
    const auto report = [&](Mark mark, bool mark_wrote) {
      report_race(warp, instruction, lane, address, use, mark, mark_wrote);
    };
    const Mark stored = is_volatile ? shadow.volatile_writer[at] : 0;
    if (stored != 0 && of_warp(stored, warp.number) && unordered(warp, stored, thread)) {
      report(stored, true);
    } else if (reads && shadow.writer[at] == 0) {
      warp.worker->machine->defer({&instruction, warp.number, lane, address, bytes, at});
    } else if (unordered(warp, shadow.writer[at], thread)) {
      report(shadow.writer[at], true);
    } else if (const Mark mark = unordered_mark(warp, shadow.reader, at, thread);
               !only_reads && mark != 0) {
      report(mark, false);
    } else if (const Mark atomic = unordered_mark(warp, shadow.atomic, at, thread);
               is_plain && atomic != 0) {
      report(atomic, true);
    }
  });
}

void settle(Warp& warp, const ReadOfNothing& read) {
  const Mark mark = warp.worker->shadow.writer[read.at];
  const bool is_own = who(mark) == warp.number * lanes + static_cast<Mark>(read.lane);
  if (mark == 0 || is_own) {
    report_fault(warp, *read.instruction, Fault::uninitialised, read.lane, read.address, read.bytes,
                 ptx::Space::shared);
  } else {
    report_race(warp, *read.instruction, read.lane, read.address, Use::load, mark, true);
  }
}

void check_shared(Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                  int bytes, Use use, const std::uint32_t* addresses) {
  if (use == Use::store && bytes >= 4)
    check_same_instruction(warp, instruction, offsets, bytes, addresses);
  find_races(warp, instruction, offsets, bytes, use, addresses);
  Shadow& shadow = warp.worker->shadow;
  const std::uint32_t table = own_table(shadow, warp.number);
  Mark* const marks = use == Use::store  ? shadow.writer
                      : use == Use::load ? shadow.reader + table
                                         : shadow.atomic + table;
  for_each_mark(warp, instruction, offsets, bytes, [&](int lane, int, std::int32_t at) {
    Mark& mark = marks[at];
    if (mark == Shadow::being_copied) return;
    const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
    if (use == Use::volatile_store) {
      if (shadow.writer[at] == 0) shadow.writer[at] = Shadow::written;
      shadow.volatile_writer[at] =
          stored_mark(shadow.volatile_writer[at], shadow, warp.number, thread);
    }
    mark = use == Use::store ? stored_mark(mark, shadow, warp.number, thread)
                             : merged_mark(mark, shadow, warp.number, warp.sync_clock, thread);
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
      if (instruction.unused_words >> (byte / 4) & 1) continue;
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
