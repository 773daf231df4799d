// The checked path: checks one lane at a time and collects the facts of findings.
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include "simt/check/findings.hpp"
#include "simt/exec/address_space.hpp"
#include "simt/exec/places.hpp"
#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {
namespace {

using Shadow = SharedShadow;

Mark who(Mark mark) { return mark & Shadow::who_mask; }

bool of_warp(Mark mark, std::uint32_t warp) {
  const Mark by = who(mark);
  return by < Shadow::several ? by / lanes == warp : by == Shadow::several + warp;
}

// True if the access that left the mark is ordered before the thread's accesses. If it was by
// several lanes of a warp, these are among `its_lanes`.
bool is_known(const ThreadOrder& order, Mark mark, std::uint32_t thread, std::uint32_t its_lanes) {
  const Mark by = who(mark);
  const std::uint32_t clock = mark >> Shadow::mark_bits;
  if (by < Shadow::several) return order.knows(thread, by, clock);
  return by != Shadow::several_warps &&
         order.knows_lanes(thread, by - Shadow::several, its_lanes, clock);
}

// True if the access that left the mark and an access by `thread` now are not ordered: it was
// another thread, and there was no barrier since, of the block or, for threads of one warp, of the
// warp.
bool unordered(const Warp& warp, Mark mark, std::uint32_t thread,
               std::uint32_t its_lanes = all_lanes) {
  const Shadow& shadow = warp.worker->shadow;
  if (mark == Shadow::being_copied) return true;
  if (mark < shadow.window() || who(mark) == thread) return false;
  if (of_warp(mark, warp.number) && mark < warp.sync_clock << Shadow::mark_bits) return false;
  const ThreadOrder* order = warp.worker->machine->known_order();
  return order == nullptr || !is_known(*order, mark, thread, its_lanes);
}

// Adds a read by lanes of the warp, together `by`, to the mark at that place of the tables.
void mark_read(const Shadow& shadow, std::uint32_t warp, std::uint32_t sync_clock, std::uint32_t at,
               std::uint32_t read_by, Mark by) {
  Mark& mark = shadow.reader[at];
  if (shadow.reading_lanes != nullptr) {
    const bool is_alone =
        mark < shadow.window() || !of_warp(mark, warp) || mark < sync_clock << Shadow::mark_bits;
    const bool is_one = who(mark) < Shadow::several;
    std::uint32_t& reading = shadow.reading_lanes[at];
    reading = read_by | (is_alone ? 0 : is_one ? 1u << who(mark) % lanes : reading);
  }
  mark = merged_mark(mark, shadow, warp, sync_clock, by);
}

OtherAccess access_of(const Warp& warp, Mark mark, bool store) {
  using By = OtherAccess::By;
  OtherAccess access;
  const Mark by = who(mark);
  access.store = store;
  access.same_warp = of_warp(mark, warp.number);
  if (by < Shadow::several) {
    access.thread = place_in(warp.worker->machine->context().launch.block, by);
  } else {
    access.by =
        by == Shadow::several_warps ? By::threads_of_several_warps : By::threads_of_the_warp;
  }
  return access;
}

AccessKind access_kind(Use use) {
  if (use == Use::atomic) return AccessKind::atomic;
  return use == Use::store || use == Use::volatile_store ? AccessKind::store : AccessKind::load;
}

MemoryAccess shared_access(const Warp& warp, std::uint32_t address, Use use) {
  return {.kind = access_kind(use),
          .element = element_at(warp.worker->machine->context(), address, ptx::Space::shared)};
}

// The register from which an instruction stores that byte of a lane's access, as 64 bits, and the
// byte's place in it; nothing if it is not a store.
std::optional<std::pair<std::uint64_t, int>> stored_from(const Warp& warp,
                                                         const Instruction& instruction, int lane,
                                                         int byte) {
  const CountedAccess& access =
      warp.worker->machine->context().program->accesses[instruction.index];
  if (access.kind != CountedAccess::Kind::store) return {};
  const int number = 1 + byte / access.element_bytes;
  const Operand operand = instruction.operands[number];
  const std::uint64_t value =
      access.element_bytes == 8 ? long_at(warp, operand, lane) : words(warp, operand)[lane];
  return std::pair(value, byte % access.element_bytes);
}

// True if two lanes store the same to these bytes of their accesses, as far as that is known.
bool store_alike(const Warp& warp, const Instruction& instruction, int a, int b, int first,
                 int bytes) {
  for (int byte = first; byte < first + bytes; ++byte) {
    const auto of_a = stored_from(warp, instruction, a, byte);
    const auto of_b = stored_from(warp, instruction, b, byte);
    if (!of_a) return true;
    const int shift = 8 * of_a->second;
    if ((of_a->first >> shift & 0xff) != (of_b->first >> shift & 0xff)) return false;
  }
  return true;
}

// True for NaN, which a float is after a read of what is unknown: two of them need not be equal on
// a GPU. All bits set is more likely the integer -1.
bool is_unknown(std::uint64_t word) {
  const auto bits = static_cast<std::uint32_t>(word);
  return (bits & 0x7fffffff) > 0x7f800000 && bits != 0xffffffff;
}

// True if the lane stores what the shared memory of the mark already holds.
bool stores_the_same(const Warp& warp, const Instruction& instruction, int lane, int byte,
                     std::int32_t at) {
  const auto stored = stored_from(warp, instruction, lane, byte);
  if (!stored || is_unknown(stored->first)) return false;
  const int shift = warp.worker->shadow.shift;
  const auto* value = reinterpret_cast<const std::byte*>(&stored->first) + stored->second;
  return std::memcmp(value, warp.worker->shared + (at << shift), std::size_t{1} << shift) == 0;
}

// Of the 32 bits that the lane stores there: both halves, by exclusive or.
std::uint16_t stored_halves(const Warp& warp, const Instruction& instruction, int lane, int byte,
                            int bytes) {
  const auto stored = stored_from(warp, instruction, lane, byte);
  if (!stored) return 0;
  auto word = static_cast<std::uint32_t>(stored->first >> 8 * stored->second);
  if (bytes < 4) word &= (1u << 8 * bytes) - 1;
  if (is_unknown(stored->first)) {  // equal to no other thread's, as a rule
    const std::uint64_t block = warp.worker->machine->block_mark();
    word ^= static_cast<std::uint32_t>(block * 0x9e3779b1) + warp.number * lanes +
            static_cast<std::uint32_t>(lane);
  }
  return static_cast<std::uint16_t>(word ^ word >> 16);
}

// An access to shared memory that left a mark.
struct SharedAccess {
  Mark mark = 0;
  AccessKind kind = AccessKind::load;
};

// The other access of a race, and the barrier that would order both.
void describe_other(const Warp& warp, const Instruction& instruction, int lane,
                    std::uint32_t address, const SharedAccess& before, FoundFault& finding) {
  const BlockMachine& machine = *warp.worker->machine;
  const DecodedProgram& program = *machine.context().program;
  finding.other = access_of(warp, before.mark, before.kind != AccessKind::load);
  const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
  const auto found = machine.find_access(before.mark, before.kind, window_offset(address), thread);
  if (!found) return;
  const CountedAccess& other = program.accesses[found->access];
  finding.other.line = other.line;
  if (found->thread != BlockMachine::no_thread) {
    finding.other.by = OtherAccess::By::thread;
    finding.other.thread = place_in(machine.context().launch.block, found->thread);
    finding.other.same_warp = found->thread / lanes == warp.number;
  }
  // A barrier between two stores of one element would only say which of them is lost.
  const bool both_store =
      finding.access.kind == AccessKind::store && before.kind == AccessKind::store;
  if (both_store) return;
  const auto now = static_cast<std::uint32_t>(&instruction - warp.code);
  finding.separation = separation(program, other.instruction, now, finding.other.same_warp,
                                  machine.stores_to(window_offset(address)));
}

void report_race(Warp& warp, const Instruction& instruction, int lane, std::uint32_t address,
                 Use use, const SharedAccess& before, std::uint64_t times = 1,
                 Fault fault = Fault::race) {
  if (before.mark == Shadow::being_copied) fault = Fault::race_with_copy;
  warp.worker->machine->add_finding(
      fault, instruction,
      [&](FoundFault& finding) {
        finding.thread = thread_of(warp, lane);
        finding.access = shared_access(warp, address, use);
        if (fault != Fault::race_with_copy)
          describe_other(warp, instruction, lane, address, before, finding);
      },
      times);
}

bool are_ascending(const std::int32_t* offsets, std::uint32_t active) {
  std::int32_t last = -1;
  for (; active != 0; active &= active - 1) {
    const std::int32_t offset = offsets[__builtin_ctz(active)];
    if (offset <= last) return false;
    last = offset;
  }
  return true;
}

// Lanes that write to one address in one instruction. If the values differ, any of them may remain.
void check_same_instruction(Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                            int bytes, const std::uint32_t* addresses) {
  if (are_ascending(offsets, warp.active)) return;
  const auto add = [&](Fault fault, int a, int b) {
    warp.worker->machine->add_finding(fault, instruction, [&](FoundFault& finding) {
      finding.thread = thread_of(warp, a);
      finding.access = shared_access(warp, addresses[b], Use::store);
      finding.other.thread = thread_of(warp, b);
    });
  };
  int alike[2] = {-1, -1};
  for (int a = 0; a < lanes; ++a) {
    for (int b = a + 1; b < lanes; ++b) {
      const bool both = (warp.active >> a & 1) && (warp.active >> b & 1);
      if (!both || offsets[a] != offsets[b]) continue;
      if (!store_alike(warp, instruction, a, b, 0, bytes)) {
        return add(Fault::simultaneous_write, a, b);
      }
      if (alike[0] < 0) alike[0] = a, alike[1] = b;
    }
  }
  if (alike[0] >= 0) add(Fault::equal_stores, alike[0], alike[1]);
}

// The new mark of a stored word. It replaces the old mark, unless another lane stores to the word
// with the same instruction.
Mark stored_mark(Mark mark, const Shadow& shadow, std::uint32_t warp, std::uint32_t thread) {
  const bool is_same = mark >> Shadow::mark_bits == shadow.clock && of_warp(mark, warp);
  const Mark by = is_same && who(mark) != thread ? Shadow::several + warp : thread;
  return shadow.clock << Shadow::mark_bits | by;
}

// True if the byte of an access is in one of the words; `words` has one bit per 4 bytes of a
// vector.
bool is_in(std::uint8_t words, int byte) { return byte < 4 * 8 && (words >> (byte / 4) & 1); }

// Calls visit(lane, byte, mark) for every mark of every active lane's access, except for unused
// words.
template <typename Visit>
void for_each_mark(const Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                   int bytes, Visit visit) {
  const int shift = warp.worker->shadow.shift;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(warp.active >> lane & 1)) continue;
    for (int byte = 0; byte < bytes; byte += 1 << shift) {
      if (is_in(instruction.unused_words, byte)) continue;
      visit(lane, byte, (offsets[lane] + byte) >> shift);
    }
  }
}

