// The state that instructions work on: a warp, its block and the worker's counters. It has only
// plain data and static functions. interpreter.cpp is compiled for several instruction sets and
// must not share inline functions with the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/check/fault.hpp"
#include "simt/exec/address_space.hpp"
#include "simt/exec/program.hpp"

namespace gemm_tutor::simt {

class BlockMachine;
class Recorder;

struct BlockCounter {
  std::uint64_t executions = 0;          // by warps
  std::uint64_t lanes = 0;               // sum of active lanes over all executions
  std::uint64_t half_multiply_adds = 0;  // BlockCost::half_multiply_adds
};

struct AccessCounter {
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;       // sectors of global memory, wavefronts of shared memory
  std::uint64_t conflicts = 0;  // of shared memory's banks
  std::uint64_t lanes = 0;
  // The OR and the AND of its requests' first addresses. Each buffer and shared array has its own
  // high bits. If they are equal in both, all requests were to the same array.
  std::uint64_t address_bits_of_some = 0, address_bits_of_all = ~std::uint64_t{0};

  // If the assembler may have joined the access: the costs of accesses of 8 and 16 bytes that
  // contain its addresses, for all requests and for those that are the first part (MachineAccess).
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

// The addresses of one request relative to its first active lane, and their cost. Requests of one
// instruction mostly have the same pattern, so each instruction keeps its last pattern.
template <typename Address>
struct Pattern {
  alignas(64) Address relative[lanes];
  std::uint32_t active = 0;  // 0 if nothing is kept yet
  // A request whose first address is in [begin, begin + reach) is valid like the last one: it is in
  // the same buffer or variable, and aligned if its first address is. `memory` is the host address
  // of `begin`.
  Address begin = 0, reach = 0;
  std::byte* memory = nullptr;
  Address last = 0;  // the first address of the last request
  enum class Shape : std::uint8_t { same, contiguous, other } shape = Shape::other;
  bool aligned = false;   // relative to the first
  bool by_lines = false;  // all lanes have the same offset in a cache line of the host
  Address lowest = 0;     // relative; at most 0, in two's complement
  Address highest = 0;
  // By the first address's offset in a sector, because accesses may have one byte.
  static constexpr std::uint32_t sector_bytes = 32;
  std::uint64_t requests[sector_bytes] = {};  // not yet added to the instruction's counters
  struct Cost {
    std::uint16_t cost = 0, conflicts = 0;
    std::uint16_t wide_cost[2] = {}, wide_conflicts[2] = {};  // for AccessCounter::wide
    bool is_first[2] = {};
  };
  Cost cost[sector_bytes] = {};
  std::uint32_t known_costs = 0;  // one bit per element of `cost`
};

// Copies of cache lines. Rows whose lengths are powers of two compete for the same few lines of the
// host's L1 cache, so each lane's line is copied here.
struct LineCopies {
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::int64_t kept = 4;  // number of buffers
  const std::byte* line = nullptr;         // the first lane's line
  bool copied = false;
  std::uint64_t relative[lanes] = {};  // offsets of the other lanes' lines
  alignas(line_bytes) std::byte data[lanes][line_bytes];
};

// The distinct words of a shared-memory pattern, for the checks: relative byte offsets, and the
// lane that accesses each word, or `several`.
struct Words {
  static constexpr std::uint8_t several = 255;
  static constexpr int most = 16 * lanes;  // bytes
  std::int32_t relative[most];
  std::uint8_t lane[most];
  std::int32_t count = 0;  // 0 if not computed yet
  bool overlap = false;    // several lanes access the same word
  bool dense = false;      // the words are contiguous, in the order of the list
};

struct SharedPattern : Pattern<std::uint32_t> {
  Words words;
};

// Adds the pattern's requests to the counter.
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

// Which block accessed four bytes of global memory: 0 for none, otherwise its number + 1 or
// `several_blocks`, and a Mark with that block's clock.
using GlobalMark = std::uint64_t;
inline constexpr std::uint64_t several_blocks = 0xffffffff;
struct GlobalMarks {
  GlobalMark writer, reader, atomic;  // the last access of each kind
  // The program's instructions that made them; 0 if not known.
  std::uint16_t writer_at, reader_at, atomic_at;
  std::uint16_t written;  // both halves of the 32 bits that were stored, by exclusive or
};

struct GlobalBuffer {
  std::byte* host = nullptr;
  std::uint64_t bytes = 0;
  bool read_only = false;
  GlobalMarks* marks = nullptr;  // one per element; null if the buffer is not checked
  bool must_be_written = false;  // before it is read
  bool constant = false;         // constant memory
  int element_bytes = 4;

