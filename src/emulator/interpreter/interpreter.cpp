// What each instruction does, for 32 lanes at a time. This file is compiled once for every
// instruction set of the CPU (cmake/Interpreters.cmake), each time with another
// GEMM_TUTOR_INSTRUCTION_SET; everything in it has internal linkage, so that no function compiled
// for a newer CPU is ever called on an older one.
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "emulator/access_cost.hpp"
#include "emulator/address_space.hpp"
#include "emulator/machine.hpp"

namespace gemm_tutor::emulator {
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

// The hardware's FP32 arithmetic has one NaN. In FP64 it passes on an operand's, made quiet: the
// second's before the third's and the first's. Without one it has a NaN of its own.
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
    // A destination may be one of the sources, but then lane by lane.
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
  static constexpr u32 widths = emulator::widths<Result, Sources...>();
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

#include "emulator/interpreter/floating_point.inc"

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
void set_rounding(Warp&, const Instruction& i) { std::fesetround(static_cast<int>(i.offset)); }

// Logic on whole predicates.
template <typename Meaning, bool full>
void predicate_logic(Warp& w, const Instruction& i) {
  const u32 result = Meaning{}(*at(w, i.operands[1]), *at(w, i.operands[2]));
  u32* destination = writable(w, i.operands[0]);
  *destination = full ? result : (*destination & ~w.active) | (result & w.active);
}

template <typename Meaning>
constexpr Handlers predicates(Meaning) {
  return {&predicate_logic<Meaning, true>, &predicate_logic<Meaning, false>, -1,
          widths<bool, bool, bool>()};
}

// --- Memory
// -----------------------------------------------------------------------------------------

using ptx::Space;

template <typename Address>
struct Addresses {
  alignas(64) Address lane[lanes];
};

// The base register of the address has 64 bits, or 32 for shared and local memory.
template <typename Address>
Addresses<Address> addresses_of(const Warp& w, const Instruction& i, Operand operand) {
  Addresses<Address> result;
  if (sizeof(Address) == 8 || i.wide_address) {
    const u32* base = at(w, operand);
    for (int lane = 0; lane < lanes; ++lane) {
      result.lane[lane] =
          static_cast<Address>(load_word<u64>(base, lane) + static_cast<u64>(i.offset));
    }
  } else {
    const u32* base = at(w, operand);
    for (int lane = 0; lane < lanes; ++lane) {
      result.lane[lane] = base[lane] + static_cast<u32>(i.offset);
    }
  }
  return result;
}

// Constant memory is kept with the global buffers, none of which is at its address.
template <Space space>
constexpr bool is_in_buffers = space == Space::global || space == Space::constant;

template <Space space>
using AddressOf = std::conditional_t<is_in_buffers<space>, u64, u32>;

template <Space space>
std::byte* find(const Worker& worker, AddressOf<space> address, u64 bytes, bool store, int lane) {
  if constexpr (is_in_buffers<space>) {
    return global_memory(worker, address, bytes, store);
  } else if constexpr (space == Space::shared) {
    return shared_memory(worker, address, static_cast<u32>(bytes));
  } else {
    return window_memory(worker.local_variables, worker.local_variable_count,
                         worker.local + std::size_t{worker.local_bytes} * static_cast<u32>(lane),
                         address, static_cast<u32>(bytes));
  }
}

template <Space space>
auto cost_of(const Instruction& i, const AddressOf<space>* addresses, u32 active, int bytes,
             bool store) {
  using Cost = typename Pattern<AddressOf<space>>::Cost;
  if constexpr (space == Space::global) {
    return Cost{static_cast<u16>(global_sectors(addresses, active, bytes)), 0};
  } else if constexpr (space == Space::constant) {
    return Cost{static_cast<u16>(distinct_addresses(addresses, active)), 0};
  } else {
    const SharedCost cost = shared_cost(addresses, active, bytes, store);
    Cost result{static_cast<u16>(cost.wavefronts), static_cast<u16>(cost.conflicts)};
    for (int w = 0; i.may_be_joined && w < 2; ++w) {
      const u32 wide = 8u << w;
      if (wide <= static_cast<u32>(bytes)) continue;
      u32 starts[lanes];
      for (int lane = 0; lane < lanes; ++lane) starts[lane] = addresses[lane] / wide * wide;
      const SharedCost joined = shared_cost(starts, active, static_cast<int>(wide), store);
      result.wide_cost[w] = static_cast<u16>(joined.wavefronts);
      result.wide_conflicts[w] = static_cast<u16>(joined.conflicts);
      result.is_first[w] = addresses[first_lane(active)] % wide == i.first_at;
    }
    return result;
  }
}

// Brings `pattern` up to date with the request; true when it already was.
template <typename Address>
bool recognise(Pattern<Address>& pattern, AccessCounter& counter,
               const Addresses<Address>& addresses, u32 active) {
  if (count(active) == 1 && count(pattern.active) == 1) {  // one lane is like another in all else
    const bool is_same = pattern.active == active;
    pattern.active = active;
    return is_same;
  }
  const Address first = addresses.lane[first_lane(active)];
  alignas(64) Address relative[lanes];
  for (int lane = 0; lane < lanes; ++lane) {
    relative[lane] = active == all_lanes || has(active, lane) ? addresses.lane[lane] - first : 0;
  }
  Address difference = 0;
  for (int lane = 0; lane < lanes; ++lane) difference |= relative[lane] ^ pattern.relative[lane];
  if (difference == 0 && pattern.active == active) return true;

  count_requests(counter, pattern);
  using Signed = std::make_signed_t<Address>;
  Signed lowest = 0, highest = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const Signed value = static_cast<Signed>(relative[lane]);
    lowest = value < lowest ? value : lowest;
    highest = value > highest ? value : highest;
    pattern.relative[lane] = relative[lane];
  }
  pattern.lowest = static_cast<Address>(lowest);
  pattern.highest = static_cast<Address>(highest);
  pattern.active = active;
  pattern.known_costs = 0;
  pattern.reach = 0;
  return false;
}

