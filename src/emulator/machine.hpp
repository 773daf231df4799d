// The state that instructions work on: a warp, its block, and what the worker that runs them
// counts. Only plain data: interpreter.cpp is compiled for several instruction sets and must not
// share inline functions with the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/address_space.hpp"
#include "emulator/fault.hpp"
#include "emulator/program.hpp"

namespace gemm_tutor::emulator {

class BlockMachine;
class Recorder;

struct BlockCounter {
  std::uint64_t executions = 0;  // by warps
  std::uint64_t lanes = 0;       // active ones, over all executions
};

struct AccessCounter {
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;       // sectors of global memory, wavefronts of shared memory
  std::uint64_t conflicts = 0;  // of shared memory's banks
  std::uint64_t lanes = 0;
  // The bits that some and that all of its requests' first addresses have. Every buffer and every
  // shared array has its own high bits: where these agree all requests were to the same one.
  std::uint64_t address_bits_of_some = 0, address_bits_of_all = ~std::uint64_t{0};

  // Where the assembler may have joined it: what accesses of 8 and of 16 bytes would cost at the
  // multiples of these that its addresses are in; of all, and of those that are the first part
  // (MachineAccess).
  struct Wide {
    std::uint64_t cost = 0, conflicts = 0;
    std::uint64_t first_requests = 0, first_cost = 0, first_conflicts = 0, first_lanes = 0;
  };
  Wide wide[2];
};

static inline void note_address(AccessCounter& counter, std::uint64_t address) {
  counter.address_bits_of_some |= address;
  counter.address_bits_of_all &= address;
}

// The addresses of one request relative to its first active lane, and what follows from them.
// Requests of one instruction mostly look alike, so the last pattern is kept with each instruction.
template <typename Address>
struct Pattern {
  alignas(64) Address relative[lanes];
  std::uint32_t active = 0;  // 0: nothing kept yet
  // A request whose first address is less than `reach` after `begin` is like the last one in all
  // that matters: within the same buffer or variable, and aligned if the first address is. `memory`
  // is where the first address `begin` is kept.
  Address begin = 0, reach = 0;
  std::byte* memory = nullptr;
  Address last = 0;  // the first address of the last request
  enum class Shape : std::uint8_t { same, contiguous, other } shape = Shape::other;
  bool aligned = false;   // relative to the first
  bool by_lines = false;  // each lane is at the same place in a line of the host's memory
  Address lowest = 0;     // relative, as an unsigned number: lowest <= 0 in two's complement
  Address highest = 0;
  // By the first address's place in a sector: accesses may be of a single byte.
  static constexpr std::uint32_t sector_bytes = 32;
  std::uint64_t requests[sector_bytes] = {};  // that the instruction's counters do not have yet
  struct Cost {
    std::uint16_t cost = 0, conflicts = 0;
    std::uint16_t wide_cost[2] = {}, wide_conflicts[2] = {};  // of AccessCounter::wide
    bool is_first[2] = {};
  };
  Cost cost[sector_bytes] = {};
  std::uint32_t known_costs = 0;  // a bit for each
};

// Rows whose lengths are powers of two compete for the same few lines of the host's nearest cache.
// Here they have copies of their own.
struct LineCopies {
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::int64_t kept = 4;  // of buffers
  const std::byte* line = nullptr;         // of the first lane
  bool copied = false;
  std::uint64_t relative[lanes] = {};  // where the others' lines are
  alignas(line_bytes) std::byte data[lanes][line_bytes];
};

// The distinct words of a shared-memory pattern, as the shadow has them: relative byte offsets, and
// the lane that accesses each, or `several` when more than one does. For the checkers.
struct Words {
  static constexpr std::uint8_t several = 255;
  static constexpr int most = 16 * lanes;  // bytes
  std::int32_t relative[most];
  std::uint8_t lane[most];
  std::int32_t count = 0;  // 0: not found yet
  bool overlap = false;    // some word is accessed by several lanes
  bool dense = false;      // they are contiguous, in the order of the list
};

struct SharedPattern : Pattern<std::uint32_t> {
  Words words;
};

// Adds to the counter the requests that only the pattern has counted.
template <typename Address>
static void count_requests(AccessCounter& counter, Pattern<Address>& pattern) {
  const auto active = static_cast<std::uint64_t>(__builtin_popcount(pattern.active));
  for (std::uint32_t known = pattern.known_costs; known != 0; known &= known - 1) {
    const int place = __builtin_ctz(known);
    const std::uint64_t requests = pattern.requests[place];
    const typename Pattern<Address>::Cost& cost = pattern.cost[place];
    counter.requests += requests;
    counter.cost += requests * cost.cost;
    counter.conflicts += requests * cost.conflicts;
    counter.lanes += requests * active;
    for (int w = 0; w < 2; ++w) {
      AccessCounter::Wide& wide = counter.wide[w];
      wide.cost += requests * cost.wide_cost[w];
      wide.conflicts += requests * cost.wide_conflicts[w];
      if (!cost.is_first[w]) continue;
      wide.first_requests += requests;
      wide.first_cost += requests * cost.wide_cost[w];
      wide.first_conflicts += requests * cost.wide_conflicts[w];
      wide.first_lanes += requests * active;
    }
    pattern.requests[place] = 0;
  }
}

// Who touched four bytes of global memory: 0 for nobody, else the block's number + 1, or
// `several_blocks`, and a Mark of that block's clock.
using GlobalMark = std::uint64_t;
inline constexpr std::uint64_t several_blocks = 0xffffffff;
struct GlobalMarks {
  GlobalMark writer, reader, atomic;  // the last of each
  // By which of the program's instructions; 0 where that is not known.
  std::uint16_t writer_at, reader_at, atomic_at;
};

struct GlobalBuffer {
  std::byte* host = nullptr;
  std::uint64_t bytes = 0;
  bool read_only = false;
  GlobalMarks* marks = nullptr;  // of every four bytes; null when it is not checked
  bool must_be_written = false;  // before it is read
  bool constant = false;         // constant memory
};

// Who touched each word of a block's shared memory last, and when: what the race checker remembers.
// A mark is 0 for never, or clock · 2048 + who, where the clock advances with every barrier and who
// is a thread, several threads of one warp (1024 + warp) or of several warps (2047).
using Mark = std::uint32_t;

struct SharedShadow {
  Mark* writer = nullptr;  // null when nothing is checked
  // In one table for all warps, or, where more than barriers of the whole block orders them, in one
  // for each, `stride` marks apart.
  Mark* reader = nullptr;
  Mark* atomic = nullptr;  // likewise; null where the program has no atomic operations
  // The last volatile store; null where the program has none. Of two warps they are no race.
  Mark* volatile_writer = nullptr;
  std::uint32_t tables = 1;
  std::uint32_t stride = 0;
  int shift = 2;  // a mark for every 1 << shift bytes: 4, or 1 for a kernel that accesses less
  std::uint32_t clock = 1;
  std::uint32_t barrier_clock = 1;  // at the last __syncthreads(): marks from before are in order

