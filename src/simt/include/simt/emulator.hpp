// The SIMT emulator: it runs PTX in warps of 32 threads on the CPU's cores, counts memory requests
// and instructions, and finds errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/finding.hpp"
#include "simt/gpu_spec.hpp"
#include "support/activity.hpp"

namespace gemm_tutor::simt {

// Accesses to shared memory in the PTX, before the assembler joins any.
struct PtxCounters {
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_conflicts = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_conflicts = 0;

  bool operator==(const PtxCounters&) const = default;
};

// A kernel's counters. A request is a warp's memory instruction with at least one active lane. A
// sector is 32 bytes of global memory. A wavefront is one pass of the shared-memory pipe, and of
// the L1 cache, which has the same banks (for loads from global memory, but not for copies). A
// conflict is a wavefront that is needed only because lanes access different words of one bank.
struct Counters {
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_bytes = 0;
  std::uint64_t global_load_wavefronts = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_bytes = 0;
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_conflicts = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_conflicts = 0;
  std::uint64_t shared_load_bytes = 0, shared_store_bytes = 0;
  PtxCounters ptx;
  // Requests to shared memory that are counted as in the PTX although there is machine code,
  // because it has no instruction for them, or one of another width.
  std::uint64_t unmatched_requests = 0;
  std::uint64_t local_load_requests = 0, local_store_requests = 0;
  // Not counted as loads or stores. Requests are per warp, operations per thread.
  std::uint64_t atomic_requests = 0, atomic_operations = 0;
  // Constant memory serves one address after the other.
  std::uint64_t constant_load_requests = 0, constant_load_addresses = 0;
  std::uint64_t ffma = 0;                  // per thread, not per warp
  std::uint64_t tensor_multiply_adds = 0;  // that products of matrices consist of
  std::array<std::uint64_t, instruction_kinds> instructions = {};  // per warp, by kind
  std::uint64_t barriers = 0, arrivals = 0;  // per warp; arrivals at barriers in shared memory
  // Machine instructions per warp, by kind; all 0 without machine code.
  std::array<std::uint64_t, instruction_kinds> machine = {};
  std::uint64_t register_bank_conflicts = 0;  // registers read after another of the same bank

  std::uint64_t warp_instructions() const;
  std::uint64_t machine_instructions() const;
  Counters& operator+=(const Counters& other);
  bool operator==(const Counters&) const = default;
};

// The requests to one buffer or shared array, loads and stores together.
struct OperandCounters {
  std::string name;  // empty for instructions that access several arrays, or none
  MemorySpace space = MemorySpace::global;  // or shared
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;       // sectors of global memory, wavefronts of shared memory
  std::uint64_t conflicts = 0;  // of shared memory's banks
};

// Adds `more` to the element of the same name and space, or appends it.
void add(std::vector<OperandCounters>& operands, const OperandCounters& more);

struct LineCounters {
  int line = 0;  // in the kernel's source file
  Counters counters;
  std::vector<OperandCounters> operands = {};  // only those with requests

  LineCounters& operator+=(const LineCounters& other);
};

struct MachineInstruction {
  std::string name;          // with the width of an access, without the predicate: "LDS.128"
  std::string_view meaning;  // in words, as "load from shared memory"; empty if it needs none
  // An FFMA of registers alone, as nvdisasm prints it: "@P0 FFMA R0, R64.reuse, R72, RZ". Empty for
  // other instructions, and where operands have signs or modes.
  std::string ffma;
  InstructionKind kind = InstructionKind::unknown;
  std::uint32_t address = 0;        // byte offset in the kernel's code
  int line = 0;                     // in the kernel's source file; 0 for none
  int loop = -1;                    // the innermost loop, from 0; or -1
  std::uint64_t executions = 0;     // by warps, scaled to the whole grid like the counters
  int register_bank_conflicts = 0;  // per execution
  double cost = 0;  // on average, of an execution: wavefronts of shared memory, sectors of global
};

// Memory the kernel may use. Its name and columns let a finding name an element: A[row][column].
struct Buffer {
  std::string name;
  void* data = nullptr;
  std::size_t bytes = 0;
  bool read_only = false;    // an input: writing it is a finding
  bool output = false;       // uninitialised; the kernel must write each element once
  std::int64_t columns = 0;  // elements per row; 0 if it is not a matrix
  int element_bytes = 4;     // 1, 2 or 4
};

// A kernel's argument: a buffer, by its index in the list, a value of 1, 2, 4 or 8 bytes, or a
// struct of such members.
struct Argument {
  std::optional<std::size_t> buffer = std::nullopt;
  std::uint64_t value = 0;
  std::vector<Argument> members = {};
  std::size_t offset = 0, bytes = 8;  // of a member, in bytes

