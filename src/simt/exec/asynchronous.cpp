#include <algorithm>
#include <cstring>
#include <utility>

#include "simt/count/access_cost.hpp"
#include "simt/exec/asynchronous.hpp"
#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {
namespace {

using Shadow = SharedShadow;

bool active(const Warp& warp, int lane) { return warp.active >> lane & 1; }

// The address operand of an instruction: operand 0 and the offset.
std::uint32_t shared_address(const Warp& warp, const Instruction& instruction, int lane) {
  const std::uint64_t base = instruction.wide_address ? long_at(warp, instruction.operands[0], lane)
                                                      : words(warp, instruction.operands[0])[lane];
  return static_cast<std::uint32_t>(base + static_cast<std::uint64_t>(instruction.offset));
}

// Reads memory aligned to 4 bytes, which other CPU threads may write at the same time. `bytes` is a
// multiple of 4, or less than 16 if the rest is zeros.
void read_global(const std::byte* memory, std::uint32_t bytes, std::byte* to) {
  std::uint32_t at = 0;
  for (; at + 4 <= bytes; at += 4) {
    const std::uint32_t word =
        __atomic_load_n(reinterpret_cast<const std::uint32_t*>(memory + at), __ATOMIC_RELAXED);
    std::memcpy(to + at, &word, sizeof word);
  }
  for (; at < bytes; ++at) {
    to[at] = std::byte{
        __atomic_load_n(reinterpret_cast<const std::uint8_t*>(memory + at), __ATOMIC_RELAXED)};
  }
}

AsynchronousCopies& copies_of(const Warp& warp) {
  return warp.worker->machine->asynchronous().of_warps[warp.number];
}

// Sets the words' marks to `mark` without a check.
void mark_words(const Warp& warp, std::uint32_t address, std::uint32_t bytes, Mark mark) {
  const Shadow& shadow = warp.worker->shadow;
  if (shadow.writer == nullptr) return;
  const std::int32_t begin = window_offset(address);
  const std::int32_t end = begin + static_cast<std::int32_t>(bytes);
  for (std::int32_t at = begin; at < end; at += 1 << shadow.shift) {
    shadow.writer[at >> shadow.shift] = mark;
  }
  if (bytes > 0) warp.worker->recent->note_write(warp.worker->recent->parts(begin, end - 1));
}

void finish(const Warp& warp, const PendingCopy& copy) {
  std::memcpy(shared_memory(*warp.worker, copy.address, copy.bytes), copy.data.data(), copy.bytes);
  const Mark thread = warp.number * lanes + static_cast<Mark>(copy.lane);
  mark_words(warp, copy.address, copy.bytes,
             warp.worker->shadow.clock << Shadow::mark_bits | thread);
}

// The half multiply-adds of the warp before the instruction: what follows in its basic block has
// been counted, too.
std::uint64_t work_before(const Warp& warp, const Instruction& instruction) {
  return warp.half_multiply_adds - std::uint64_t{instruction.target} *
                                       static_cast<std::uint64_t>(__builtin_popcount(warp.active));
}

// With fewer lanes under a predicate, a copy may seem to start after it has ended.
std::uint64_t work_since(std::uint64_t start, std::uint64_t work) {
  return work - std::min(start, work);
}

// Completes the copies for which `due` is true, in the order in which they were started. `work` is
// what the warp has done, as of work_before().
template <typename Due>
void finish_copies(const Warp& warp, std::uint64_t work, Due due) {
  AsynchronousCopies& asynchronous = copies_of(warp);
  for (const PendingCopy& copy : asynchronous.copies) {
    if (!due(copy)) continue;
    finish(warp, copy);
    asynchronous.copied_by_work[work_since(copy.started_at, work)] += copy.source_bytes;
  }
  std::erase_if(asynchronous.copies, due);
}

// Shared memory has room for fewer copies of a word. A warp that never waits for its copies, as in
// a loop that does not end, finishes the first half of them, as the hardware would in time.
void finish_oldest(const Warp& warp) {
  constexpr std::size_t most = 1 << 16;
  const AsynchronousCopies& asynchronous = copies_of(warp);
  if (asynchronous.copies.size() < most) return;
  const auto kept_from = asynchronous.copies[most / 2].number;
  finish_copies(warp, warp.half_multiply_adds,
                [=](const PendingCopy& copy) { return copy.number < kept_from; });
}

// Starts one lane's copy, unless it has a fault.
void start_copy(Warp& warp, const Instruction& instruction, int lane, std::uint64_t from,
                std::uint32_t bytes, std::uint32_t source_bytes) {
  const std::uint32_t to = shared_address(warp, instruction, lane);
  const std::byte* source = nullptr;
  if (source_bytes > 0) {
    source = global_memory(*warp.worker, from, source_bytes, false);
    if (source == nullptr) {
      return report_fault(warp, instruction, Fault::outside, lane, from,
                          static_cast<int>(source_bytes), ptx::Space::global);
    }
  }
  const auto width = static_cast<int>(bytes);
  if (shared_memory(*warp.worker, to, bytes) == nullptr) {
    return report_fault(warp, instruction, Fault::outside, lane, to, width, ptx::Space::shared);
  }
  if (to % bytes != 0) {
    return report_fault(warp, instruction, Fault::misaligned, lane, to, width, ptx::Space::shared);
  }
  if (source_bytes > 0 && from % bytes != 0) {
    return report_fault(warp, instruction, Fault::misaligned, lane, from, width,
                        ptx::Space::global);
  }
  AsynchronousCopies& asynchronous = copies_of(warp);
  PendingCopy copy{.lane = lane,
                   .group = asynchronous.committed[static_cast<std::size_t>(lane)],
                   .address = to,
                   .bytes = bytes,
                   .source_bytes = source_bytes,
                   .number = asynchronous.started++,
                   .started_at = work_before(warp, instruction)};
  if (source != nullptr) read_global(source, source_bytes, copy.data.data());
  asynchronous.copies.push_back(copy);
}

// Checks the writes of the instruction's copies for races, like other writes.
void check_targets(Warp& warp, const Instruction& instruction, int bytes, std::size_t first_copy) {
  if (warp.worker->shadow.writer == nullptr) return;
  const std::vector<PendingCopy>& copies = copies_of(warp).copies;
  std::int32_t offsets[lanes] = {};
  std::uint32_t addresses[lanes] = {}, started = 0;
  for (std::size_t c = first_copy; c < copies.size(); ++c) {
    const auto lane = static_cast<std::size_t>(copies[c].lane);
    offsets[lane] = window_offset(copies[c].address);
    addresses[lane] = copies[c].address;
    started |= 1u << lane;
  }
  const std::uint32_t all = warp.active;
  warp.active = started;
  find_races(warp, instruction, offsets, bytes, Use::store, addresses);
  warp.active = all;
  for (std::size_t c = first_copy; c < copies.size(); ++c)
    mark_words(warp, copies[c].address, copies[c].bytes, Shadow::being_copied);
}

// Checks the writes of a lane's bulk copy for races.
void check_bulk_target(Warp& warp, const Instruction& instruction, int lane, std::uint32_t address,
                       std::uint32_t bytes) {
  if (warp.worker->shadow.writer == nullptr || bytes == 0) return;
  std::int32_t offsets[lanes] = {};
  std::uint32_t addresses[lanes] = {};
  offsets[lane] = window_offset(address);
  addresses[lane] = address;
  const std::uint32_t all = std::exchange(warp.active, 1u << lane);
  find_races(warp, instruction, offsets, static_cast<int>(bytes), Use::store, addresses);
  warp.active = all;
}

// --- Barriers in shared memory
// ------------------------------------------------------------------------------------

// The 8 bytes of a barrier: the expected arrivals per phase, the pending arrivals and bytes of
// the current phase, and the number of completed phases (modulo 256).
struct Mbarrier {
  std::uint16_t expected = 0, missing = 0;
  std::uint32_t bytes : 24 = 0;  // modulo 2^24: copies may arrive before they are expected
  std::uint32_t phase : 8 = 0;
};
static_assert(sizeof(Mbarrier) == 8);

std::byte* barrier_memory(Warp& warp, const Instruction& instruction, int lane) {
  const std::uint32_t address = shared_address(warp, instruction, lane);
  std::byte* memory = shared_memory(*warp.worker, address, sizeof(Mbarrier));
  if (memory == nullptr) {
    report_fault(warp, instruction, Fault::outside, lane, address, sizeof(Mbarrier),
                 ptx::Space::shared);
  }
  return memory;
}

// Checks that a barrier was initialised before it is used. It is enough to check the
// first and the last lane.
void check_initialised(Warp& warp, const Instruction& instruction, std::uint32_t alike,
                       std::uint32_t address) {
  if (warp.worker->shadow.writer == nullptr) return;
  const int first = __builtin_ctz(alike), last = lanes - 1 - __builtin_clz(alike);
  std::int32_t offsets[lanes];
  std::uint32_t addresses[lanes];
  offsets[first] = offsets[last] = window_offset(address);
  addresses[first] = addresses[last] = address;
  const std::uint32_t all = std::exchange(warp.active, 1u << first | 1u << last);
  find_races(warp, instruction, offsets, sizeof(Mbarrier), Use::atomic, addresses);
  warp.active = all;
}

// Visits each barrier that active lanes give: visit(address, its memory, those lanes).
template <typename Visit>
void for_each_barrier(Warp& warp, const Instruction& instruction, Visit visit) {
  std::uint32_t addresses[lanes];
  for (int lane = 0; lane < lanes; ++lane)
    addresses[lane] = shared_address(warp, instruction, lane);
  for (std::uint32_t rest = warp.active; rest != 0;) {
    const int first = __builtin_ctz(rest);
    std::uint32_t alike = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      alike |= static_cast<std::uint32_t>(addresses[lane] == addresses[first]) << lane;
    }
    alike &= rest;
    rest &= ~alike;
    if (std::byte* memory = barrier_memory(warp, instruction, first)) {
      visit(addresses[first], memory, alike);
    }
  }
}