  Mark window() const { return barrier_clock << mark_bits; }
  static constexpr int mark_bits = 11;
  static constexpr Mark who_mask = (1u << mark_bits) - 1;
  static constexpr Mark several = 1024;  // + warp
  static constexpr Mark several_warps = who_mask;
  static constexpr Mark written = 1;                  // before all barriers, by whomever
  static constexpr Mark being_copied = ~Mark{0} - 1;  // by a cp.async that nobody has waited for
  static constexpr std::uint32_t last_clock = (being_copied >> mark_bits) - 1;
};

// What was done to shared memory since the last barrier of the whole block, for each of 64 parts of
// it: with this most reads are checked without looking at a mark. Their own marks matter only where
// somebody writes before the next barrier, and are left only then (leave_read_marks).
struct RecentAccesses {
  int shift = 6;           // a part has 1 << shift bytes
  std::int32_t words = 0;  // of shared memory, as the shadow has them
  std::uint64_t read = 0;
  // Parts with words that were written since, or never; and of them those that nobody has looked
  // at since the barrier.
  std::uint64_t doubtful = ~std::uint64_t{0}, unseen = ~std::uint64_t{0};

  // Reads, in their order: by which access (of shared_patterns) and from where on.
  struct Read {
    std::uint32_t access;
    std::int32_t first;
  };
  static constexpr std::uint32_t most_reads = 65536;
  Read reads[most_reads];
  std::uint32_t count = 0;
  // What the reads from one on have in common.
  struct Reader {
    std::uint32_t begin, warp, clock, sync_clock;
  };
  static constexpr std::uint32_t most_readers = 1024;
  Reader readers[most_readers];
  std::uint32_t reader_count = 0;