// What follows from the lanes' addresses for requests of so many bytes.
template <typename Address>
void set_shape(Pattern<Address>& pattern, int bytes) {
  using Shape = typename Pattern<Address>::Shape;
  Address all = 0, gaps = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    all |= pattern.relative[lane];
    gaps |= pattern.relative[lane] ^ static_cast<Address>(lane * bytes);
  }
  pattern.aligned = all % static_cast<Address>(bytes) == 0;
  pattern.by_lines = all % LineCopies::line_bytes == 0 && all != 0;
  pattern.shape = all == 0 ? Shape::same : gaps == 0 ? Shape::contiguous : Shape::other;
}

// Finds the distinct words, of `unit` bytes, of a pattern that is new.
void find_words(Words& words, const Instruction& i, const Pattern<u32>& pattern, int bytes,
                int unit) {
  words.count = 0;
  words.overlap = false;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!has(pattern.active, lane)) continue;
    for (int byte = 0; byte < bytes; byte += unit) {
      if (has(i.unused_words, byte / 4)) continue;
      const s32 relative = static_cast<s32>(pattern.relative[lane]) + byte;
      int at = 0;
      while (at < words.count && words.relative[at] != relative) ++at;
      if (at < words.count) {
        words.lane[at] = Words::several;
        words.overlap = true;
      } else {
        words.relative[at] = relative;
        words.lane[at] = static_cast<u8>(lane);
        ++words.count;
      }
    }
  }
  words.dense = true;
  for (int k = 0; k < words.count; ++k) {
    words.dense = words.dense && words.relative[k] == words.relative[0] + unit * k;
  }
}

constexpr u32 nothing_known[SharedShadow::who_mask + 1] = {};

// Whether the warp's lanes know that what was done to the words since the last barrier comes before
// this: by the lane itself, by the warp before its last __syncwarp(), or by others.
template <bool store, typename Place>
bool is_known(const Warp& w, const Words& words, Place place) {
  const u32* const known = w.known != nullptr ? w.known : nothing_known;
  const SharedShadow shadow = w.worker->shadow;
  const u32 first_thread = w.number * lanes, several = SharedShadow::several + w.number;
  const Mark window = shadow.window(), synchronised = w.sync_clock << SharedShadow::mark_bits;
  const auto is_later = [&](Mark mark, int k) {
    const Mark who = mark & SharedShadow::who_mask, lane = words.lane[k];
    const bool own = (lane != Words::several) & (who == first_thread + lane);
    const bool of_warp = (who - first_thread < lanes) | (who == several);
    const bool is_before = (mark < window) | (of_warp & (mark < synchronised)) |
                           (mark >> SharedShadow::mark_bits <= known[who]);
    return !own & !is_before;
  };
  u32 suspicious = 0;
  for (int k = 0; k < words.count; ++k) {
    const Mark mark = shadow.writer[place(k)];
    suspicious |= is_later(mark, k) | (!store & (mark == 0));
  }
  for (u32 t = 0; store && t < shadow.tables; ++t) {
    const Mark* const readers = shadow.reader + t * shadow.stride;
    for (int k = 0; k < words.count; ++k) suspicious |= is_later(readers[place(k)], k);
  }
  return suspicious == 0;
}