// True if a matrix instruction, at which the warp's lanes wait for each other, is between the
// access that left the mark and now.
bool is_before_matrices(const Warp& warp, Mark mark) {
  return mark != Shadow::being_copied && of_warp(mark, warp.number) &&
         mark < warp.matrix_clock << Shadow::mark_bits;
}

// Returns a mark at that index, of any warp, that is not ordered with an access by the thread now;
// 0 for none. One that only matrix instructions order comes last.
Mark unordered_mark(const Warp& warp, const Mark* tables, std::int32_t at, std::uint32_t thread) {
  Mark last = 0;
  const Shadow& shadow = warp.worker->shadow;
  const std::uint32_t* const reading = tables == shadow.reader ? shadow.reading_lanes : nullptr;
  for (std::uint32_t t = 0; tables != nullptr && t < shadow.tables; ++t) {
    const std::uint32_t place = t * shadow.stride + static_cast<std::uint32_t>(at);
    const Mark mark = tables[place];
    if (!unordered(warp, mark, thread, reading != nullptr ? reading[place] : all_lanes)) continue;
    if (!is_before_matrices(warp, mark)) return mark;
    last = mark;
  }
  return last;
}

// The lanes that access the word, which is that far from the pattern's first lane.
std::uint32_t lanes_at(const SharedPattern& pattern, int bytes, std::int32_t relative) {
  std::uint32_t result = 0;
  for (std::uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::int32_t beyond = relative - static_cast<std::int32_t>(pattern.relative[lane]);
    result |= static_cast<std::uint32_t>(beyond >= 0 && beyond < bytes) << lane;
  }
  return result;
}

}  // namespace