  // Those that have bytes from `first` to `last`.
  std::uint64_t parts(std::int32_t first, std::int32_t last) const {
    return ~std::uint64_t{0} << (first >> shift) & ~std::uint64_t{0} >> (63 - (last >> shift));
  }
  void note_write(std::uint64_t parts) {
    doubtful |= parts;
    unseen &= ~parts;
  }
  void note_barrier() {
    read = 0;
    count = reader_count = 0;
    unseen = doubtful;
  }
};

// A warp's last request by one of the accesses to shared memory.
struct SharedTouch {
  std::uint32_t clock = 0;  // the shadow's; 0 for none
  std::int32_t first = 0;   // where the first active lane's address is in shared memory
  std::uint32_t active = 0;
};

struct WindowVariable {
  std::int32_t begin = 0, end = 0;  // offsets
};

struct Worker {
  const GlobalBuffer* buffers = nullptr;
  std::int64_t buffer_count = 0;
  std::byte* shared = nullptr;
  const WindowVariable* shared_variables = nullptr;
  std::int32_t shared_variable_count = 0;
  std::byte* local = nullptr;  // the warp's: each thread's `local_bytes`, one after the other
  const WindowVariable* local_variables = nullptr;
  std::int32_t local_variable_count = 0;
  std::uint32_t local_bytes = 0;