// Decides for all words together that no access since the last barrier could race with this one,
// and that what is read was written; marks what is stored. False where each lane must be checked.
// `place(k)` is where the marks of the k-th word are.
template <bool store, typename Place>
bool pass_words(const Warp& w, const Words& words, s32 count, Place place) {
  const SharedShadow shadow = w.worker->shadow;  // copies, which no store to a mark can change
  const Mark window = shadow.window();
  u32 suspicious = 0;
  for (int k = 0; k < count; ++k) {
    const Mark mark = shadow.writer[place(k)];
    suspicious |=
        store ? mark >= window : mark - 1 >= window - 1;  // 0, never written, is above all
  }
  for (u32 t = 0; store && t < shadow.tables; ++t) {
    const Mark* const readers = shadow.reader + t * shadow.stride;
    for (int k = 0; k < count; ++k) suspicious |= readers[place(k)] >= window;
  }
  if (suspicious && !is_known<store>(w, words, place)) return false;
  const Mark now = shadow.clock << SharedShadow::mark_bits;
  const Mark several = SharedShadow::several + w.number;
#pragma GCC ivdep
  for (int k = 0; store && k < count; ++k) {
    const Mark lane = words.lane[k];
    shadow.writer[place(k)] = now | (lane == Words::several ? several : w.number * lanes + lane);
  }
  return true;
}

// Words mostly are one, or contiguous: then the compiler vectorises the loops.
template <bool store>
bool pass_words(const Warp& w, const Words& words, s32 first) {
  const int shift = w.worker->shadow.shift;
  const s32 begin = (first + words.relative[0]) >> shift;
  const auto contiguous = [=](int k) { return begin + k; };
  if (words.dense && words.count == lanes) return pass_words<store>(w, words, lanes, contiguous);
  if (words.dense) return pass_words<store>(w, words, words.count, contiguous);
  return pass_words<store>(w, words, words.count,
                           [&](int k) { return (first + words.relative[k]) >> shift; });
}

// Whether all words of the parts, which are not 0, were written before the last barrier. They are
// looked at once after each.
bool are_settled(const Worker& worker, u64 parts) {
  RecentAccesses& recent = *worker.recent;
  for (u64 rest = parts & recent.unseen; rest != 0; rest &= rest - 1) {
    const int part = __builtin_ctzll(rest);
    const int shift = recent.shift - worker.shadow.shift;
    const s32 begin = part << shift, end = (part + 1) << shift;
    const s32 words = (end < recent.words ? end : recent.words) - begin;
    const Mark* const marks = worker.shadow.writer + begin;
    const Mark window = worker.shadow.window();
    u32 suspicious = 0;
    for (int k = 0; k < words; ++k) suspicious |= marks[k] - 1 >= window - 1;
    if (!suspicious) recent.doubtful &= ~(u64{1} << part);
  }
  recent.unseen &= ~parts;
  return (parts & recent.doubtful) == 0;
}

// Leaves the read's marks for later.
void note_read(Warp& w, u32 access, s32 first, u64 parts) {
  RecentAccesses& recent = *w.worker->recent;
  const u32 clock = w.worker->shadow.clock;
  if (recent.count == RecentAccesses::most_reads ||
      recent.reader_count == RecentAccesses::most_readers) {
    leave_read_marks(*w.worker);
  }
  const RecentAccesses::Reader* last = recent.readers + recent.reader_count - 1;
  if (recent.reader_count == 0 || last->warp != w.number || last->clock != clock) {
    recent.readers[recent.reader_count++] = {recent.count, w.number, clock, w.sync_clock};
  }
  recent.reads[recent.count++] = {access, first};
  recent.read |= parts;
}

// Whether all lanes store the same to one place.
template <int bytes>
bool stores_one_value(const Warp& w, const Instruction& i, const SharedPattern& pattern) {
  if (bytes > 4 || w.active != all_lanes || pattern.shape != SharedPattern::Shape::same)
    return false;
  const u32* const values = at(w, i.operands[1]);
  u32 difference = 0;
  for (int lane = 0; lane < lanes; ++lane) difference |= values[lane] ^ values[0];
  return difference == 0;
}

// The fast path of the checks, of a pattern from `first` on. False where each lane must be checked.
template <int bytes, bool store>
bool pass(Warp& w, const Instruction& i, u32 access, const SharedPattern& pattern, s32 first) {
  RecentAccesses& recent = *w.worker->recent;
  const u64 parts = recent.parts(first + static_cast<s32>(pattern.lowest),
                                 first + static_cast<s32>(pattern.highest) + bytes - 1);
  if (store) {
    if (pattern.words.overlap && !stores_one_value<bytes>(w, i, pattern)) return false;
    if ((parts & recent.read) != 0) leave_read_marks(*w.worker);
    if (!pass_words<true>(w, pattern.words, first)) return false;
    recent.note_write(parts);
    touch_of(*w.worker, access, w.number) = {w.worker->shadow.clock, first, w.active};
  } else {
    if ((parts & recent.doubtful) != 0 && !are_settled(*w.worker, parts) &&
        !pass_words<false>(w, pattern.words, first)) {
      return false;
    }
    note_read(w, access, first, parts);
  }
  return true;
}

// One element for each lane: moved between memory and `vector` registers of type T.
template <typename T, int vector, bool store>
struct Move {
  using Word = WordOf<T>;
  u32* registers[vector];