void leave_read_marks(Worker& worker) {
  RecentAccesses& recent = *worker.recent;
  const Shadow& shadow = worker.shadow;
  const DecodedProgram& program = *worker.machine->context().program;
  for (std::uint32_t r = 0; r < recent.reader_count; ++r) {
    const RecentAccesses::Reader& reader = recent.readers[r];
    Shadow then = shadow;
    then.clock = reader.clock;
    const std::uint32_t table = own_table(shadow, reader.warp);
    const bool is_last = r + 1 == recent.reader_count;
    const std::uint32_t end = is_last ? recent.count : recent.readers[r + 1].begin;
    for (std::uint32_t n = reader.begin; n < end; ++n) {
      const RecentAccesses::Read& read = recent.reads[n];
      const SharedPattern& pattern = worker.shared_patterns[read.access];
      const Words& words = pattern.words;
      touch_of(worker, read.access, reader.warp) = {reader.clock, read.first, pattern.active};
      for (std::int32_t k = 0; k < words.count; ++k) {
        const Mark lane = words.lane[k];
        const Mark who =
            lane == Words::several ? Shadow::several + reader.warp : reader.warp * lanes + lane;
        const std::uint32_t read_by =
            lane != Words::several ? 1u << lane
            : shadow.reading_lanes != nullptr
                ? lanes_at(pattern, program.accesses[read.access].bytes, words.relative[k])
                : all_lanes;
        const std::int32_t at = (read.first + words.relative[k]) >> shadow.shift;
        mark_read(then, reader.warp, reader.sync_clock, table + static_cast<std::uint32_t>(at),
                  read_by, who);
      }
    }
  }
  recent.marked |= std::exchange(recent.read, 0);
  recent.count = recent.reader_count = 0;
}