// The lanes wait for a completed phase: they acquire the clocks of the arrivals.
void learn(Warp& warp, std::uint32_t complete, std::uint32_t address) {
  if (warp.worker->shadow.writer == nullptr) return;
  BlockMachine& machine = *warp.worker->machine;
  machine.acquire(warp, complete, machine.asynchronous().phases[address].completed);
}

Mbarrier load(const std::byte* memory) {
  Mbarrier result;
  std::memcpy(&result, memory, sizeof result);
  return result;
}

void store(std::byte* memory, const Mbarrier& barrier) {
  std::memcpy(memory, &barrier, sizeof barrier);
}

// The lanes arrive at the barrier with that address, and release their clocks for lanes that wait
// for the phase.
void leave_knowledge(Warp& warp, std::uint32_t active, std::uint32_t address) {
  if (warp.worker->shadow.writer == nullptr) return;
  BlockMachine& machine = *warp.worker->machine;
  machine.release(warp, active, machine.asynchronous().phases[address].arrived);
}

void arrive(const Warp& warp, std::uint32_t address, std::byte* memory, std::uint32_t arrivals,
            std::uint32_t bytes) {
  Mbarrier barrier = load(memory);
  const auto arrived = std::min<std::uint32_t>(arrivals, barrier.missing);
  barrier.missing = static_cast<std::uint16_t>(barrier.missing - arrived);
  barrier.bytes = (barrier.bytes - bytes) & 0xffffff;
  if (barrier.missing == 0 && barrier.bytes == 0) {
    ++barrier.phase;
    barrier.missing = barrier.expected;
    PhaseKnowledge& known = warp.worker->machine->asynchronous().phases[address];
    known.completed = known.arrived;
  }
  store(memory, barrier);
}