  Move(Warp& w, const Instruction& i) {
    for (int v = 0; v < vector; ++v) {
      registers[v] = const_cast<u32*>(at(w, i.operands[store ? 1 + v : v]));
    }
  }

  // `others_write`: threads of this program that run other blocks may write the memory meanwhile.
  template <bool others_write>
  void lane(int l, std::byte* memory) const {
    for (int v = 0; v < vector; ++v) {
      T value;
      T* const place = reinterpret_cast<T*>(memory + v * sizeof(T));
      if constexpr (store) {
        value = static_cast<T>(load_word<Word>(registers[v], l));
        if constexpr (others_write) {
          __atomic_store_n(place, value, __ATOMIC_RELAXED);
        } else {
          std::memcpy(place, &value, sizeof(T));
        }
      } else {
        if constexpr (others_write) {
          value = __atomic_load_n(place, __ATOMIC_RELAXED);
        } else {
          std::memcpy(&value, place, sizeof(T));
        }
        store_word(registers[v], l, static_cast<Word>(value));
      }
    }
  }

  // Of each active lane, from `memory` + its relative address on.
  template <bool others_write, typename Address>
  void all(u32 active, std::byte* memory, const Pattern<Address>& pattern) const {
    using Offset = std::make_signed_t<Address>;
    if (active != all_lanes) {
      for (u32 rest = active; rest != 0; rest &= rest - 1) {
        const int l = first_lane(rest);
        lane<others_write>(l, memory + static_cast<Offset>(pattern.relative[l]));
      }
    } else if (others_write || store) {
      // A copy: what is written could, for all the compiler knows, be the addresses.
      alignas(64) Offset relative[lanes];
      std::memcpy(relative, pattern.relative, sizeof relative);
      for (int l = 0; l < lanes; ++l) lane<others_write>(l, memory + relative[l]);
    } else {
      for (int v = 0; v < vector; ++v) {
        load_all(registers[v], memory + v * sizeof(T), pattern);
      }
    }
  }

  // The same of one register, and of memory that nobody writes meanwhile.
  template <typename Address>
  static void load_all(u32* destination, const std::byte* memory, const Pattern<Address>& pattern) {
    using Shape = typename Pattern<Address>::Shape;
    alignas(64) T values[lanes];
    if (pattern.shape == Shape::same) {
      std::memcpy(values, memory, sizeof(T));
      for (int l = 1; l < lanes; ++l) values[l] = values[0];
    } else if (pattern.shape == Shape::contiguous && vector == 1) {
      std::memcpy(values, memory, sizeof values);
    } else {
      for (int l = 0; l < lanes; ++l) {
        const auto offset = static_cast<std::make_signed_t<Address>>(pattern.relative[l]);
        std::memcpy(&values[l], memory + offset, sizeof(T));
      }
    }
    for (int l = 0; l < lanes; ++l) store_word(destination, l, static_cast<Word>(values[l]));
  }

  // What a lane reads where there is nothing to read: a NaN, so that the result shows it, and is
  // the same in every run.
  void poison(int l) const {
    if constexpr (!store) {
      for (int v = 0; v < vector; ++v) {
        store_word(registers[v], l, static_cast<Word>(0x7fffffff7fffffff));
      }
    }
  }
};

// A thread's local memory must be written before it is read.
template <int bytes, bool store>
void check_local(Warp& w, const Instruction& i, int lane, u32 address, const std::byte* memory) {
  if (w.worker->local_written == nullptr) return;
  u8* written = w.worker->local_written + (memory - w.worker->local);
  bool all = true;
  for (int byte = 0; byte < bytes; ++byte) {
    all = all && written[byte];
    if (store) written[byte] = 1;
  }
  if (!store && !all) report_fault(w, i, Fault::uninitialised, lane, address, bytes, Space::local);
}

// The checked path of a request: lane by lane, each fault reported and not carried out. Returns the
// lanes without a fault.
template <typename T, int vector, Space space, bool store>
u32 checked_request(Warp& w, const Instruction& i, const Addresses<AddressOf<space>>& addresses) {
  constexpr int bytes = sizeof(T) * vector;
  const Move<T, vector, store> move(w, i);
  u32 sound = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!has(w.active, lane)) continue;
    const auto address = addresses.lane[lane];
    std::byte* memory = find<space>(*w.worker, address, bytes, store, lane);
    if (memory == nullptr) {
      const bool there = find<space>(*w.worker, address, bytes, false, lane) != nullptr;
      report_fault(w, i, there ? Fault::read_only : Fault::outside, lane, address, bytes, space);
      move.poison(lane);
    } else if (address % bytes != 0) {
      report_fault(w, i, Fault::misaligned, lane, address, bytes, space);
      move.poison(lane);
    } else {
      if constexpr (space == Space::local) check_local<bytes, store>(w, i, lane, address, memory);
      move.template lane<is_in_buffers<space>>(lane, memory);
      sound |= 1u << lane;
    }
  }
  return sound;
}

