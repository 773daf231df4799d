// The SIMT emulator: it runs PTX in warps of 32 threads on the CPU's cores, counts memory requests
// and instructions, and finds errors. It knows nothing of lessons or matrix multiplication.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simt/finding.hpp"
#include "simt/instruction.hpp"
#include "simt/launch.hpp"
#include "simt/trace.hpp"
#include "support/activity.hpp"

namespace gemm_tutor::machine {
struct Code;
}

namespace gemm_tutor::emulator {

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
  std::uint64_t barriers = 0, mbarrier_arrivals = 0;               // per warp
  // Machine instructions per warp, by machine::Kind; all 0 without machine code.
  std::array<std::uint64_t, machine::kinds> machine = {};
  // Register bank conflicts: registers that a warp must read after another of the same bank
  // (machine::BankReads).
  std::uint64_t register_bank_conflicts = 0;

  std::uint64_t warp_instructions() const {
    return std::accumulate(instructions.begin(), instructions.end(), std::uint64_t{0});
  }
  std::uint64_t machine_instructions() const {
    return std::accumulate(machine.begin(), machine.end(), std::uint64_t{0});
  }

  Counters& operator+=(const Counters& other);
  bool operator==(const Counters&) const = default;
};

// The source of the counts of shared memory, because the assembler may join accesses: the machine
// code, or a rule that predicts what the assembler would do.
enum class SharedAccesses { machine_code, as_the_assembler_would };

// The requests to one buffer or shared array, loads and stores together.
struct OperandCounters {
  std::string name;  // empty for instructions that access several arrays, or none
  MemorySpace space = MemorySpace::global;  // or shared
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;       // sectors of global memory, wavefronts of shared memory
  std::uint64_t conflicts = 0;  // of shared memory's banks

  bool operator==(const OperandCounters&) const = default;
};

// Adds `more` to the element of the same name and space, or appends it.
void add(std::vector<OperandCounters>& operands, const OperandCounters& more);

struct LineCounters {
  int line = 0;  // in the kernel's source file
  Counters counters;
  std::vector<OperandCounters> operands = {};  // only those with requests

  LineCounters& operator+=(const LineCounters& other);
  bool operator==(const LineCounters&) const = default;
};

struct MachineInstruction {
  machine::Instruction instruction;
  int line = 0;                     // in the kernel's source file; 0 for none
  int loop = -1;                    // the innermost loop, an index in machine::Code::loops; or -1
  std::uint64_t executions = 0;     // by warps, scaled to the whole grid like the counters
  int register_bank_conflicts = 0;  // per execution (machine::BankReads)
  // For a load, store or copy, the average per execution: wavefronts of shared memory, or sectors
  // of global memory.
  double cost = 0;
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
  std::size_t offset = 0;  // of a member, in bytes
  std::size_t bytes = 8;   // of a member

  static Argument pointer(std::size_t buffer) { return {.buffer = buffer}; }
  static Argument integer(std::int64_t value) {
    return {.value = static_cast<std::uint64_t>(value)};
  }
};

// A shared array as declared in the source, so that a finding can name a_tile[3][7].
struct ArrayShape {
  std::string name;
  std::vector<std::int64_t> extents;  // empty for a dynamic array
  int element_bytes = 0;              // 0 if not known
};

// How to run. If only some blocks of the grid run, the sample has blocks of every class (interior,
// right edge, bottom edge, corner), and their counts are scaled by the size of the class.
struct Options {
  int threads = 0;  // 0: all cores
  // The most blocks to run, but at least one of every class; 0 for no limit.
  std::int64_t blocks = 0;
  // Sample so many blocks that this number of warp instructions is not exceeded, as estimated from
  // the first block of each class; 0 for no limit.
  std::uint64_t warp_instructions = 0;
  // If only some blocks run, these run in any case: blocks whose results are needed together.
  std::vector<Dim3> always = {};
  // Find races, uninitialised reads and barriers that not all threads reach. If false, only fatal
  // errors are found: accesses that are out of bounds or misaligned, and kernels that do not end.
  bool check = true;
  // The instructions that a warp may execute in loops before the kernel counts as endless.
  std::int64_t max_instructions = 50'000'000;
  // In each register of the kernel that may be read before it is written: a NaN, which is visible
  // in the result and the same in every run.
  std::uint32_t unset = 0x7fffffff;
  // Used if they match the bytes of an array of that name.
  std::vector<ArrayShape> arrays = {};
  Activity* activity = nullptr;  // counts the blocks, and may stop the run, also within a block
  // Record the memory accesses of this block's warps, if it runs.
  std::optional<Dim3> trace = std::nullopt;
  std::optional<int> trace_warp = std::nullopt;  // record only this warp of the block
  // The most accesses to record. It is divided equally among the instructions, which record their
  // first steps.
  std::size_t most_accesses = std::size_t{1} << 18;
  // Run only the traced block. Then the counts are not scaled.
  bool only_traced = false;
};