  static Argument pointer(std::size_t buffer) { return {.buffer = buffer}; }
  static Argument integer(std::int64_t value) {
    return {.value = static_cast<std::uint64_t>(value)};
  }
};

// How to run. If only some blocks of the grid run, the sample has blocks of every class (interior,
// right edge, bottom edge, corner), and their counts are scaled by the size of the class.
struct Options {
  int threads = 0;          // 0: all cores
  std::int64_t blocks = 0;  // the most to run, but at least one of every class; 0 for no limit
  // Sample about so many warp instructions, judged by each class's first block; 0 for no limit.
  std::uint64_t warp_instructions = 0;
  // If only some blocks run, these run in any case: blocks whose results are needed together.
  std::vector<Dim3> always = {};
  // Find races, uninitialised reads and barriers that not all threads reach. If false, only fatal
  // errors are found: accesses that are out of bounds or misaligned, and kernels that do not end.
  bool check = true;
  std::int64_t max_instructions = 50'000'000;  // of a warp in loops; after more it is endless
  // In each register that may be read before it is written: a NaN of FP64, FP32, FP16 and BF16, the
  // same in every run, which is visible in the result, and which none of their operations makes.
  std::uint32_t unset = 0x7ff57ff5;
  std::vector<ArrayShape> arrays = {};  // of shared memory; used if name and bytes match
  Activity* activity = nullptr;  // counts the blocks, and may stop the run, also within a block
  std::optional<Dim3> trace = std::nullopt;      // record this block's accesses, if it runs
  std::optional<int> trace_warp = std::nullopt;  // record only this warp of the block
  // The most accesses to record. It is divided equally among the instructions, which record their
  // first steps.
  std::size_t most_accesses = std::size_t{1} << 18;
  bool only_traced = false;  // run only the traced block; then the counts are not scaled
};

// One request of one warp of the traced block. Local memory, atomic additions and bulk copies are
// not recorded.
struct Access {
  int line = 0;                             // in the kernel's source file
  int ptx_line = 0;                         // of the PTX text; 0 without machine code
  std::uint32_t instruction = 0;            // distinguishes the instructions of a line
  int warp = 0;                             // number in the block
  std::uint64_t step = 0;                   // the warp's earlier executions of the instruction
  MemorySpace space = MemorySpace::global;  // or shared
  bool store = false;
  int bytes = 4;             // per lane
  int joined = 1;            // number of PTX accesses that the assembler joined
  std::uint32_t active = 0;  // one bit per lane
  std::optional<std::size_t> buffer = std::nullopt;  // the launch's buffer, for global memory
  // Byte offsets in the buffer or in the block's shared memory, from where its arrays begin. Out of
  // bounds they may be negative (two's complement). 0 for lanes that are not active.
  std::array<std::uint64_t, 32> offsets = {};
  std::uint32_t cost = 0, conflicts = 0;  // sectors; or wavefronts, and those that are conflicts
  // An asynchronous copy is recorded as a load from global memory and a store to shared memory with
  // the same instruction and step. The store has cost 0, as in a profiler.
  bool asynchronous = false;
};

// An array of the block's shared memory. Its elements have 4 bytes if these are not known.
struct SharedArray : ArrayShape {
  std::uint64_t offset = 0, bytes = 0;  // in the block's shared memory, as Access::offsets
};

// The recorded memory accesses of the traced block.
struct Recording {
  std::vector<Access> accesses;  // in the order of execution
  bool all_accesses = true;      // false if there were more than Options::most_accesses
  bool stopped = false;          // a finding stopped the block before its end
  // By line, what is not recorded: "atomic additions", "bulk copies", "local memory". It need not
  // have been executed.
  std::multimap<int, std::string> unrecorded = {};
  std::vector<SharedArray> shared_arrays = {};
};

// What a thread printed by one call of printf().
struct Printed {
  int line = 0;  // in the kernel's source file; 0 for none
  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};
  std::string text;
};