template <bool store>
Use use_of(const Instruction& i) {
  if (i.is_volatile) return store ? Use::volatile_store : Use::volatile_load;
  return store ? Use::store : Use::load;
}

// Whether the fast path knows of the words of shared memory all that it needs.
bool checks_by_words(const Worker& worker) { return worker.shadow.atomic == nullptr; }

// Races and words never written; `first` is where the first active lane's address is in shared
// memory.
template <int bytes, bool store>
void check(Warp& w, const Instruction& i, u32 access, const Addresses<u32>& addresses, s32 first) {
  SharedPattern& pattern = w.worker->shared_patterns[access];
  if (checks_by_words(*w.worker)) {
    if (pattern.words.count == 0)
      find_words(pattern.words, i, pattern, bytes, 1 << w.worker->shadow.shift);

    if (pass<bytes, store>(w, i, access, pattern, first)) return;
  }
  s32 offsets[lanes];
  for (int lane = 0; lane < lanes; ++lane)
    offsets[lane] = first + static_cast<s32>(pattern.relative[lane]);
  touch_of(*w.worker, access, w.number) = {w.worker->shadow.clock, first, w.active};
  check_shared(w, i, offsets, bytes, use_of<store>(i), addresses.lane);
}

// What the lanes of a request did that broke no rule, where others did.
template <int bytes, Space space, bool store>
void check_sound(Warp& w, const Instruction& i, const Addresses<AddressOf<space>>& addresses,
                 u32 sound) {
  const Worker& worker = *w.worker;
  const u32 active = w.active;
  w.active = sound;
  if constexpr (is_in_buffers<space>) {
    check_global(w, i, addresses.lane, bytes, use_of<store>(i));
  } else if (worker.shadow.writer != nullptr) {
    s32 offsets[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      offsets[lane] = has(sound, lane) ? window_offset(addresses.lane[lane]) : 0;
    check_shared(w, i, offsets, bytes, use_of<store>(i), addresses.lane);
  }
  w.active = active;
}

template <Space space>
void record(const Warp& w, u32 access, const Addresses<AddressOf<space>>& addresses,
            typename Pattern<AddressOf<space>>::Cost cost) {
  if constexpr (space == Space::global) {
    record_global(w, access, addresses.lane, cost.cost);
  } else if constexpr (space == Space::shared) {
    record_shared(w, access, addresses.lane, cost.cost, cost.conflicts);
  }
}

template <Space space>
auto& pattern_of(const Worker& worker, u32 access) {
  if constexpr (is_in_buffers<space>) {
    return worker.global_patterns[access];
  } else {
    return worker.shared_patterns[access];
  }
}

// Where all addresses of the pattern are in a buffer or variable that may be accessed like this,
// for which first addresses. Not for memory that others write meanwhile or that has marks.
template <Space space, bool store>
void set_reach(const Worker& worker, Pattern<AddressOf<space>>& pattern, AddressOf<space> first,
               u64 span) {
  pattern.reach = 0;
  using Address = AddressOf<space>;
  Address begin = 0;
  u64 bytes = 0;
  if constexpr (is_in_buffers<space>) {
    const s64 number = global_buffer(first);
    const GlobalBuffer& buffer = worker.buffers[number];
    if (store || !buffer.read_only || buffer.marks != nullptr) return;
    begin = global_address(static_cast<u64>(number));
    bytes = buffer.bytes;
    pattern.memory = buffer.host;
  } else {
    const s32 number = window_variable(first);
    const WindowVariable& variable = worker.shared_variables[number];
    begin = window_address(static_cast<u32>(number), static_cast<u32>(variable.begin));
    bytes = static_cast<u64>(variable.end - variable.begin);
    pattern.memory = worker.shared + variable.begin;
  }
  pattern.begin = begin - pattern.lowest;
  pattern.memory -= static_cast<std::make_signed_t<Address>>(pattern.lowest);
  pattern.reach = static_cast<Address>(bytes - span + 1);
}

// Global and shared memory: all lanes checked together by the lowest and the highest address.
// `access` says where it is counted.
template <typename T, int vector, Space space, bool store>
void request(Warp& w, const Instruction& i, u32 access,
             const Addresses<AddressOf<space>>& addresses) {
  using Address = AddressOf<space>;
  constexpr int bytes = sizeof(T) * vector;
  Worker& worker = *w.worker;
  const u32 active = w.active;
  const Address first = addresses.lane[first_lane(active)];

  auto& pattern = pattern_of<space>(worker, access);
  if (!recognise(pattern, worker.accesses[access], addresses, active)) {
    set_shape(pattern, bytes);
    if constexpr (space == Space::shared) {
      if (worker.shadow.writer != nullptr) leave_read_marks(worker);  // by the words before
      pattern.words.count = 0;
    }
  }
  const u32 place = first % Pattern<Address>::sector_bytes;
  auto& cost = pattern.cost[place];
  if (!has(pattern.known_costs, static_cast<int>(place))) {
    cost = cost_of<space>(i, addresses.lane, active, bytes, store);
    pattern.known_costs |= 1u << place;
  }
  ++pattern.requests[place];
  note_address(worker.accesses[access], first);
  if (worker.recorder != nullptr) [[unlikely]]
    record<space>(w, access, addresses, cost);

  const u64 span = static_cast<Address>(pattern.highest - pattern.lowest) + u64{bytes};
  std::byte* lowest = find<space>(worker, first + pattern.lowest, span, store, 0);
  if (lowest == nullptr || first % bytes != 0 || !pattern.aligned) {
    const u32 sound = checked_request<T, vector, space, store>(w, i, addresses);
    return check_sound<bytes, space, store>(w, i, addresses, sound);
  }
  const bool is_simple =
      is_in_buffers<space> || worker.shadow.writer == nullptr || checks_by_words(worker);
  if (active == all_lanes && is_simple) set_reach<space, store>(worker, pattern, first, span);

  std::byte* memory = lowest - static_cast<std::make_signed_t<Address>>(pattern.lowest);
  if constexpr (space == Space::shared) {
    if (worker.shadow.writer != nullptr) {
      check<bytes, store>(w, i, access, addresses, static_cast<s32>(memory - worker.shared));
    }
  } else if (worker.buffers[global_buffer(first)].marks != nullptr) {
    check_global(w, i, addresses.lane, bytes, use_of<store>(i));
  }

  const Move<T, vector, store> move(w, i);
  if constexpr (is_in_buffers<space>) {
    if (!worker.buffers[global_buffer(first)].read_only) {
      return move.template all<true>(active, memory, pattern);
    }
  }
  if constexpr (space != Space::global || !store) move.template all<false>(active, memory, pattern);
}

// Whether all lanes' addresses, of that type in the registers, are as far from the first as the
// pattern says.
template <typename Register, typename Address>
bool fits(const Pattern<Address>& pattern, const u32* base) {
  const auto first = static_cast<Address>(load_word<Register>(base, 0));
  Address difference = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto address = static_cast<Address>(load_word<Register>(base, lane));
    difference |= (address - first) ^ pattern.relative[lane];
  }
  return difference == 0;
}