void finish_bulk_copies(Warp& warp, std::uint64_t work, AsynchronousCopies& asynchronous,
                        std::uint32_t address) {
  const auto here = [&](const PendingBulkCopy& copy) { return copy.barrier == address; };
  for (const PendingBulkCopy& copy : asynchronous.bulk_copies) {
    if (!here(copy)) continue;
    if (const auto bytes = static_cast<std::uint32_t>(copy.data.size()); bytes > 0) {
      std::memcpy(shared_memory(*warp.worker, copy.address, bytes), copy.data.data(), bytes);
      const Mark thread = warp.number * lanes + static_cast<Mark>(copy.lane);
      mark_words(warp, copy.address, bytes,
                 warp.worker->shadow.clock << Shadow::mark_bits | thread);
    }
    leave_knowledge(warp, 1u << copy.lane, address);
    asynchronous.copied_by_work[work_since(copy.started_at, work)] += copy.bytes;
    arrive(warp, address, shared_memory(*warp.worker, address, sizeof(Mbarrier)), 0, copy.bytes);
  }
  std::erase_if(asynchronous.bulk_copies, here);
}

// Completes the copies of all warps that signal this barrier, because a warp waits for it.
void finish_arrivals(Warp& warp, const Instruction& instruction, std::uint32_t address) {
  BlockMachine& machine = *warp.worker->machine;
  for (std::uint32_t number = 0; number < machine.warp_count(); ++number) {
    Warp& other = machine.warp(number);
    const std::uint64_t work =
        number == warp.number ? work_before(warp, instruction) : other.half_multiply_adds;
    finish_bulk_copies(other, work, machine.asynchronous().of_warps[number], address);
    std::vector<PendingArrival>& arrivals = machine.asynchronous().of_warps[number].arrivals;
    const auto here = [&](const PendingArrival& arrival) { return arrival.barrier == address; };
    for (const PendingArrival& arrival : arrivals) {
      if (!here(arrival)) continue;
      finish_copies(other, work, [&](const PendingCopy& copy) {
        return copy.lane == arrival.lane && copy.number < arrival.copies;
      });
      std::byte* memory = shared_memory(*warp.worker, address, sizeof(Mbarrier));
      leave_knowledge(other, 1u << arrival.lane, address);
      arrive(other, address, memory, 1, 0);
    }
    std::erase_if(arrivals, here);
  }
}