void find_races(Warp& warp, const Instruction& instruction, const std::int32_t* offsets, int bytes,
                Use use, const std::uint32_t* addresses) {
  const RecentAccesses& recent = *warp.worker->recent;
  std::uint64_t parts = 0;
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    const std::int32_t first = offsets[__builtin_ctz(rest)];
    parts |= recent.parts(first, first + bytes - 1);
  }
  if ((parts & recent.read) != 0) leave_read_marks(*warp.worker);
  const Shadow& shadow = warp.worker->shadow;
  const bool reads = use != Use::store && use != Use::volatile_store;
  const bool only_reads = use == Use::load || use == Use::volatile_load;
  const bool is_plain = use == Use::load || use == Use::store;
  const bool is_volatile = use == Use::volatile_load || use == Use::volatile_store;
  for_each_mark(warp, instruction, offsets, bytes, [&](int lane, int byte, std::int32_t at) {
    const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
    const std::uint32_t address = addresses[lane] + static_cast<std::uint32_t>(byte);
    const auto report = [&](Mark mark, AccessKind kind) {
      report_race(warp, instruction, lane, address, use, {mark, kind}, 1,
                  is_before_matrices(warp, mark) ? Fault::order_by_matrices : Fault::race);
    };
    const auto races = [&](Mark mark) { return mark != 0 && !is_before_matrices(warp, mark); };
    const Mark stored = is_volatile ? shadow.volatile_writer[at] : 0;
    const Mark writer = shadow.writer[at];
    const bool is_same = use == Use::store && writer != Shadow::being_copied &&
                         unordered(warp, writer, thread) &&
                         stores_the_same(warp, instruction, lane, byte, at);
    if (is_same) {
      report_race(warp, instruction, lane, address, use, {writer, AccessKind::store}, 1,
                  Fault::same_value);
    }
    if (stored != 0 && of_warp(stored, warp.number) && unordered(warp, stored, thread)) {
      report(stored, AccessKind::store);
    } else if (reads && writer == 0) {
      if (is_in(instruction.maybe_unused_words, byte)) return;  // padding, as far as is known
      warp.worker->machine->defer({&instruction, warp.number, lane, address, bytes, at});
    } else {
      const Mark stores = !is_same && unordered(warp, writer, thread) ? writer : 0;
      const Mark loads = only_reads ? 0 : unordered_mark(warp, shadow.reader, at, thread);
      const Mark atomics = is_plain ? unordered_mark(warp, shadow.atomic, at, thread) : 0;
      if (races(stores) || (stores != 0 && !races(loads) && !races(atomics))) {
        report(stores, AccessKind::store);
      } else if (races(loads) || (loads != 0 && !races(atomics))) {
        report(loads, AccessKind::load);
      } else if (atomics != 0) {
        report(atomics, AccessKind::atomic);
      }
    }
  });
}