// Each lane reads at the same place of another line, from memory that nobody writes meanwhile.
// False where none but this request is known to go to these lines.
template <typename T>
bool load_by_lines(LineCopies& copies, const Pattern<u64>& pattern, const std::byte* memory,
                   u32* destination) {
  using Word = WordOf<T>;
  constexpr auto line_bytes = LineCopies::line_bytes;
  const auto place = reinterpret_cast<std::uintptr_t>(memory) % line_bytes;
  const std::byte* const line = memory - place;
  u64 difference = 0;
  for (int l = 0; l < lanes; ++l) difference |= copies.relative[l] ^ pattern.relative[l];
  if (copies.line != line || difference != 0) {
    copies.line = line;
    copies.copied = false;
    std::memcpy(copies.relative, pattern.relative, sizeof copies.relative);
    return false;
  }
  for (int l = 0; !copies.copied && l < lanes; ++l) {
    std::memcpy(copies.data[l], line + static_cast<s64>(pattern.relative[l]), line_bytes);
  }
  copies.copied = true;
  T values[lanes];
  for (int l = 0; l < lanes; ++l) std::memcpy(&values[l], copies.data[l] + place, sizeof(T));
  for (int l = 0; l < lanes; ++l) store_word(destination, l, static_cast<Word>(values[l]));
  return true;
}

// Most loops go on by the same step: fetches what the instruction reads next, if it is so.
void prefetch_next(Pattern<u64>& pattern, u64 first, const std::byte* memory) {
  const u64 next = reinterpret_cast<u64>(memory) + (first - pattern.last);
  pattern.last = first;
  if (pattern.shape == Pattern<u64>::Shape::contiguous) {
    __builtin_prefetch(reinterpret_cast<const void*>(next));
    __builtin_prefetch(reinterpret_cast<const void*>(next + 64));
  }
}