// --- Handlers

// Operands are the target in shared memory, the source, how many bytes of it to read
// (zeros fill the rest), and the source's offset; instruction.setting is the size.
void start_copies(Warp& warp, const Instruction& instruction) {
  finish_oldest(warp);
  const auto bytes = static_cast<std::uint32_t>(instruction.setting);
  const std::size_t first_copy = copies_of(warp).copies.size();
  std::uint64_t sources[lanes] = {};
  std::uint32_t targets[lanes] = {}, reading = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!active(warp, lane)) continue;
    sources[lane] =
        long_at(warp, instruction.operands[1], lane) + long_at(warp, instruction.operands[3], lane);
    const std::uint32_t source_bytes = std::min(bytes, words(warp, instruction.operands[2])[lane]);
    targets[lane] = shared_address(warp, instruction, lane);
    if (source_bytes > 0) reading |= 1u << lane;
    start_copy(warp, instruction, lane, sources[lane], bytes, source_bytes);
  }
  AccessCounter& counter = warp.worker->accesses[instruction.index];
  if (reading != 0) {  // writing only zeros is no request
    ++counter.requests;
    note_address(counter, sources[__builtin_ctz(reading)]);
  }
  const bool past_first_level = bytes == 16;  // docs/emulator.md
  const std::uint32_t sectors = past_first_level
                                    ? copied_sectors(sources, targets, reading)
                                    : global_sectors(sources, reading, static_cast<int>(bytes));
  counter.cost += sectors;
  counter.lanes += static_cast<std::uint64_t>(__builtin_popcount(reading));
  copies_of(warp).conflicts +=
      shared_cost(targets, warp.active, static_cast<int>(bytes), true).conflicts;
  if (warp.worker->recorder != nullptr)
    record_copy(warp, instruction.index, sources, reading, sectors, targets);
  check_targets(warp, instruction, static_cast<int>(bytes), first_copy);
}

