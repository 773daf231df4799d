// Executes instructions for 32 lanes at a time. This file is compiled once per instruction set of
// the CPU (cmake/Interpreters.cmake), each time with another SIMT_INSTRUCTION_SET. Everything
// in it has internal linkage, so that a function compiled for a newer CPU is never called on an
// older one.
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "simt/count/access_cost.hpp"
#include "simt/exec/address_space.hpp"
#include "simt/exec/machine.hpp"

namespace gemm_tutor::simt {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// --- Operands
// -------------------------------------------------------------------------------------

const u32* at(const Warp& w, Operand operand) {
  return (operand.bits & 1 ? w.constants : w.registers) + (operand.bits >> 1);
}
u32* writable(Warp& w, Operand operand) { return w.registers + (operand.bits >> 1); }

bool has(u32 mask, int lane) { return mask >> lane & 1; }
int first_lane(u32 mask) { return __builtin_ctz(mask); }
int count(u32 mask) { return __builtin_popcount(mask); }

// A value of 64 bits takes two words of a register; memcpy because the storage is of 32-bit words.
template <typename Word>
Word load_word(const u32* words, int lane) {
  Word result;
  std::memcpy(&result, words + lane * (sizeof(Word) / 4), sizeof result);
  return result;
}
template <typename Word>
void store_word(u32* words, int lane, Word value) {
  std::memcpy(words + lane * (sizeof(Word) / 4), &value, sizeof value);
}
template <typename T>
using WordOf = std::conditional_t<sizeof(T) == 8, u64, u32>;

// How the value of one lane is read and written, by its type. Types of fewer than 32 bits are in
// the low bits of a 32-bit word; a bool is a bit of a predicate.
template <typename T>
struct Slot {
  const u32* words;
  Slot(const Warp& w, Operand operand) : words(at(w, operand)) {}
  T operator[](int lane) const {
    const auto word = load_word<WordOf<T>>(words, lane);
    if constexpr (sizeof(T) < 4) {
      return static_cast<T>(word);
    } else {
      return __builtin_bit_cast(T, word);
    }
  }
};

template <>
struct Slot<bool> {
  u32 mask;
  Slot(const Warp& w, Operand operand) : mask(*at(w, operand)) {}
  bool operator[](int lane) const { return has(mask, lane); }
};

template <typename T>
auto to_word(T value) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<u32>(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(u32, value);
  } else {
    return __builtin_bit_cast(u64, value);
  }
}

// The hardware's FP32 arithmetic has one NaN. FP64 arithmetic returns an operand's NaN as a quiet
// NaN: the second operand's before the third's and the first's. Otherwise it returns a default NaN.
float canonical(float value) {
  return value == value ? value : __builtin_bit_cast(float, 0x7fffffffu);
}
double passed_nan(double a) {
  const u64 own = u64{0xfff8} << 48, quiet = u64{1} << 51;
  return __builtin_bit_cast(double, a != a ? __builtin_bit_cast(u64, a) | quiet : own);
}
double passed_nan(double a, double b) { return passed_nan(b != b ? b : a); }
double passed_nan(double a, double b, double c) { return passed_nan(a, b != b ? b : c); }

// The result of an operation on `sources`, with the hardware's NaN if it is one.
template <typename T, typename... Sources>
T with_nan(T result, Sources... sources) {
  if constexpr (std::is_same_v<T, float>) {
    return canonical(result);
  } else if constexpr (std::is_same_v<T, double> && (std::is_same_v<Sources, double> && ...)) {
    return result == result ? result : passed_nan(sources...);
  } else {
    return result;
  }
}

// --- Lane-wise instructions: the result of a lane follows from its own operands
// ----------------------