void settle(Warp& warp, const ReadOfNothing& read) {
  const Mark mark = warp.worker->shadow.writer[read.at];
  const bool is_own = who(mark) == warp.number * lanes + static_cast<Mark>(read.lane);
  if (mark == 0 || is_own) {
    report_fault(warp, *read.instruction, Fault::uninitialised, read.lane, read.address, read.bytes,
                 ptx::Space::shared, read.times);
  } else {
    report_race(warp, *read.instruction, read.lane, read.address, Use::load,
                {mark, AccessKind::store}, read.times);
  }
}

void check_shared(Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                  int bytes, Use use, const std::uint32_t* addresses) {
  if (use == Use::store && bytes >= 4)
    check_same_instruction(warp, instruction, offsets, bytes, addresses);
  find_races(warp, instruction, offsets, bytes, use, addresses);
  const bool only_reads = use == Use::load || use == Use::volatile_load;
  Shadow& shadow = warp.worker->shadow;
  const std::uint32_t table = own_table(shadow, warp.number);
  Mark* const marks = use == Use::store  ? shadow.writer
                      : use == Use::load ? shadow.reader + table
                                         : shadow.atomic + table;
  for_each_mark(warp, instruction, offsets, bytes, [&](int lane, int, std::int32_t at) {
    Mark& mark = marks[at];
    if (mark == Shadow::being_copied) return;
    const std::int32_t byte = at << shadow.shift;
    const std::uint64_t parts = warp.worker->recent->parts(byte, byte);
    if (only_reads) {
      warp.worker->recent->marked |= parts;
    } else {
      warp.worker->recent->note_write(parts);
    }
    const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
    if (use == Use::volatile_store) {
      if (shadow.writer[at] == 0) shadow.writer[at] = Shadow::written;
      shadow.volatile_writer[at] =
          stored_mark(shadow.volatile_writer[at], shadow, warp.number, thread);
    }
    if (use == Use::store) {
      mark = stored_mark(mark, shadow, warp.number, thread);
    } else if (use == Use::load) {
      mark_read(shadow, warp.number, warp.sync_clock, table + static_cast<std::uint32_t>(at),
                1u << lane, thread);
    } else {
      mark = merged_mark(mark, shadow, warp.number, warp.sync_clock, thread);
    }
  });
}