// Operands are the target, the source, the size in bytes, the barrier, and the
// source's offset. A copy with a fault is reported here. Its bytes arrive all the same, so that no
// thread waits for them forever; what it cannot read is NaN.
void start_bulk_copy(Warp& warp, const Instruction& instruction) {
  for (int lane = 0; lane < lanes; ++lane) {
    if (!active(warp, lane)) continue;
    const std::uint32_t to = shared_address(warp, instruction, lane);
    const std::uint64_t from =
        long_at(warp, instruction.operands[1], lane) + long_at(warp, instruction.operands[4], lane);
    const std::uint32_t bytes = words(warp, instruction.operands[2])[lane];
    const std::byte* source = global_memory(*warp.worker, from, bytes, false);
    const bool has_target = shared_memory(*warp.worker, to, bytes) != nullptr;
    const auto report = [&](Fault fault, std::uint64_t address, int width, ptx::Space space) {
      report_fault(warp, instruction, fault, lane, address, width, space);
    };
    if (source == nullptr) {
      report(Fault::outside, from, static_cast<int>(bytes), ptx::Space::global);
    } else if (!has_target) {
      report(Fault::outside, to, static_cast<int>(bytes), ptx::Space::shared);
    } else if (to % 16 != 0) {
      report(Fault::misaligned, to, 16, ptx::Space::shared);
    } else if (from % 16 != 0) {
      report(Fault::misaligned, from, 16, ptx::Space::global);
    }
    PendingBulkCopy copy{words(warp, instruction.operands[3])[lane],
                         lane,
                         to,
                         bytes,
                         work_before(warp, instruction),
                         {}};
    if (has_target) copy.data.resize(bytes, std::byte{0xff});
    if (has_target && source != nullptr) read_global(source, bytes, copy.data.data());
    copies_of(warp).bulk_copies.push_back(std::move(copy));
    AccessCounter& counter = warp.worker->accesses[instruction.index];
    counter.lanes += bytes;      // counted as accesses of a byte
    counter.cost += bytes / 32;  // sectors: it copies multiples of 16 bytes
    if (!has_target) continue;
    check_bulk_target(warp, instruction, lane, to, bytes);
    mark_words(warp, to, bytes, Shadow::being_copied);
  }
}

void commit_copies(Warp& warp, const Instruction&) {
  for (int lane = 0; lane < lanes; ++lane) {
    if (active(warp, lane)) ++copies_of(warp).committed[static_cast<std::size_t>(lane)];
  }
}

// Waits until at most instruction.setting of a lane's latest groups are in flight. -1 also waits
// for copies that are not committed.
void wait_for_copies(Warp& warp, const Instruction& instruction) {
  const AsynchronousCopies& asynchronous = copies_of(warp);
  finish_copies(warp, work_before(warp, instruction), [&](const PendingCopy& copy) {
    const std::int64_t committed = asynchronous.committed[static_cast<std::size_t>(copy.lane)];
    return active(warp, copy.lane) && copy.group < committed - instruction.setting;
  });
}

void arrive_after_copies(Warp& warp, const Instruction& instruction) {
  ++warp.worker->accesses[instruction.index].requests;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!active(warp, lane)) continue;
    std::byte* memory = barrier_memory(warp, instruction, lane);
    if (memory == nullptr) continue;
    const bool noinc = instruction.setting != 0;
    if (!noinc) {  // this arrival is additional to the expected ones
      Mbarrier barrier = load(memory);
      ++barrier.missing;
      store(memory, barrier);
    }
    AsynchronousCopies& copies = copies_of(warp);
    copies.arrivals.push_back({shared_address(warp, instruction, lane), lane, copies.started});
  }
}