// The recorded memory accesses of the traced block.
struct Recording {
  std::vector<Access> accesses;  // in the order of execution
  bool all_accesses = true;      // false if there were more than Options::most_accesses
  bool stopped = false;          // a finding stopped the block before its end
  std::vector<Unrecorded> unrecorded = {};
  std::vector<SharedArray> shared_arrays = {};
};

// What a thread printed by one call of printf().
struct Printed {
  int line = 0;  // in the kernel's source file; 0 for none
  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};
  std::string text;
};

struct PrintedLines {
  std::vector<Printed> lines;  // in the order of blocks and threads
  std::uint64_t left_out = 0;  // number of later lines
};

struct Result {
  Counters total;                   // scaled to the whole grid if not exact
  std::vector<LineCounters> lines;  // ascending; only lines with counts
  // The reachable instructions in the order of the code; empty without machine code.
  std::vector<MachineInstruction> machine;
  // How often warps went from one basic block of the machine code to another (machine::Executions),
  // scaled like the counters.
  std::map<std::pair<int, int>, double> ways;
  std::vector<Finding> findings;
  std::vector<Finding> notes;  // what looks like an error but is not
  PrintedLines printed;
  SharedAccesses shared_accesses = SharedAccesses::machine_code;
  bool exact = true;     // every block was emulated
  bool stopped = false;  // a finding stopped the run: outputs are incomplete
  std::uint64_t blocks_emulated = 0, blocks_total = 0;
  // The PTX instructions of the warps of that block which executed the most.
  std::uint64_t most_instructions_of_block = 0;
  // The multiply-adds of the warp with the most, on all units. Two other floating-point
  // instructions of a thread count as one.
  std::uint64_t most_multiply_adds_of_warp = 0;
  // Of asynchronous copies, without zero fill: the bytes that a block has on their way while it
  // multiplies, on average over its multiply-adds, summed over all blocks. How long a copy is on
  // its way is measured by the multiply-adds of the warp that started it, until a thread waits for
  // it, but as at most twice as long as the block's median byte: a few copies that nothing waits
  // for do not stand for many.
  std::uint64_t copied_bytes_in_flight = 0;
  std::vector<Dim3> emulated;  // the blocks that ran, if not all did
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

  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  // Returns the bytes of each kernel parameter.
  std::vector<int> parameters() const;

  // Throws Error (usage) for an invalid launch or invalid arguments, and Interrupted. The buffers
  // then have what was written until then.
  Result run(const Launch& launch, const std::vector<Buffer>& buffers,
             const std::vector<Argument>& arguments, const Options& options = {}) const;

  // The machine code that decode() read; null if there was none.
  const machine::Code* code() const;

  // True if a loop's number of iterations depends on data in memory.
  bool has_loop_by_data() const;

  // Runs each of the blocks until its warps have made `steps` requests to global memory with one
  // instruction, and passes the requests to `take`, from several threads at a time. The blocks'
  // stores change the buffers. There are no checks.
  using TakeRequests = std::function<void(std::size_t block, std::vector<Access> requests)>;
  void observe(const Launch& launch, const std::vector<Buffer>& buffers,
               const std::vector<Argument>& arguments, const std::vector<Dim3>& blocks,
               std::uint64_t steps, const TakeRequests& take) const;

 private:
  struct Impl;
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Returns the mangled names of a PTX module's kernels, in the order of the file.
std::vector<std::string> entries(std::string_view ptx);

}  // namespace gemm_tutor::emulator