template <typename Meaning, bool full, typename Result, typename... Sources, std::size_t... place>
void for_each_lane(Warp& w, const Instruction& i, std::index_sequence<place...>) {
  const auto sources = [&](auto... slots) {
    return [=](int lane) { return with_nan(Meaning{}(slots[lane]...), slots[lane]...); };
  }(Slot<Sources>(w, i.operands[1 + place])...);

  if (!full &&
      count(w.active) == 1) {  // common in branches of few lanes; reading the others is slow
    const int lane = first_lane(w.active);
    u32* const words = writable(w, i.operands[0]);
    if constexpr (std::is_same_v<Result, bool>) {
      *words = (*words & ~w.active) | (sources(lane) ? w.active : 0);
    } else {
      store_word<WordOf<Result>>(words, lane, to_word(sources(lane)));
    }
    return;
  }
  if constexpr (std::is_same_v<Result, bool>) {
    u32 bits[lanes];
    for (int lane = 0; lane < lanes; ++lane) bits[lane] = static_cast<u32>(sources(lane)) << lane;
    u32 mask = 0;
    for (int lane = 0; lane < lanes; ++lane) mask |= bits[lane];
    u32* destination = writable(w, i.operands[0]);
    *destination = full ? mask : (*destination & ~w.active) | (mask & w.active);
  } else {
    using Word = WordOf<Result>;
    u32* destination = writable(w, i.operands[0]);
    const u32 active = w.active;
    // A destination may be one of the sources, but only lane by lane.
#pragma GCC ivdep
    for (int lane = 0; lane < lanes; ++lane) {
      const Word value = to_word(sources(lane));
      store_word(destination, lane,
                 full || has(active, lane) ? value : load_word<Word>(destination, lane));
    }
  }
}

// Of a result and its sources, as Handlers::widths has them.
template <typename... Types>
constexpr u32 widths() {
  u32 result = 0, shift = 0;
  for (const u32 width : {(std::is_same_v<Types, bool> ? 1u : sizeof(Types) == 8 ? 3u : 2u)...}) {
    result |= width << shift;
    shift += 2;
  }
  return result;
}

template <typename Function>
struct Signature;
template <typename Meaning, typename Result, typename... Sources>
struct Signature<Result (Meaning::*)(Sources...) const> {
  static constexpr int sources = sizeof...(Sources);
  static constexpr u32 widths = simt::widths<Result, Sources...>();
  template <bool full>
  static void execute(Warp& w, const Instruction& i) {
    for_each_lane<Meaning, full, Result, Sources...>(w, i, std::index_sequence_for<Sources...>());
  }
};

template <typename Meaning>
constexpr Handlers lanewise(Meaning) {
  using Lanes = Signature<decltype(&Meaning::operator())>;
  return {&Lanes::template execute<true>, &Lanes::template execute<false>, Lanes::sources,
          Lanes::widths};
}

#include "simt/exec/interpreter/floating_point.inc"

// What `Meaning` does with doubles, for numbers of a narrow format: one in a word of 16 bits, two
// in one of 32.
template <typename Format, typename Word, typename Function>
struct Narrow;
template <typename Format, typename Word, typename Meaning, typename... Sources>
struct Narrow<Format, Word, double (Meaning::*)(Sources...) const> {
  static u32 part(int shift, std::conditional_t<true, Word, Sources>... sources) {
    return Format::rounded(Meaning{}(Format::value(static_cast<u16>(sources >> shift))...));
  }
  Word operator()(std::conditional_t<true, Word, Sources>... sources) const {
    const u32 low = part(0, sources...);
    if constexpr (sizeof(Word) == 4) return low | part(16, sources...) << 16;
    return static_cast<Word>(low);
  }
};

template <typename Format, typename Meaning>
constexpr Handlers narrow(Meaning) {
  return lanewise(Narrow<Format, u16, decltype(&Meaning::operator())>{});
}
template <typename Format, typename Meaning>
constexpr Handlers narrow_pair(Meaning) {
  return lanewise(Narrow<Format, u32, decltype(&Meaning::operator())>{});
}