  std::size_t elements() const { return bytes / static_cast<std::size_t>(element_bytes); }
};

// The race checker's data: who accessed each word of the block's shared memory last, and when. A
// mark is 0 for never, or clock · 2048 + who. The clock advances with every barrier. `who` is a
// thread, several threads of one warp (1024 + warp), or threads of several warps (2047).
using Mark = std::uint32_t;

struct SharedShadow {
  Mark* writer = nullptr;  // null if nothing is checked
  // One table for all warps. If not only barriers of the whole block order the accesses, one table
  // per warp, `stride` marks apart.
  Mark* reader = nullptr;
  // With a table per warp: of a mark of several threads of the warp, the lanes that read.
  std::uint32_t* reading_lanes = nullptr;
  Mark* atomic = nullptr;  // the same tables; null if the program has no atomic operations
  // The last volatile store; null if the program has none. Volatile stores of two warps are no
  // race.
  Mark* volatile_writer = nullptr;
  std::uint32_t tables = 1;
  std::uint32_t stride = 0;
  int shift = 2;  // one mark per 1 << shift bytes: 4, or 1 for kernels with narrower accesses
  std::uint32_t clock = 1;
  std::uint32_t barrier_clock = 1;  // at the last __syncthreads(); earlier marks are ordered before

  Mark window() const { return barrier_clock << mark_bits; }
  static constexpr int mark_bits = 11;
  static constexpr Mark who_mask = (1u << mark_bits) - 1;
  static constexpr Mark several = 1024;  // + warp
  static constexpr Mark several_warps = who_mask;
  static constexpr Mark written = 1;                  // before all barriers, by any thread
  static constexpr Mark being_copied = ~Mark{0} - 1;  // by a copy that is in flight
  static constexpr std::uint32_t last_clock = (being_copied >> mark_bits) - 1;
};

// The accesses to each of 64 parts of shared memory since the last barrier of the whole block. With
// it, most reads are checked without their marks. A read's mark matters only if a thread writes
// before the next barrier, and is stored only then (leave_read_marks).
struct RecentAccesses {
  int shift = 6;           // a part has 1 << shift bytes
  std::int32_t words = 0;  // number of the shadow's words
  // Parts that were written, those that were read and whose marks are stored, and all others that
  // were read.
  std::uint64_t written = 0, marked = 0, read = 0;
  // Parts with words that were written since the barrier or never, and those of them that have not
  // been checked since the barrier.
  std::uint64_t doubtful = ~std::uint64_t{0}, unseen = ~std::uint64_t{0};

  // Reads in order: the access (index in shared_patterns) and its first word.
  struct Read {
    std::uint32_t access;
    std::int32_t first;
  };
  static constexpr std::uint32_t most_reads = 65536;
  Read reads[most_reads];
  std::uint32_t count = 0;
  // Data that is the same for all reads from `begin` on.
  struct Reader {
    std::uint32_t begin, warp, clock, sync_clock;
  };
  static constexpr std::uint32_t most_readers = 1024;
  Reader readers[most_readers];
  std::uint32_t reader_count = 0;

  // Returns the parts that contain bytes `first` to `last`.
  std::uint64_t parts(std::int32_t first, std::int32_t last) const {
    return ~std::uint64_t{0} << (first >> shift) & ~std::uint64_t{0} >> (63 - (last >> shift));
  }
  void note_write(std::uint64_t parts) {
    written |= parts;
    doubtful |= parts;
    unseen &= ~parts;
  }
  void note_barrier() {
    written = marked = read = 0;
    count = reader_count = 0;
    unseen = doubtful;
  }
};

// A warp's last request of a shared-memory access.
struct SharedTouch {
  std::uint32_t clock = 0;  // the shadow's clock; 0 for none
  std::int32_t first = 0;   // the first active lane's offset in shared memory
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
  std::byte* local = nullptr;  // the warp's local memory: `local_bytes` per thread
  const WindowVariable* local_variables = nullptr;
  std::int32_t local_variable_count = 0;
  std::uint32_t local_bytes = 0;

  const MatrixProduct* products = nullptr;  // the program's
  std::uint32_t unset = 0;                  // in registers that may be read before they are written
  bool checks_fragments = false;            // products must not read such a register