void init_barrier(Warp& warp, const Instruction& instruction) {
  std::int32_t offsets[lanes] = {};
  std::uint32_t addresses[lanes] = {}, sound = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!active(warp, lane)) continue;
    if (std::byte* memory = barrier_memory(warp, instruction, lane)) {
      const auto expected = static_cast<std::uint16_t>(words(warp, instruction.operands[1])[lane]);
      store(memory, {expected, expected, 0, 0});
      addresses[lane] = shared_address(warp, instruction, lane);
      offsets[lane] = window_offset(addresses[lane]);
      sound |= 1u << lane;
    }
  }
  if (warp.worker->shadow.writer == nullptr) return;
  const std::uint32_t all = std::exchange(warp.active, sound);
  find_races(warp, instruction, offsets, sizeof(Mbarrier), Use::store, addresses);
  warp.active = all;
  for (std::uint32_t rest = sound; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const Mark mark = warp.worker->shadow.clock << Shadow::mark_bits | (warp.number * lanes + lane);
    mark_words(warp, addresses[lane], sizeof(Mbarrier), mark);
  }
}

// Operands: the barrier, and the additional bytes that the phase expects.
void expect_bytes(Warp& warp, const Instruction& instruction) {
  const std::uint32_t* const more = words(warp, instruction.operands[1]);
  for_each_barrier(warp, instruction, [&](std::uint32_t, std::byte* memory, std::uint32_t alike) {
    Mbarrier barrier = load(memory);
    for (; alike != 0; alike &= alike - 1) {
      barrier.bytes = (barrier.bytes + more[__builtin_ctz(alike)]) & 0xffffff;
    }
    store(memory, barrier);
  });
}

// Operands: the barrier, the number of arrivals, and the destination of the phase.
void arrive_at_barrier(Warp& warp, const Instruction& instruction) {
  ++warp.worker->accesses[instruction.index].requests;
  const std::uint32_t* const arrivals = words(warp, instruction.operands[1]);
  std::uint32_t* const phases = warp.registers + (instruction.operands[2].bits >> 1);
  const bool is_phase_wanted = instruction.setting != 0;
  for_each_barrier(warp, instruction,
                   [&](std::uint32_t address, std::byte* memory, std::uint32_t alike) {
                     leave_knowledge(warp, alike, address);
                     check_initialised(warp, instruction, alike, address);
                     for (; alike != 0; alike &= alike - 1) {
                       const int lane = __builtin_ctz(alike);
                       const std::uint64_t phase = load(memory).phase;
                       arrive(warp, address, memory, arrivals[lane], 0);
                       if (is_phase_wanted) std::memcpy(phases + 2 * lane, &phase, sizeof phase);
                     }
                   });
}

// Operands: the barrier, the phase (or its parity, when instruction.setting says so), and the
// predicate. A warp that finds the phase incomplete lets other warps run before it tests again.
void wait_for_phase(Warp& warp, const Instruction& instruction) {
  const bool by_parity = instruction.setting != 0;
  const std::uint32_t* const parities = words(warp, instruction.operands[1]);
  std::uint32_t complete = 0;
  for_each_barrier(
      warp, instruction, [&](std::uint32_t address, std::byte* memory, std::uint32_t alike) {
        finish_arrivals(warp, instruction, address);
        check_initialised(warp, instruction, alike, address);
        const std::uint64_t phase = load(memory).phase;
        std::uint32_t done = 0;
        for (std::uint32_t rest = alike; rest != 0; rest &= rest - 1) {
          const int lane = __builtin_ctz(rest);
          const bool is_done = by_parity ? (phase & 1) != (parities[lane] & 1)
                                         : phase != long_at(warp, instruction.operands[1], lane);
          done |= static_cast<std::uint32_t>(is_done) << lane;
        }
        if (done != 0) learn(warp, done, address);
        complete |= done;
      });
  std::uint32_t& predicate = warp.registers[instruction.operands[2].bits >> 1];
  predicate = (predicate & ~warp.active) | complete;
  if (complete != warp.active) warp.status = Status::spinning;
}