// The same for the two floats of 64 bits, and for the halves, of type T, of 32 bits.
template <typename T, typename Word, typename Function>
struct Pair;
template <typename T, typename Word, typename Meaning, typename... Sources>
struct Pair<T, Word, T (Meaning::*)(Sources...) const> {
  static constexpr int bits = 8 * sizeof(T);
  using Part = std::conditional_t<bits == 32, u32, u16>;
  static Word part(int shift, std::conditional_t<true, Word, Sources>... sources) {
    const T result =
        with_nan(Meaning{}(__builtin_bit_cast(T, static_cast<Part>(sources >> shift))...));
    return __builtin_bit_cast(Part, result);
  }
  Word operator()(std::conditional_t<true, Word, Sources>... sources) const {
    return part(0, sources...) | part(bits, sources...) << bits;
  }
};

template <typename T, typename Meaning>
constexpr Handlers pair(Meaning) {
  using Word = std::conditional_t<sizeof(T) == 4, u64, u32>;
  return lanewise(Pair<T, Word, decltype(&Meaning::operator())>{});
}

// Of the lane-wise instructions that follow, until it is set back to the nearest.
void set_rounding(Warp&, const Instruction& i) { std::fesetround(i.setting); }

// Logic on whole predicates, of one or two sources.
template <typename Meaning, bool full>
void predicate_logic(Warp& w, const Instruction& i) {
  u32 result;
  if constexpr (std::is_invocable_v<Meaning, u32>) {
    result = Meaning{}(*at(w, i.operands[1]));
  } else {
    result = Meaning{}(*at(w, i.operands[1]), *at(w, i.operands[2]));
  }
  u32* destination = writable(w, i.operands[0]);
  *destination = full ? result : (*destination & ~w.active) | (result & w.active);
}

template <typename Meaning>
constexpr Handlers predicates(Meaning) {
  return {&predicate_logic<Meaning, true>, &predicate_logic<Meaning, false>,
          std::is_invocable_v<Meaning, u32> ? 1 : 2, widths<bool, bool, bool>()};
}

#include "simt/exec/interpreter/memory.inc"

// --- Arguments and results of calls: operands are the value and where those of all lanes are,
// i.setting bytes for each lane
// -----------------------------------

template <typename T, bool store>
void call_value(Warp& w, const Instruction& i) {
  using Word = WordOf<T>;
  std::byte* memory = reinterpret_cast<std::byte*>(writable(w, i.operands[1])) + i.offset;
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    std::byte* const place = memory + static_cast<u32>(i.setting) * static_cast<u32>(lane);
    T value;
    if constexpr (store) {
      value = static_cast<T>(load_word<Word>(at(w, i.operands[0]), lane));
      std::memcpy(place, &value, sizeof value);
    } else {
      std::memcpy(&value, place, sizeof value);
      store_word(writable(w, i.operands[0]), lane, static_cast<Word>(value));
    }
  }
}

template <typename T, bool store>
constexpr Handlers argument() {
  const Handler handler = &call_value<T, store>;
  return {handler, handler};
}

// --- Atomic operations, on host memory that other cores use at the same time
// -----------------------------------