  BlockCounter* blocks = nullptr;
  AccessCounter* accesses = nullptr;
  std::uint64_t* jumps_back = nullptr;                // per loop of the program
  Pattern<std::uint64_t>* global_patterns = nullptr;  // by access
  SharedPattern* shared_patterns = nullptr;           // by access
  LineCopies* line_copies = nullptr;                  // by buffer
  SharedTouch* touches = nullptr;  // by access and warp; null if nothing is checked
  std::uint32_t warps = 0;
  SharedShadow shadow;
  RecentAccesses* recent = nullptr;       // null if nothing is checked
  std::uint8_t* local_written = nullptr;  // one flag per byte of `local`
  BlockMachine* machine = nullptr;        // faults are reported to it
  Recorder* recorder = nullptr;           // null unless the block is traced
};

enum class Status : std::uint8_t {
  running,
  at_barrier,
  at_named_barrier,
  done,
  spinning,  // what it tests is not complete: other warps should run before it tests again
  stopped,   // by a fatal fault: the whole block stops
};

// The warp's last request of the access.
static inline SharedTouch& touch_of(const Worker& worker, std::uint32_t access,
                                    std::uint32_t warp) {
  return worker.touches[access * worker.warps + warp];
}

// The instructions that a warp executes in loops before it checks whether to stop: some
// milliseconds.
inline constexpr std::int64_t instructions_between_looks = 100'000;

// An entry of the SIMT stack: lanes that wait while other lanes of their warp run.
struct StackEntry {
  std::uint32_t lanes;
  std::uint32_t instruction;    // where they continue
  std::uint32_t reconvergence;  // where they reconverge with the lanes of the entry below
  std::int32_t frame;           // the depth of their calls
};

struct Warp {
  const std::uint32_t* constants = nullptr;
  std::uint32_t* registers = nullptr;
  const Instruction* code = nullptr;
  Worker* worker = nullptr;
  std::uint32_t next = 0;                        // next instruction
  std::uint32_t active = 0;                      // lanes that run now
  std::uint32_t live = 0;                        // lanes that have not returned
  std::uint32_t begun = 0;                       // all lanes of the warp
  std::uint32_t reconvergence = no_instruction;  // where the active lanes wait for others
  Status status = Status::running;
  std::int32_t depth = 0;  // of the SIMT stack
  std::int32_t frame = 0;  // the depth of the active lanes' calls
  // Each entry's lanes are a smaller subset of the entry below, or disjoint from it. Each call adds
  // one more entry.
  StackEntry stack[2 * lanes + most_calls + 1];
  std::uint32_t number = 0;        // in its block
  std::uint32_t sync_clock = 0;    // the shadow's clock at the last __syncwarp()
  std::uint32_t matrix_clock = 0;  // the same of the last matrix instruction
  // By thread: the shadow's clock up to which its accesses are ordered before those of all lanes of
  // this warp (thread_order.hpp). Null if no order is known, or if the lanes differ.
  const std::uint32_t* known = nullptr;
  std::uint32_t barrier = 0;  // the number, with Status::at_named_barrier
  // Lanes that wait for others at a .sync instruction, and lanes whose wait is over (barriers.cpp).
  // The value that each lane brought last, and the values when all lanes had arrived.
  std::uint32_t waiting = 0, met = 0;
  std::uint64_t brought[lanes] = {}, agreed[lanes] = {};
  std::uint64_t ordering[lanes] = {};   // addresses of the access by which threads are ordered
  std::int64_t instructions_left = 0;   // in loops, until it checks whether to stop
  std::int64_t instructions_later = 0;  // after those, until the kernel counts as endless
  // If negative, the warp executes this many more instructions to find the loop in which it stays:
  // the widest loop whose end it reaches.
  std::int64_t watched = 0;
  const Instruction* widest_loop = nullptr;
  std::uint32_t* jumps_back = nullptr;   // per loop, since the warp entered it
  std::uint64_t half_multiply_adds = 0;  // of all lanes: see BlockCost
};

// Reads %globaltimer (worker.cpp): a handler like those of the interpreter.
void read_timer(Warp& warp, const Instruction& instruction);

// Returns the lanes that wait where only the kernel's end follows. No lane waits for them
// (barriers.cpp).
std::uint32_t about_to_exit(const Warp& warp);

// The active lanes have reached a .sync instruction with their `values`, and some lanes of their
// masks are missing. Returns true if it may execute now: `there` are the lanes that take part, and
// `values` has their values. Returns false if other lanes must run first. Then it executes again
// later (barriers.cpp).
bool meet(Warp& warp, const Instruction& instruction, const std::uint32_t* masks,
          std::uint64_t* values, std::uint32_t& there);

// Calls of functions (calls.cpp). return_results() copies the active lanes' results to the caller's
// frame. leave_frames() then returns to the frame of that call depth.
void call_function(Warp& warp, const Instruction& instruction);
void call_function_if(Warp& warp, const Instruction& instruction);
void return_results(Warp& warp);
void leave_frames(Warp& warp, std::int32_t frame);

// printf(), assert() and __trap() (printing.cpp).
void print(Warp& warp, const Instruction& instruction);
void fail_assertion(Warp& warp, const Instruction& instruction);
void trap(Warp& warp, const Instruction& instruction);

// Called if the clock has its last value: renumbers the clocks in all marks from 1 and keeps their
// order (worker.cpp).
void renumber_clock(Worker& worker);

static inline std::uint32_t advance_clock(Worker& worker) {
  if (worker.shadow.clock == SharedShadow::last_clock) renumber_clock(worker);
  return ++worker.shadow.clock;
}

// Rare cases, which need not be fast, are outside the interpreter (findings.cpp, checks.cpp).
// Reports a fault of `lane` at `address`. For faults about a mask or another lane, `address` is the
// mask or the lane.
void report_fault(Warp& warp, const Instruction& instruction, Fault fault, int lane,
                  std::uint64_t address, int bytes, ptx::Space space, std::uint64_t times = 1);

// Counts a loop's iterations when all lanes of the warp have left it (worker.cpp).
void leave_loop(Warp& warp, const Instruction& instruction);

// True if other warps of the block can continue (worker.cpp).
bool others_run(const Warp& warp);

// True if the run was asked to stop (worker.cpp).
bool asked_to_stop(const Warp& warp);

// Atomic and volatile accesses do not race with each other.
enum class Use { load, store, atomic, volatile_load, volatile_store };

// Checks each lane's access to shared memory with the shadow, and updates it. `offsets` are the
// lanes' byte offsets in shared memory.
void check_shared(Warp& warp, const Instruction& instruction, const std::int32_t* offsets,
                  int bytes, Use use, const std::uint32_t* addresses);

// Stores the marks of reads that only `recent` has (checks.cpp).
void leave_read_marks(Worker& worker);

// The first half of check_shared(): finds errors, and does not change the shadow.
void find_races(Warp& warp, const Instruction& instruction, const std::int32_t* offsets, int bytes,
                Use use, const std::uint32_t* addresses);

// Barriers (barriers.cpp) of some lanes of a warp, and named barriers, which may have a thread
// count and a reduction.
void synchronise_lanes(Warp& warp, const Instruction& instruction, std::uint32_t there);
void named_barrier(Warp& warp, const Instruction& instruction);

// Called before an atomic operation or a volatile access, and after it if it reads. They order what
// threads did before they wrote there before what threads do after they read it. Another block may
// access the same place at any time: what it released before it wrote must be known to who reads
// what it wrote, so a thread acquires only after its access (barriers.cpp).
// keep_addresses() is called before a load, which may overwrite the address that
// acquire_by_memory() needs.
void keep_addresses(Warp& warp, const Instruction& instruction);
void release_by_memory(Warp& warp, const Instruction& instruction);
void acquire_by_memory(Warp& warp, const Instruction& instruction);

// Checks the lanes' accesses to global memory.
void check_global(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses,
                  int bytes, Use use);

// Record a request of a traced block (recorder.cpp): the addresses of the warp's active lanes and
// the cost. `instruction` is an index into the program's accesses.
void record_global(Warp& warp, std::uint32_t instruction, const std::uint64_t* addresses,
                   std::uint32_t sectors);
void record_shared(Warp& warp, std::uint32_t instruction, const std::uint32_t* addresses,
                   std::uint32_t wavefronts, std::uint32_t conflicts);
// Records an asynchronous copy. Only the lanes in `reading` load data.
void record_copy(Warp& warp, std::uint32_t instruction, const std::uint64_t* sources,
                 std::uint32_t reading, std::uint32_t sectors, const std::uint32_t* targets);

// Returns the host memory of [address, address + bytes); null if it is not in one buffer or
// variable.
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

// Returns the start of the warp's table of readers or atomic operations.
static inline std::uint32_t own_table(const SharedShadow& shadow, std::uint32_t warp) {
  return shadow.tables > 1 ? warp * shadow.stride : 0;
}

// Returns the mark of a word after an additional access by thread `who` of the warp, which
// synchronised at `sync_clock`. It has no branches, so that the compiler can vectorise it. (It has
// internal linkage: see above.)
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
  void (*run)(Warp& warp);                                // runs until the warp waits or ends
};

// The instruction set that programs are decoded for and run with: the CPU's fastest by default.
const InstructionSet& instruction_set();

// All instruction sets that this CPU can run, the fastest last. Their results are the same bits.
// The choice may change only while no program runs.
std::vector<const InstructionSet*> instruction_sets();
void choose_instruction_set(const InstructionSet& set);

}  // namespace gemm_tutor::simt