struct Result {
  Counters total;                              // scaled to the whole grid if not exact
  std::vector<LineCounters> lines;             // ascending; only lines with counts
  std::vector<MachineInstruction> machine;     // reachable, in their order; empty without the code
  std::map<std::pair<int, int>, double> ways;  // of warps between its basic blocks and the exit
  std::vector<Finding> findings, notes;        // a note is of what looks like an error but is not
  std::vector<Printed> printed;                // in the order of blocks and threads
  std::uint64_t printed_left_out = 0;          // number of later lines
  // The assembler may join accesses to shared memory. The counts are those of the machine code if
  // this is true, otherwise those of a rule that predicts what the assembler would do.
  bool shared_as_in_machine_code = true;
  bool exact = true;     // every block was emulated
  bool stopped = false;  // a finding stopped the run: outputs are incomplete
  std::uint64_t blocks_emulated = 0, blocks_total = 0;
  std::uint64_t most_instructions_of_block = 0;  // PTX instructions of the block with the most
  // The multiply-adds of the warp with the most, on all units. Two other floating-point
  // instructions of a thread count as one.
  std::uint64_t most_multiply_adds_of_warp = 0;
  // The bytes that a block has on their way while it multiplies, on average over its multiply-adds,
  // summed over all blocks: by asynchronous copies, without zero fill, until a thread waits; from
  // global memory to registers and later to shared memory, and by ldmatrix, until the warp does
  // more with them than move them. (Each for at most twice as long as the median byte.)
  std::uint64_t copied_bytes_in_flight = 0, loaded_bytes_in_flight = 0,
                fragment_bytes_in_flight = 0;
  std::uint64_t copy_conflicts = 0;  // of banks, in what copies write, as of stores
  std::uint64_t idle_barriers = 0;   // that no access to shared memory needs; 0 without checks
  std::vector<Dim3> emulated;        // the blocks that ran, if not all did
  double seconds = 0;
  std::optional<Recording> recording;  // nothing if the traced block did not run
};

// A decoded kernel of a PTX module. It can run any number of times, from any thread.
class Program {
 public:
  // `source_file` is the file whose lines are counted, by its name in NVRTC. `cubin` has the
  // machine code made from the PTX; without it, or if it cannot be read, no machine instructions
  // are counted. Throws Error (unavailable) with the instruction and its source line if the
  // emulator does not know something in the PTX, or if the text is not PTX.
  static Program decode(std::string_view ptx, std::string_view entry, std::string_view source_file,
                        const std::vector<char>& cubin = {});

  // Throws Error (usage) for an invalid launch or invalid arguments, and Interrupted. The buffers
  // then have what was written until then.
  Result run(const Launch& launch, const std::vector<Buffer>& buffers,
             const std::vector<Argument>& arguments, const Options& options = {}) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }  // for simt alone

 private:
  explicit Program(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

// Lanes of a warp that shared memory serves together: those that access 128 bytes, or 256 where
// lanes share them.
struct ServedGroup {
  int first_lane = 0, last_lane = 0;
  // The words (address / 4, in the bank word % 32) of each pass, which has one from each bank at
  // most, in the lanes' order. A pass is a wavefront; each after the first is a bank conflict. None
  // if no lane is active.
  std::vector<std::vector<std::uint32_t>> passes;
};

// Returns the groups of a request to shared memory. Bit l of `active` is set if lane l is active.
// Each lane accesses `bytes` (1, 2, 4, 8 or 16) at an address aligned to them.
std::vector<ServedGroup> served_groups(const std::array<std::uint32_t, 32>& addresses,
                                       std::uint32_t active, int bytes, bool store);

}  // namespace gemm_tutor::simt