template <typename T, typename Change>
T change_atomically(std::byte* memory, Change change) {
  using Word = std::conditional_t<sizeof(T) == 2, u16, WordOf<T>>;
  Word* const place = reinterpret_cast<Word*>(memory);
  Word before = __atomic_load_n(place, __ATOMIC_RELAXED);
  Word after = 0;
  do {
    after = __builtin_bit_cast(Word, change(__builtin_bit_cast(T, before)));
  } while (!__atomic_compare_exchange_n(place, &before, after, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return __builtin_bit_cast(T, before);
}

// Checks the lanes of an atomic operation that have no fault.
template <int bytes>
void check_atomic(Warp& w, const Instruction& i, const Addresses<u64>& addresses, u32 sound,
                  u32 sound_in_shared) {
  const u32 active = w.active;
  w.active = sound & ~sound_in_shared;
  if (w.active != 0) check_global(w, i, addresses.lane, bytes, Use::atomic);
  w.active = sound_in_shared;
  if (w.active != 0 && w.worker->shadow.atomic != nullptr) {
    s32 offsets[lanes] = {};
    u32 low[lanes] = {};
    for (int lane = 0; lane < lanes; ++lane) {
      low[lane] = static_cast<u32>(addresses.lane[lane]);
      offsets[lane] = window_offset(low[lane]);
    }
    check_shared(w, i, offsets, bytes, Use::atomic, low);
  }
  w.active = active;
}

// atom and red: operands are the address, the value or values, and, at index 3, the destination of
// the old value, if i.setting says that it is needed. Lane by lane.
template <typename Meaning, typename T, typename... Values, std::size_t... place>
void atomic_operation(Warp& w, const Instruction& i, std::index_sequence<place...>) {
  Addresses<u64> addresses;
  if (i.in_window) {
    const auto low = addresses_of<u32>(w, i, i.operands[0]);
    for (int lane = 0; lane < lanes; ++lane) addresses.lane[lane] = shared_window | low.lane[lane];
  } else {
    addresses = addresses_of<u64>(w, i, i.operands[0]);
  }
  ++w.worker->accesses[i.index].requests;
  w.worker->accesses[i.index].lanes += static_cast<u64>(count(w.active));
  u32 sound = 0, sound_in_shared = 0;
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    const u64 address = addresses.lane[lane];
    const bool shared = (address & window_mask) == shared_window;
    const auto low = static_cast<u32>(address);
    std::byte* memory = shared ? find<Space::shared>(*w.worker, low, sizeof(T), true, lane)
                               : find<Space::global>(*w.worker, address, sizeof(T), true, lane);
    if (memory == nullptr || address % sizeof(T) != 0) {
      report_fault(w, i, memory == nullptr ? Fault::outside : Fault::misaligned, lane,
                   shared ? low : address, sizeof(T), shared ? Space::shared : Space::global);
      continue;
    }
    const auto change = [&](T old, auto... values) -> T {
      return with_nan(Meaning{}(old, values...), old, values...);
    };
    const T before = change_atomically<T>(memory, [&](T old) {
      return change(old, Slot<Values>(w, i.operands[1 + place])[lane]...);
    });
    if (i.setting != 0) store_word(writable(w, i.operands[3]), lane, to_word(before));
    sound |= 1u << lane;
    if (shared) sound_in_shared |= 1u << lane;
  }
  if (w.worker->shadow.writer != nullptr)
    check_atomic<sizeof(T)>(w, i, addresses, sound, sound_in_shared);
}

template <typename Function>
struct AtomicSignature;
template <typename Meaning, typename T, typename... Values>
struct AtomicSignature<T (Meaning::*)(T, Values...) const> {
  static void execute(Warp& w, const Instruction& i) {
    atomic_operation<Meaning, T, Values...>(w, i, std::index_sequence_for<Values...>());
  }
};

// The meaning is of what was there and the values.
template <typename Meaning>
constexpr Handlers atomic(Meaning) {
  const Handler handler = &AtomicSignature<decltype(&Meaning::operator())>::execute;
  return {handler, handler};
}

// --- Control flow
// -------------------------------------------------------------------------------------

// Continues with the lanes on top of the SIMT stack; the warp is done when it is empty.
void pop_stack(Warp& w) {
  while (w.depth > 0) {
    const StackEntry& top = w.stack[--w.depth];
    w.active = top.lanes & w.live;
    w.next = top.instruction;
    w.reconvergence = top.reconvergence;
    if (top.frame != w.frame) leave_frames(w, top.frame);
    if (w.active != 0) return;
  }
  w.active = 0;
  w.status = Status::done;
}

// At the beginning of each basic block. Lanes that have reached their reconvergence point stop.
void begin_block(Warp& w, const Instruction& i) {
  if (w.next - 1 == w.reconvergence) return pop_stack(w);
  BlockCounter& counter = w.worker->blocks[i.index];
  const u64 lanes_here = static_cast<u64>(count(w.active));
  ++counter.executions;
  counter.lanes += lanes_here;
  w.half_multiply_adds += counter.half_multiply_adds * lanes_here;
}

void diverge(Warp& w, const Instruction& i, u32 taken) {
  if (i.reconvergence != w.reconvergence) {
    w.stack[w.depth++] = {w.active, i.reconvergence, w.reconvergence, w.frame};
    w.reconvergence = i.reconvergence;
  }
  w.stack[w.depth++] = {w.active & ~taken, w.next, w.reconvergence, w.frame};
  w.active = taken;
  w.next = i.target;
}

// Lets the warp execute more instructions in loops, if there may be more. True when it is to stop.
bool look_around(Warp& w) {
  while (w.instructions_left < 0 && w.instructions_later > 0) {
    const s64 more = w.instructions_later < instructions_between_looks ? w.instructions_later
                                                                       : instructions_between_looks;
    w.instructions_left += more;
    w.instructions_later -= more;
  }
  if (!asked_to_stop(w)) {
    // It may wait for another warp's write.
    if (others_run(w)) w.status = Status::spinning;
    return false;
  }
  w.status = Status::stopped;
  return true;
}

// Backward jumps count the instructions of their loop (i.setting), because an endless kernel
// repeats them forever.
bool endless(Warp& w, const Instruction& i) {
  ++w.jumps_back[i.index];
  ++w.worker->jumps_back[i.index];
  w.instructions_left -= i.setting;
  if (w.instructions_left >= 0) return false;
  if (look_around(w)) return true;
  if (w.instructions_left >= 0) return false;
  if (w.widest_loop == nullptr || i.setting > w.widest_loop->setting) w.widest_loop = &i;
  if (w.instructions_left >= -w.watched) return false;
  report_fault(w, *w.widest_loop, Fault::endless, first_lane(w.active), 0, 0, Space::global);
  w.status = Status::stopped;
  return true;
}

void branch(Warp& w, const Instruction& i) {
  if (i.setting > 0 && endless(w, i)) return;
  w.next = i.target;
}

void branch_if(Warp& w, const Instruction& i) {
  const u32 predicate = *at(w, i.guard);
  const u32 taken = (i.guard_negated ? ~predicate : predicate) & w.active;
  if (i.setting > 0) {
    if (taken == 0) {
      leave_loop(w, i);
    } else if (endless(w, i)) {
      return;
    }
  }
  if (taken == w.active) {
    w.next = i.target;
  } else if (taken != 0) {
    diverge(w, i, taken);
  }
}

void leave(Warp& w, const Instruction&) {
  w.live &= ~w.active;
  pop_stack(w);
}

// The end of a called function, where all its lanes have reconverged.
void return_to_caller(Warp& w, const Instruction&) {
  return_results(w);
  pop_stack(w);
}

// The end of the body. The compiler leaves out code that it assumes to be unreachable.
void run_off_the_end(Warp& w, const Instruction& i) {
  report_fault(w, i, Fault::end_of_body, first_lane(w.active), 0, 0, Space::generic);
  leave(w, i);
}

void leave_if(Warp& w, const Instruction& i) {
  const u32 predicate = *at(w, i.guard);
  const u32 leaving = (i.guard_negated ? ~predicate : predicate) & w.active;
  w.live &= ~leaving;
  w.active &= ~leaving;
  if (w.active == 0) pop_stack(w);
}

void barrier(Warp& w, const Instruction& i) {
  ++w.worker->blocks[i.index].executions;
  w.status = Status::at_barrier;
  if (w.active != w.live) {
    report_fault(w, i, Fault::divergent_barrier, first_lane(w.live & ~w.active), 0, 0,
                 Space::shared);
    w.status = Status::stopped;
  }
}

void nothing(Warp&, const Instruction&) {}

// An instruction under @%p executes in the lanes whose predicate is true.
void guarded(Warp& w, const Instruction& i) {
  const u32 active = w.active;
  const u32 predicate = *at(w, i.guard);
  w.active = (i.guard_negated ? ~predicate : predicate) & active;
  if (w.active != 0) (w.active == all_lanes ? i.guarded.full : i.guarded.masked)(w, i);
  w.active = active;
}

// Multiply-adds are counted per basic block, predicated ones at each execution.
void count_guarded(Warp& w, const Instruction& i, u64 of_lane) {
  const u32 predicate = *at(w, i.guard);
  const u64 taken = static_cast<u64>(count((i.guard_negated ? ~predicate : predicate) & w.active));
  w.worker->blocks[i.index].lanes += taken;
  w.half_multiply_adds += 2 * taken * of_lane;
}

void guarded_ffma(Warp& w, const Instruction& i) {
  count_guarded(w, i, 1);
  guarded(w, i);
}

void guarded_matrices(Warp& w, const Instruction& i) {
  count_guarded(w, i, static_cast<u64>(multiply_adds(w.worker->products[i.setting]) / lanes));
  guarded(w, i);
}

// --- Between lanes
// ------------------------------------------------------------------------------------

// A .sync instruction waits for all lanes that its mask names and that have not returned.
// `values` has the values of the lanes that have arrived, and then of all that take part. Returns
// the lanes that take part; 0 if others must run first.
template <typename T>
u32 gather(Warp& w, const Instruction& i, Operand mask_operand, T* values) {
  const u32* masks = at(w, mask_operand);
  u32 named = 0;
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    named |= masks[lane];
    if (!has(masks[lane], lane) && w.worker->shadow.writer != nullptr)
      report_fault(w, i, Fault::not_in_mask, lane, masks[lane], 0, Space::generic);
  }
  if ((named & w.live & ~w.active) == 0 && (w.met & w.active) == 0) return w.active;
  u64 brought[lanes] = {};
  for (int lane = 0; lane < lanes; ++lane) brought[lane] = to_word(values[lane]);
  u32 there = 0;
  if (!meet(w, i, masks, brought, there)) return 0;
  for (int lane = 0; lane < lanes; ++lane)
    values[lane] = __builtin_bit_cast(T, static_cast<WordOf<T>>(brought[lane]));
  return there;
}