PendingLoad& load_of(const Warp& warp, std::uint32_t number) {
  std::vector<PendingLoad>& loads = copies_of(warp).loads;
  if (loads.empty()) loads.resize(warp.worker->machine->context().program->loaded_register_count);
  return loads[number];
}

// The register of number instruction.index gets setting bytes per lane, or a value that nothing
// loads.
void begin_load(Warp& warp, const Instruction& instruction) {
  const auto bytes = static_cast<std::uint64_t>(instruction.setting) *
                     static_cast<std::uint64_t>(__builtin_popcount(warp.active));
  load_of(warp, instruction.index) = {bytes, work_before(warp, instruction), false};
}

void begin_fragment(Warp& warp, const Instruction& instruction) {
  begin_load(warp, instruction);
  load_of(warp, instruction.index).is_fragment = true;
}

// From the register of number setting. Two may be moved into one of 64 bits.
void move_load(Warp& warp, const Instruction& instruction) {
  const PendingLoad from =
      std::exchange(load_of(warp, static_cast<std::uint32_t>(instruction.setting)), PendingLoad{});
  PendingLoad& to = load_of(warp, instruction.index);
  if (from.bytes > 0) to = {to.bytes + from.bytes, from.started_at, from.is_fragment};
}

void end_load(Warp& warp, const Instruction& instruction) {
  PendingLoad& load = load_of(warp, instruction.index);
  if (load.bytes == 0) return;
  const std::uint64_t work = work_since(load.started_at, work_before(warp, instruction));
  AsynchronousCopies& copies = copies_of(warp);
  (load.is_fragment ? copies.fragments_by_work : copies.loaded_by_work)[work] +=
      std::exchange(load.bytes, 0);
}

struct Named {
  std::string_view name;
  Handler handler;
};

constexpr Named handlers[] = {{"start_copies", &start_copies},
                              {"commit_copies", &commit_copies},
                              {"wait_for_copies", &wait_for_copies},
                              {"arrive_after_copies", &arrive_after_copies},
                              {"start_bulk_copy", &start_bulk_copy},
                              {"init_barrier", &init_barrier},
                              {"expect_bytes", &expect_bytes},
                              {"arrive_at_barrier", &arrive_at_barrier},
                              {"wait_for_phase", &wait_for_phase},
                              {"begin_load", &begin_load},
                              {"begin_fragment", &begin_fragment},
                              {"move_load", &move_load},
                              {"end_load", &end_load}};

}  // namespace

std::uint64_t Asynchronous::bytes_in_flight(
    AsynchronousCopies::BytesByWork AsynchronousCopies::*which,
    std::uint64_t half_multiply_adds) const {
  AsynchronousCopies::BytesByWork of_block;
  std::uint64_t all = 0, shorter = 0, most = 0, sum = 0;
  for (const AsynchronousCopies& copies : of_warps) {
    for (const auto& [work, bytes] : copies.*which) {
      of_block[work] += bytes;
      all += bytes;
    }
  }
  for (const auto& [work, bytes] : of_block) {
    if (2 * shorter < all) most = 2 * work;
    shorter += bytes;
    sum += bytes * std::min(work, most);
  }
  return sum / std::max<std::uint64_t>(half_multiply_adds, 1);
}

Handlers asynchronous_handlers(std::string_view name) {
  const auto found = std::ranges::find(handlers, name, &Named::name);
  return found == std::end(handlers) ? Handlers{} : Handlers{found->handler, found->handler};
}

}  // namespace gemm_tutor::simt