  BlockCounter* blocks = nullptr;
  AccessCounter* accesses = nullptr;
  std::uint64_t* jumps_back = nullptr;                // of each of the program's loops
  Pattern<std::uint64_t>* global_patterns = nullptr;  // by access, as are the next
  SharedPattern* shared_patterns = nullptr;
  LineCopies* line_copies = nullptr;  // by buffer
  SharedTouch* touches = nullptr;     // by access, of each warp; null when nothing is checked
  std::uint32_t warps = 0;
  SharedShadow shadow;
  RecentAccesses* recent = nullptr;       // null when nothing is checked
  std::uint8_t* local_written = nullptr;  // the warp's: a flag for every byte of `local`
  BlockMachine* machine = nullptr;        // where faults are reported
  Recorder* recorder = nullptr;           // of a traced block; else null
};

enum class Status : std::uint8_t {
  running,
  at_barrier,
  at_named_barrier,
  done,
  spinning,  // found an mbarrier not yet complete: other warps should run before it looks again
  stopped,   // by a fault that leaves no sense in going on: the whole block stops
};

// Of its last request by that access.
static inline SharedTouch& touch_of(const Worker& worker, std::uint32_t access,
                                    std::uint32_t warp) {
  return worker.touches[access * worker.warps + warp];
}

// That a warp executes in loops before it looks whether to go on: milliseconds.
inline constexpr std::int64_t instructions_between_looks = 100'000;

// An entry of the SIMT stack: lanes that wait while others of their warp run.
struct StackEntry {
  std::uint32_t lanes;
  std::uint32_t instruction;    // where they continue
  std::uint32_t reconvergence;  // where they meet the lanes of the entry below
  std::int32_t frame;           // how many calls they are in
};

struct Warp {
  const std::uint32_t* constants = nullptr;
  std::uint32_t* registers = nullptr;
  const Instruction* code = nullptr;
  Worker* worker = nullptr;
  std::uint32_t next = 0;                        // instruction
  std::uint32_t active = 0;                      // the lanes that run now
  std::uint32_t live = 0;                        // those that have not returned
  std::uint32_t begun = 0;                       // all that there were
  std::uint32_t reconvergence = no_instruction;  // where the active lanes stop to wait for others
  Status status = Status::running;
  std::int32_t depth = 0;  // of the SIMT stack
  std::int32_t frame = 0;  // how many calls the active lanes are in
  // Each entry's lanes are fewer than, or apart from, those below it; but for one of each call.
  StackEntry stack[2 * lanes + most_calls + 1];
  std::uint32_t number = 0;      // of the warp in its block
  std::uint32_t sync_clock = 0;  // the shadow's clock at the last __syncwarp()
  // By thread: up to which of the shadow's clocks all lanes of this warp know its accesses to come
  // before theirs (thread_order.hpp). Null where they know nothing, or different things.
  const std::uint32_t* known = nullptr;
  std::uint32_t barrier = 0;  // Status::at_named_barrier: which
  // Lanes that wait at a .sync instruction for others (meeting.cpp), and those that all others have
  // come to meanwhile; what each lane brought last, and when all had come.
  std::uint32_t waiting = 0, met = 0;
  std::uint64_t brought[lanes] = {}, agreed[lanes] = {};
  std::int64_t instructions_left = 0;   // until it looks whether to go on, counted in loops
  std::int64_t instructions_later = 0;  // after those, until the kernel counts as endless
  // Below 0 the warp executes this many more, to see in which loop it stays: the widest whose end
  // it reaches.
  std::int64_t watched = 0;
  const Instruction* widest_loop = nullptr;
  std::uint32_t* jumps_back = nullptr;  // of each loop, since it was entered
};

// Asynchronous copies and mbarriers (asynchronous.cpp): handlers like those of the interpreter.
void start_copies(Warp& warp, const Instruction& instruction);
void commit_copies(Warp& warp, const Instruction& instruction);
void wait_for_copies(Warp& warp, const Instruction& instruction);
void arrive_after_copies(Warp& warp, const Instruction& instruction);
void start_bulk_copy(Warp& warp, const Instruction& instruction);
void mbarrier_expect(Warp& warp, const Instruction& instruction);
void read_timer(Warp& warp, const Instruction& instruction);
void mbarrier_init(Warp& warp, const Instruction& instruction);
void mbarrier_arrive(Warp& warp, const Instruction& instruction);
void mbarrier_wait(Warp& warp, const Instruction& instruction);

// The lanes that wait where nothing follows but the kernel's end: nobody waits for them
// (meeting.cpp).
std::uint32_t about_to_exit(const Warp& warp);

// The active lanes come to a .sync instruction with their `values`, and not all that their masks
// name are there. True when it may be executed: `there` is who takes part, and `values` has what
// each of them brought. False when others run first; it is executed again then (meeting.cpp).
bool meet(Warp& warp, const Instruction& instruction, const std::uint32_t* masks,
          std::uint64_t* values, std::uint32_t& there);

// Calls of functions (calls.cpp). The results of the active lanes go to their caller's frame; then
// leave_frames() goes back to the frame of those that are in so many calls.
void call_function(Warp& warp, const Instruction& instruction);
void call_function_if(Warp& warp, const Instruction& instruction);
void return_results(Warp& warp);
void leave_frames(Warp& warp, std::int32_t frame);

// printf(), assert() and __trap() (printing.cpp).
void print(Warp& warp, const Instruction& instruction);
void fail_assertion(Warp& warp, const Instruction& instruction);
void trap(Warp& warp, const Instruction& instruction);

// Called when the clock is at its last value: numbers anew, from 1, what the marks remember, so
// that all that they are compared with stays in the same order (worker.cpp).
void renumber_clock(Worker& worker);

static inline std::uint32_t advance_clock(Worker& worker) {
  if (worker.shadow.clock == SharedShadow::last_clock) renumber_clock(worker);
  return ++worker.shadow.clock;
}

// The rare cases, which need no speed, are implemented outside the interpreter (faults.cpp,
// checks.cpp). `lane` did what `fault` says at `address`; for the faults that are about a mask or
// another lane that is what `address` holds.
void report_fault(Warp& warp, const Instruction& instruction, Fault fault, int lane,
                  std::uint64_t address, int bytes, ptx::Space space, std::uint64_t times = 1);

// The warp's lanes have all left the loop: counts its iterations (worker.cpp).
void leave_loop(Warp& warp, const Instruction& instruction);

// Whether other warps of the block could go on (worker.cpp).
bool others_run(const Warp& warp);

// Whether whoever waits for the run wants it no more (worker.cpp).
bool asked_to_stop(const Warp& warp);

// Atomic and volatile accesses do not race with each other.
enum class Use { load, store, atomic, volatile_load, volatile_store };

// Checks each lane's access to shared memory against the shadow, and brings that up to date.
// `offsets` are the lanes' places in shared memory, in bytes.
void check_shared(Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                  int bytes, Use use, const std::uint32_t* addresses);

// Leaves the marks of reads that only `recent` knows (checks.cpp).
void leave_read_marks(Worker& worker);

// The first half of it: what is wrong with the accesses, leaving the shadow as it is.
void find_races(Warp& warp, const Instruction& instruction, const std::int32_t* offsets, int bytes,
                Use use, const std::uint32_t* addresses);

// Barriers (barriers.cpp): of some lanes of a warp; with a number, of so many threads of the block,
// with a reduction.
void synchronise_lanes(Warp& warp, const Instruction& instruction, std::uint32_t there);
void named_barrier(Warp& warp, const Instruction& instruction);

// Before an atomic operation or a volatile access (i.index says which use of memory it is): what
// threads did before they wrote there comes before what those do that read it (barriers.cpp).
void order_by_memory(Warp& warp, const Instruction& instruction);

// Likewise for the lanes' accesses to global memory.
void check_global(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                  int bytes, Use use);

// Of a traced block (recorder.cpp): the warp's active lanes have accessed these addresses, by the
// instruction with that place among the program's accesses, at that cost.
void record_global(Warp& warp, std::uint32_t instruction, const std::uint64_t* addresses,
                   std::uint32_t sectors);
void record_shared(Warp& warp, std::uint32_t instruction, const std::uint32_t* addresses,
                   std::uint32_t wavefronts, std::uint32_t conflicts);
// A cp.async, of whose lanes those in `reading` load anything.
void record_copy(Warp& warp, std::uint32_t instruction, const std::uint64_t* sources,
                 std::uint32_t reading, std::uint32_t sectors, const std::uint32_t* targets);

// Host memory of [address, address + bytes), or null when it is not all in one buffer or variable.
static inline std::byte* global_memory(const Worker& worker, std::uint64_t address,
                                       std::uint64_t bytes, bool store) {
  const std::int64_t buffer = global_buffer(address);
  if (buffer < 0 || buffer >= worker.buffer_count) return nullptr;
  const std::uint64_t offset = address - global_address(static_cast<std::uint64_t>(buffer));
  const GlobalBuffer& found = worker.buffers[buffer];
  if (offset >= found.bytes || bytes > found.bytes - offset || (store && found.read_only)) {
    return nullptr;
  }
  return found.host + offset;
}

static inline std::byte* window_memory(const WindowVariable* variables, std::int32_t variable_count,
                                       std::byte* memory, std::uint32_t address,
                                       std::uint32_t bytes) {
  const std::int32_t variable = window_variable(address);
  if (variable < 0 || variable >= variable_count) return nullptr;
  const std::int32_t offset = window_offset(address);
  const WindowVariable& found = variables[variable];
  if (offset < found.begin || offset + static_cast<std::int64_t>(bytes) > found.end) return nullptr;
  return memory + offset;
}

static inline std::byte* shared_memory(const Worker& worker, std::uint32_t address,
                                       std::uint32_t bytes) {
  return window_memory(worker.shared_variables, worker.shared_variable_count, worker.shared,
                       address, bytes);
}

// Where the warp's own table of readers, or of atomic operations, begins.
static inline std::uint32_t own_table(const SharedShadow& shadow, std::uint32_t warp) {
  return shadow.tables > 1 ? warp * shadow.stride : 0;
}

// The mark of a word after thread `who` of the warp, synchronised at `sync_clock`, has touched it
// as well. Without branches, so that it is done for many words at once. (Of internal linkage: see
// above.)
static inline Mark merged_mark(Mark mark, const SharedShadow& shadow, std::uint32_t warp,
                               std::uint32_t sync_clock, std::uint32_t who) {
  const Mark before = mark & SharedShadow::who_mask;
  const Mark several = SharedShadow::several + warp;
  const bool alone = (mark < shadow.window()) | (before == who);
  const bool same_warp = (before - warp * lanes < lanes) | (before == several);
  const bool synchronised = mark < sync_clock << SharedShadow::mark_bits;
  const Mark together = same_warp ? (synchronised ? who : several) : SharedShadow::several_warps;
  return shadow.clock << SharedShadow::mark_bits | (alone ? who : together);
}

// One compilation of interpreter.cpp.
struct InstructionSet {
  const char* name;
  Handlers (*find)(const char* key, std::size_t length);  // null handlers for an unknown key
  void (*run)(Warp& warp);                                // until the warp waits or is done
};

// What programs are decoded for and run with: the fastest that this CPU can run.
const InstructionSet& instruction_set();

// All that this CPU can run, the fastest last; and another than that, while no program runs. Their
// results are the same bits.
std::vector<const InstructionSet*> instruction_sets();
void choose_instruction_set(const InstructionSet& set);

}  // namespace gemm_tutor::emulator