// __syncwarp(): orders the earlier accesses of the mask's lanes before their later ones.
void warp_barrier(Warp& w, const Instruction& i) {
  u32 nothing[lanes] = {};
  const u32 met = w.met & w.active;
  const u32 there = gather(w, i, i.operands[0], nothing);
  if (there == 0) return;
  const u32* masks = at(w, i.operands[0]);
  u32 unnamed = 0;
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) unnamed |= ~masks[first_lane(rest)];
  const bool all_there = there == w.live || there == (w.live & ~about_to_exit(w));
  if (all_there && (unnamed & w.live) == 0) {
    if (met == 0) w.sync_clock = advance_clock(*w.worker);  // else it was done when all had come
  } else if (w.worker->shadow.writer != nullptr && met == 0) {
    synchronise_lanes(w, i, there);
  }
}

// shfl.sync: operands are the destination, whether the source lane was in range (when i.setting
// says that it is asked for), the source, the lane argument, the clamp with its segment mask, and
// the mask of the lanes that take part.
template <typename SourceLane>
void shuffle(Warp& w, const Instruction& i) {
  u32 values[lanes];
  std::memcpy(values, at(w, i.operands[2]), sizeof values);
  const u32 there = gather(w, i, i.operands[5], values);
  if (there == 0) return;
  const u32* argument = at(w, i.operands[3]);
  const u32* clamp = at(w, i.operands[4]);
  u32* destination = writable(w, i.operands[0]);
  u32 in_range = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!has(w.active, lane)) continue;
    const int segment_mask = static_cast<int>(clamp[lane] >> 8 & 31);
    const int limit = static_cast<int>(clamp[lane] & 31);
    const int lowest = lane & segment_mask;
    const int highest = lowest | (limit & ~segment_mask);
    bool valid = false;
    const int from = SourceLane{}(lane, static_cast<int>(argument[lane] & 31), lowest, highest,
                                  segment_mask, valid);
    destination[lane] = values[valid ? from : lane];
    const bool returned =
        valid && !has(there, from) && has((w.begun & ~w.live) | about_to_exit(w), from);
    if (returned && w.worker->shadow.writer != nullptr) {
      report_fault(w, i, Fault::returned_lane, lane, static_cast<u64>(from), 0, Space::generic);
    }
    in_range |= static_cast<u32>(valid) << lane;
  }
  if (i.setting != 0) {
    u32* predicate = writable(w, i.operands[1]);
    *predicate = (*predicate & ~w.active) | in_range;
  }
}