// Carries out a request of all lanes that is like the instruction's last one, if it is.
template <typename T, int vector, Space space, bool store>
bool repeated_request(Warp& w, const Instruction& i) {
  using Address = AddressOf<space>;
  constexpr int bytes = sizeof(T) * vector;
  const Worker& worker = *w.worker;
  auto& pattern = pattern_of<space>(worker, i.index);
  const u32* const base = at(w, i.operands[store ? 0 : 5]);
  // The low half of a wide register is its first word.
  const Address first = load_word<Address>(base, 0) + static_cast<Address>(i.offset);
  const u32 place = first % Pattern<Address>::sector_bytes;
  if (first - pattern.begin >= pattern.reach || first % bytes != 0 || worker.recorder != nullptr ||
      !has(pattern.known_costs, static_cast<int>(place))) {
    return false;
  }
  const bool is_wide = sizeof(Address) == 8 || i.wide_address;
  if (!(is_wide ? fits<u64>(pattern, base) : fits<u32>(pattern, base))) return false;
  std::byte* const memory = pattern.memory + (first - pattern.begin);
  if constexpr (space == Space::shared) {
    if (worker.shadow.writer != nullptr &&
        !pass<bytes, store>(w, i, i.index, pattern, static_cast<s32>(memory - worker.shared))) {
      return false;
    }
  }
  ++pattern.requests[place];
  if constexpr (space == Space::global && vector == 1) {
    if (pattern.by_lines) {
      LineCopies& copies = worker.line_copies[global_buffer(first) % LineCopies::kept];
      if (load_by_lines<T>(copies, pattern, memory, writable(w, i.operands[0]))) return true;
    }
  }
  if constexpr (space == Space::global) prefetch_next(pattern, first, memory);
  Move<T, vector, store>(w, i).template all<false>(all_lanes, memory, pattern);
  return true;
}

template <typename T, int vector, Space space, bool store>
void memory_instruction(Warp& w, const Instruction& i) {
  if constexpr (space == Space::local) {
    ++w.worker->accesses[i.index].requests;
    checked_request<T, vector, space, store>(w, i,
                                             addresses_of<u32>(w, i, i.operands[store ? 0 : 5]));
  } else {
    request<T, vector, space, store>(
        w, i, i.index, addresses_of<AddressOf<space>>(w, i, i.operands[store ? 0 : 5]));
  }
}

// The same of all lanes.
template <typename T, int vector, Space space, bool store>
void memory_instruction_of_all(Warp& w, const Instruction& i) {
  if (repeated_request<T, vector, space, store>(w, i)) return;
  memory_instruction<T, vector, space, store>(w, i);
}

// A generic address says itself which memory it means; lanes may even differ. What goes to each is
// counted by itself, in the order global, shared, local.
template <typename T, int vector, bool store>
void generic_instruction(Warp& w, const Instruction& i) {
  const auto addresses = addresses_of<u64>(w, i, i.operands[store ? 0 : 5]);
  const u32 active = w.active;
  u32 rest = active;
  while (rest != 0) {
    const u64 window = addresses.lane[first_lane(rest)] & window_mask;
    u32 alike = 0;
    Addresses<u32> low;
    for (int lane = 0; lane < lanes; ++lane) {
      if ((addresses.lane[lane] & window_mask) == window) alike |= 1u << lane;
      low.lane[lane] = static_cast<u32>(addresses.lane[lane]);
    }
    w.active = rest & alike;
    if (window == shared_window) {
      request<T, vector, Space::shared, store>(w, i, i.index + 1, low);
    } else if (window == local_window) {
      ++w.worker->accesses[i.index + 2].requests;
      checked_request<T, vector, Space::local, store>(w, i, low);
    } else {
      request<T, vector, Space::global, store>(w, i, i.index, addresses);
    }
    rest &= ~alike;
  }
  w.active = active;
}

template <typename T, int vector, Space space, bool store>
constexpr Handlers memory() {
  const Handler handler = &memory_instruction<T, vector, space, store>;
  if constexpr (space == Space::local || (space == Space::global && store))
    return {handler, handler};
  return {&memory_instruction_of_all<T, vector, space, store>, handler};
}
template <typename T, int vector, bool store>
constexpr Handlers generic() {
  const Handler handler = &generic_instruction<T, vector, store>;
  return {handler, handler};
}

// --- Arguments and results of calls: operands are the value and where those of all lanes are,
// i.target bytes for each lane
// -----------------------------------

template <typename T, bool store>
void call_value(Warp& w, const Instruction& i) {
  using Word = WordOf<T>;
  std::byte* memory = reinterpret_cast<std::byte*>(writable(w, i.operands[1])) + i.offset;
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    std::byte* const place = memory + std::size_t{i.target} * static_cast<u32>(lane);
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

// Checks what the lanes of an atomic operation did that broke no rule.
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

// atom and red: operands are the address, the value or values, and at 3 where the value that was
// there goes, if i.target says that it is asked for. Lane by lane.
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
    if (i.target != 0) store_word(writable(w, i.operands[3]), lane, to_word(before));
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
  ++counter.executions;
  counter.lanes += static_cast<u64>(count(w.active));
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
    // It may wait for what another warp writes.
    if (others_run(w)) w.status = Status::spinning;
    return false;
  }
  w.status = Status::stopped;
  return true;
}