namespace {

using std::memory_order_relaxed;

// True if an access to global memory is ordered before one by the thread now. If several blocks
// have made it, this is assumed as soon as this block has waited for any other block.
bool is_ordered(const Warp& warp, GlobalMark before, std::uint32_t thread) {
  if (before == 0) return true;
  const BlockMachine& machine = *warp.worker->machine;
  const std::uint64_t block = before >> 32;
  const Mark mark = static_cast<Mark>(before);
  if (block == machine.block_mark()) return !unordered(warp, mark, thread);
  return block == several_blocks ? machine.knows_other_blocks()
                                 : machine.knows_block(block, mark >> Shadow::mark_bits);
}

// An access to four bytes of global memory.
struct GlobalAccess {
  GlobalMark mark = 0;   // 0 for none
  std::uint16_t at = 0;  // its instruction
  AccessKind kind = AccessKind::load;
};

GlobalAccess last_writer(GlobalMarks& marks) {
  // Who sees the mark sees what was stored.
  return {std::atomic_ref(marks.writer).load(std::memory_order_acquire),
          std::atomic_ref(marks.writer_at).load(memory_order_relaxed), AccessKind::store};
}
GlobalAccess last_reader(GlobalMarks& marks) {
  return {std::atomic_ref(marks.reader).load(memory_order_relaxed),
          std::atomic_ref(marks.reader_at).load(memory_order_relaxed), AccessKind::load};
}
GlobalAccess last_atomic(GlobalMarks& marks) {
  return {std::atomic_ref(marks.atomic).load(memory_order_relaxed),
          std::atomic_ref(marks.atomic_at).load(memory_order_relaxed), AccessKind::atomic};
}

// Returns the access there that is not ordered with the thread's access now, optionally without
// stores.
GlobalAccess find_conflict(const Warp& warp, GlobalMarks& marks, Use use, std::uint32_t thread,
                           bool with_stores = true) {
  const auto conflicts = [&](const GlobalAccess& before) {
    return !is_ordered(warp, before.mark, thread);
  };
  const bool only_reads = use == Use::load || use == Use::volatile_load;
  const bool is_plain = use == Use::load || use == Use::store;
  if (const GlobalAccess writer = last_writer(marks); with_stores && conflicts(writer)) {
    return writer;
  }
  if (const GlobalAccess reader = last_reader(marks); !only_reads && conflicts(reader)) {
    return reader;
  }
  if (const GlobalAccess atomic = last_atomic(marks); is_plain && conflicts(atomic)) return atomic;
  return {};
}

// Blocks may run in any order, so the finding is for the access that does not depend on the order.
bool is_told_first(AccessKind kind, int line, AccessKind other, int other_line) {
  const auto rank = [](AccessKind k) {
    return k == AccessKind::load ? 0 : k == AccessKind::atomic ? 1 : 2;
  };
  return rank(kind) != rank(other) ? rank(kind) < rank(other) : line <= other_line;
}

void report_conflict(Warp& warp, const Instruction& instruction, int lane, std::uint64_t address,
                     Use use, const GlobalAccess& before, bool is_same_value) {
  BlockMachine& machine = *warp.worker->machine;
  const bool same_block = before.mark >> 32 == machine.block_mark();
  const AccessKind kind = access_kind(use);
  const bool both_write = kind == AccessKind::store && before.kind == AccessKind::store;
  const Fault fault = is_same_value ? Fault::same_value
                      : both_write  ? Fault::written_twice
                      : same_block  ? Fault::race
                                    : Fault::race_of_blocks;
  const Instruction& other_instruction = warp.code[before.at];
  const auto describe = [&](FoundFault& finding) {
    finding.thread = thread_of(warp, lane);
    finding.access = {.kind = kind,
                      .element = element_at(machine.context(), address, ptx::Space::global)};
    finding.other = machine.access_of(before.mark, before.kind != AccessKind::load);
    finding.other.line = other_instruction.line;
    finding.other.same_warp = same_block && of_warp(static_cast<Mark>(before.mark), warp.number);
    if (!same_block || before.at == 0) return;
    const auto now = static_cast<std::uint32_t>(&instruction - warp.code);
    finding.separation =
        separation(*machine.context().program, before.at, now, finding.other.same_warp);
  };
  const bool is_of_one = machine.access_of(before.mark, false).by == OtherAccess::By::thread;
  if (before.at == 0 || !is_of_one ||
      is_told_first(kind, instruction.line, before.kind, other_instruction.line)) {
    return machine.add_finding(fault, instruction, describe);
  }
  machine.add_finding(fault, other_instruction, [&](FoundFault& finding) {
    describe(finding);
    std::swap(finding.thread, finding.other.thread);
    std::swap(finding.block, finding.other.block);
    finding.access.kind = before.kind;
    finding.other.store = kind != AccessKind::load;
    finding.other.line = instruction.line;
  });
}

// The load may return the value from before the kernel.
void report_stale_read(Warp& warp, const Instruction& instruction, int lane, std::uint64_t address,
                       const GlobalAccess& writer) {
  BlockMachine& machine = *warp.worker->machine;
  machine.add_finding(Fault::stale_read, instruction, [&](FoundFault& finding) {
    finding.thread = thread_of(warp, lane);
    finding.access = {.kind = AccessKind::load,
                      .element = element_at(machine.context(), address, ptx::Space::global)};
    finding.other = machine.access_of(writer.mark, true);
    finding.other.line = warp.code[writer.at].line;
  });
}

// True for no mark, and for a mark of the thread whose mark would be `now`.
bool is_own(GlobalMark mark, GlobalMark now) {
  constexpr GlobalMark clock = GlobalMark{0xffffffff} & ~GlobalMark{Shadow::who_mask};
  return mark == 0 || ((mark ^ now) & ~clock) == 0;
}

// Most words are accessed by only one thread.
bool is_of_one_thread(GlobalMarks& marks, GlobalMark now) {
  return is_own(last_writer(marks).mark, now) && is_own(last_reader(marks).mark, now) &&
         is_own(last_atomic(marks).mark, now);
}

// The mark after the thread's access: of all earlier accesses of the kind together, if they are not
// ordered.
GlobalMark merged(const Warp& warp, GlobalMark before, std::uint32_t thread) {
  const BlockMachine& machine = *warp.worker->machine;
  const GlobalMark now = machine.global_mark(thread);
  if (is_own(before, now) || is_ordered(warp, before, thread)) return now;
  const bool same_warp =
      before >> 32 == machine.block_mark() && of_warp(static_cast<Mark>(before), warp.number);
  const Mark who = same_warp ? Shadow::several + warp.number : Shadow::several_warps;
  const std::uint64_t block =
      before >> 32 == machine.block_mark() ? machine.block_mark() : several_blocks;
  return block << 32 | (warp.worker->shadow.clock << Shadow::mark_bits | who);
}

void leave_mark(const Warp& warp, GlobalMarks& marks, Use use, std::uint32_t thread,
                std::uint16_t at, std::uint16_t written) {
  const auto leave = [&](GlobalMark& mark, std::uint16_t& place, GlobalMark now) {
    std::atomic_ref(mark).store(now, std::memory_order_release);
    std::atomic_ref(place).store(at, memory_order_relaxed);
  };
  const GlobalMark now = warp.worker->machine->global_mark(thread);
  if (use == Use::store) {
    std::atomic_ref(marks.written).store(written, memory_order_relaxed);
    return leave(marks.writer, marks.writer_at, now);
  }
  if (use == Use::load) {
    return leave(marks.reader, marks.reader_at, merged(warp, last_reader(marks).mark, thread));
  }
  leave(marks.atomic, marks.atomic_at, merged(warp, last_atomic(marks).mark, thread));
  if (use != Use::volatile_store) return;
  GlobalMark nothing = 0;  // it is written now
  std::atomic_ref(marks.writer).compare_exchange_strong(nothing, now, memory_order_relaxed);
}

// Returns the first lane that stores the same value to the element with this instruction; -1 for
// none.
int lane_that_stores_alike(const Warp& warp, const Instruction& instruction,
                           const std::uint64_t* addresses, int lane, int byte, int bytes) {
  for (std::uint32_t before = warp.active & ((1u << lane) - 1); before != 0; before &= before - 1) {
    const int other = __builtin_ctz(before);
    const bool is_same = addresses[other] == addresses[lane];
    if (is_same && store_alike(warp, instruction, other, lane, byte, bytes)) return other;
  }
  return -1;
}

}  // namespace