template <typename SourceLane>
constexpr Handlers shuffles(SourceLane) {
  return {&shuffle<SourceLane>, &shuffle<SourceLane>};
}

// Instructions that use values of several lanes.
template <typename... Types>
constexpr Handlers between_lanes(Handler handler) {
  return {handler, handler, static_cast<int>(sizeof...(Types)) - 1, widths<Types...>()};
}

// Sets `value(lane)` for the lanes that take part.
template <typename Value>
void set_lanes(Warp& w, const Instruction& i, Value value) {
  u32* destination = writable(w, i.operands[0]);
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    destination[lane] = value(lane);
  }
}

void active_mask(Warp& w, const Instruction& i) {
  set_lanes(w, i, [&](int) { return w.active; });
}

// True if each lane's address is in constant memory; or in global memory, which is separate.
template <Space space>
void is_in_space(Warp& w, const Instruction& i) {
  const Slot<u64> addresses(w, i.operands[1]);
  u32 found = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const s64 buffer = global_buffer(addresses[lane]);
    const bool is_constant =
        buffer >= 0 && buffer < w.worker->buffer_count && w.worker->buffers[buffer].constant;
    const u64 window = addresses[lane] & window_mask;
    const bool is_global = !is_constant && window != shared_window && window != local_window;
    found |= u32{space == Space::constant ? is_constant : is_global} << lane;
  }
  u32* destination = writable(w, i.operands[0]);
  *destination = (*destination & ~w.active) | (found & w.active);
}