// Backward jumps count the instructions of the loop they close (i.offset): a kernel that never ends
// never stops taking them.
bool endless(Warp& w, const Instruction& i) {
  ++w.jumps_back[i.index];
  ++w.worker->jumps_back[i.index];
  w.instructions_left -= i.offset;
  if (w.instructions_left >= 0) return false;
  if (look_around(w)) return true;
  if (w.instructions_left >= 0) return false;
  if (w.widest_loop == nullptr || i.offset > w.widest_loop->offset) w.widest_loop = &i;
  if (w.instructions_left >= -w.watched) return false;
  report_fault(w, *w.widest_loop, Fault::endless, first_lane(w.active), 0, 0, Space::global);
  w.status = Status::stopped;
  return true;
}

void branch(Warp& w, const Instruction& i) {
  if (i.offset > 0 && endless(w, i)) return;
  w.next = i.target;
}

void branch_if(Warp& w, const Instruction& i) {
  const u32 predicate = *at(w, i.guard);
  const u32 taken = (i.guard_negated ? ~predicate : predicate) & w.active;
  if (i.offset > 0) {
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

// The end of a function that is called, where all its lanes have met.
void return_to_caller(Warp& w, const Instruction&) {
  return_results(w);
  pop_stack(w);
}

// The end of the body: the compiler leaves out what it takes for unreachable.
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
  ++w.worker->accesses[i.index].requests;
  w.status = Status::at_barrier;
  if (w.active != w.live) {
    report_fault(w, i, Fault::divergent_barrier, first_lane(w.live & ~w.active), 0, 0,
                 Space::shared);
    w.status = Status::stopped;
  }
}

void nothing(Warp&, const Instruction&) {}

// An instruction under @%p runs in the lanes whose predicate says so.
void guarded(Warp& w, const Instruction& i) {
  const u32 active = w.active;
  const u32 predicate = *at(w, i.guard);
  w.active = (i.guard_negated ? ~predicate : predicate) & active;
  if (w.active != 0) (w.active == all_lanes ? i.guarded.full : i.guarded.masked)(w, i);
  w.active = active;
}

// FFMAs are counted by their basic block; those under a guard one by one.
void guarded_ffma(Warp& w, const Instruction& i) {
  const u32 predicate = *at(w, i.guard);
  w.worker->accesses[i.index].lanes +=
      static_cast<u64>(count((i.guard_negated ? ~predicate : predicate) & w.active));
  guarded(w, i);
}

// --- Between lanes
// ------------------------------------------------------------------------------------

// A .sync instruction waits for all lanes that its mask names and that have not returned.
// `values` is of each lane what it brings: of those that are there already, and then of all that
// take part, which it returns; 0 when others run first.
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

// __syncwarp(): what the lanes of the mask did before is in order with what they do after.
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

// shfl.sync: operands are the destination, whether the source lane was in range (when i.offset says
// that it is asked for), the source, the lane argument, the clamp with its segment mask, and the
// mask of the lanes that take part.
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
  if (i.offset != 0) {
    u32* predicate = writable(w, i.operands[1]);
    *predicate = (*predicate & ~w.active) | in_range;
  }
}

template <typename SourceLane>
constexpr Handlers shuffles(SourceLane) {
  return {&shuffle<SourceLane>, &shuffle<SourceLane>};
}

// Instructions that go by values of several lanes: of a result, and of the sources that each lane
// has.
template <typename... Types>
constexpr Handlers between_lanes(Handler handler) {
  return {handler, handler, static_cast<int>(sizeof...(Types)) - 1, widths<Types...>()};
}

// What `value(lane)` is, for the lanes that are there.
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

// Whether each lane's address is one of constant memory; or of global memory, which that is not.
template <Space space>
void is_in_space(Warp& w, const Instruction& i) {
  const Slot<u64> addresses(w, i.operands[1]);
  u32 found = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const s64 buffer = global_buffer(addresses[lane]);
    const bool is_constant = buffer >= 0 && buffer < w.worker->buffer_count &&
                             w.worker->buffers[buffer].constant;
    const u64 window = addresses[lane] & window_mask;
    const bool is_global = !is_constant && window != shared_window && window != local_window;
    found |= u32{space == Space::constant ? is_constant : is_global} << lane;
  }
  u32* destination = writable(w, i.operands[0]);
  *destination = (*destination & ~w.active) | (found & w.active);
}

// Of vote, match, redux and elect the last operand is the mask; a lane asks those of its mask that
// take part.
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

// Likewise of a predicate.
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

// match.any.sync: those of its mask that have a lane's value; of match.all.sync, the mask where all
// have it, and else 0.
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

// --- The table
// ----------------------------------------------------------------------------------------

struct Entry {
  const char* keys;  // separated by spaces
  Handlers handlers;
};

#include "emulator/interpreter/instructions.inc"

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

extern const InstructionSet GEMM_TUTOR_INSTRUCTION_SET;
const InstructionSet GEMM_TUTOR_INSTRUCTION_SET = {GEMM_TUTOR_INSTRUCTION_SET_NAME, &find_handlers,
                                                   &run_warp};

}  // namespace gemm_tutor::emulator