// Accesses that are narrower than a mark are faults only if nothing was written there.
void check_global(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                  int bytes, Use use) {
  BlockMachine& machine = *warp.worker->machine;
  const bool reads = use != Use::store && use != Use::volatile_store;
  const auto number_of = static_cast<std::size_t>(&instruction - warp.code);
  const auto at = static_cast<std::uint16_t>(number_of <= 0xffff ? number_of : 0);
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const auto number = static_cast<std::size_t>(global_buffer(addresses[lane]));
    const GlobalBuffer& buffer = machine.context().global[number];
    if (buffer.marks == nullptr) continue;
    const std::uint32_t thread = warp.number * lanes + static_cast<std::uint32_t>(lane);
    const int element_shift = std::countr_zero(static_cast<unsigned>(buffer.element_bytes));
    for (int byte = 0; byte < bytes; byte += buffer.element_bytes) {
      if (is_in(instruction.unused_words, byte)) continue;
      const std::uint64_t address = addresses[lane] + static_cast<std::uint64_t>(byte);
      GlobalMarks& marks = buffer.marks[(address - global_address(number)) >> element_shift];
      if (rest == warp.active && byte == 0) {
        // Reading a page before it is written costs two page faults, and other cores wait.
        std::atomic_ref(marks.writer).fetch_or(0, memory_order_relaxed);
      }
      const GlobalAccess writer = last_writer(marks);
      const std::uint16_t written =
          use == Use::store ? stored_halves(warp, instruction, lane, byte, buffer.element_bytes)
                            : std::uint16_t{0};
      if (reads && buffer.must_be_written && writer.mark == 0) {
        report_fault(warp, instruction, Fault::uninitialised, lane, address, bytes,
                     ptx::Space::global);
      } else if (instruction.is_read_only && writer.mark != 0) {
        report_stale_read(warp, instruction, lane, address, writer);
      } else if (bytes >= buffer.element_bytes &&
                 !is_of_one_thread(marks, machine.global_mark(thread))) {
        GlobalAccess before = find_conflict(warp, marks, use, thread);
        const bool is_same = before.kind == AccessKind::store && before.at == at &&
                             use == Use::store &&
                             of_warp(static_cast<Mark>(before.mark), warp.number);
        const int alike = is_same ? lane_that_stores_alike(warp, instruction, addresses, lane, byte,
                                                           buffer.element_bytes)
                                  : -1;
        if (alike >= 0) {
          machine.add_finding(Fault::equal_stores, instruction, [&](FoundFault& finding) {
            finding.thread = thread_of(warp, alike);
            finding.access = {
                .kind = AccessKind::store,
                .element = element_at(machine.context(), address, ptx::Space::global)};
            finding.other.thread = thread_of(warp, lane);
          });
        } else if (before.mark != 0) {
          const bool is_same_value =
              use == Use::store && before.kind == AccessKind::store &&
              written == std::atomic_ref(marks.written).load(memory_order_relaxed);
          report_conflict(warp, instruction, lane, address, use, before, is_same_value);
          if (is_same_value) before = find_conflict(warp, marks, use, thread, false);
          // One of several threads has already raced with the other store of the value.
          const bool is_of_one =
              machine.access_of(before.mark, false).by == OtherAccess::By::thread;
          if (is_same_value && before.mark != 0 && is_of_one)
            report_conflict(warp, instruction, lane, address, use, before, false);
        }
      }
      leave_mark(warp, marks, use, thread, at, written);
    }
  }
}

}  // namespace gemm_tutor::simt