// For vote, match, redux and elect the last operand is the mask. A lane uses the values of its
// mask's lanes that take part.
template <typename T>
struct Asked {
  T values[lanes] = {};  // what each brings
  u32 there = 0;         // 0: others run first
  const u32* masks;
  Asked(Warp& w, const Instruction& i, Operand mask, const u32* brought) : masks(at(w, mask)) {
    if (brought != nullptr) std::memcpy(values, brought, sizeof values);
    there = gather(w, i, mask, values);
  }
  u32 operator[](int lane) const { return masks[lane] & there; }
};

// The same for a predicate.
struct AskedVotes : Asked<u32> {
  u32 votes = 0;
  AskedVotes(Warp& w, const Instruction& i)
      : Asked<u32>(w, i, i.operands[2], Bits(*at(w, i.operands[1])).lane) {
    for (int lane = 0; lane < lanes; ++lane) votes |= values[lane] << lane;
  }

 private:
  struct Bits {
    u32 lane[lanes];
    explicit Bits(u32 mask) {
      for (int l = 0; l < lanes; ++l) lane[l] = mask >> l & 1;
    }
  };
};

void ballot(Warp& w, const Instruction& i) {
  const AskedVotes asked(w, i);
  if (asked.there == 0) return;
  const u32 votes = asked.votes;
  set_lanes(w, i, [&](int lane) { return votes & asked[lane]; });
}

enum class Vote { any, all, uniform };

template <Vote kind>
void vote(Warp& w, const Instruction& i) {
  const AskedVotes asked(w, i);
  if (asked.there == 0) return;
  const u32 votes = asked.votes;
  u32 carried = 0;
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    const u32 in_favour = votes & asked[lane];
    const bool all = in_favour == asked[lane];
    const bool yes = kind == Vote::any   ? in_favour != 0
                     : kind == Vote::all ? all
                                         : all || in_favour == 0;
    carried |= static_cast<u32>(yes) << lane;
  }
  u32* destination = writable(w, i.operands[0]);
  *destination = (*destination & ~w.active) | carried;
}

// The lanes that have the same value as `lane`.
template <typename T>
u32 alike(const T* values, int lane) {
  u32 result = 0;
  for (int other = 0; other < lanes; ++other)
    result |= static_cast<u32>(values[other] == values[lane]) << other;
  return result;
}

// match.any.sync: the lanes of the mask with the lane's value. match.all.sync: the mask if all have
// the same value, otherwise 0.
template <typename T, bool all>
void match(Warp& w, const Instruction& i) {
  const Asked<T> asked(w, i, i.operands[2], at(w, i.operands[1]));
  if (asked.there == 0) return;
  set_lanes(w, i, [&](int lane) {
    const u32 same = alike(asked.values, lane) & asked[lane];
    return all && same != asked[lane] ? 0 : same;
  });
}

template <typename T, typename Meaning>
void reduce(Warp& w, const Instruction& i) {
  const Asked<T> asked(w, i, i.operands[2], at(w, i.operands[1]));
  if (asked.there == 0) return;
  const T* const values = asked.values;
  u32 last_asked = 0;
  T result{};
  set_lanes(w, i, [&](int lane) {
    if (asked[lane] == 0) return u32{0};
    if (asked[lane] != last_asked) {
      last_asked = asked[lane];
      result = values[first_lane(last_asked)];
      for (u32 rest = last_asked & (last_asked - 1); rest != 0; rest &= rest - 1)
        result = Meaning{}(result, values[first_lane(rest)]);
    }
    return to_word(result);
  });
}

template <typename T, typename Meaning>
constexpr Handlers reduction(Meaning) {
  return between_lanes<T, T, u32>(&reduce<T, Meaning>);
}

// elect.sync: the first lane of the mask is the leader.
void elected_lane(Warp& w, const Instruction& i) {
  const Asked<u32> asked(w, i, i.operands[1], nullptr);
  if (asked.there == 0) return;
  set_lanes(w, i, [&](int lane) {
    return asked[lane] == 0 ? 0 : static_cast<u32>(first_lane(asked[lane]));
  });
}

void is_elected(Warp& w, const Instruction& i) {
  const u32* masks = at(w, i.operands[1]);
  u32 leaders = 0;
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    const u32 asked = masks[lane] & w.active;
    if (asked != 0) leaders |= static_cast<u32>(first_lane(asked) == lane) << lane;
  }
  u32* destination = writable(w, i.operands[0]);
  *destination = (*destination & ~w.active) | leaders;
}

#include "simt/exec/interpreter/matrices.inc"

// --- The table
// ----------------------------------------------------------------------------------------

struct Entry {
  const char* keys;  // separated by spaces
  Handlers handlers;
};

#include "simt/exec/interpreter/instructions.inc"

bool equal(const char* a, const char* b, std::size_t length) {
  return std::memcmp(a, b, length) == 0;
}

Handlers find_handlers(const char* key, std::size_t length) {
  for (const Entry& entry : table) {
    for (const char* begin = entry.keys; *begin != 0;) {
      const char* end = begin;
      while (*end != 0 && *end != ' ') ++end;
      if (static_cast<std::size_t>(end - begin) == length && equal(begin, key, length))
        return entry.handlers;
      begin = *end == 0 ? end : end + 1;
    }
  }
  return {};
}

void run_warp(Warp& w) {
  while (w.status == Status::running) {
    const Instruction& i = w.code[w.next++];
    (w.active == all_lanes ? i.run.full : i.run.masked)(w, i);
  }
}

}  // namespace

extern const InstructionSet SIMT_INSTRUCTION_SET;
const InstructionSet SIMT_INSTRUCTION_SET = {SIMT_INSTRUCTION_SET_NAME, &find_handlers, &run_warp};

}  // namespace gemm_tutor::simt
