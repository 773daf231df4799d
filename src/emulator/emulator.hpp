// The SIMT emulator: runs PTX in warps of 32 on the CPU's cores, counts what it does to memory, and
// stops at what is wrong. It knows nothing of lessons or of matrix multiply.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/finding.hpp"
#include "emulator/instruction_kind.hpp"
#include "emulator/trace.hpp"
#include "machine/code.hpp"
#include "model/launch.hpp"
#include "support/activity.hpp"

namespace gemm_tutor::emulator {

// Accesses to shared memory as the PTX has them, before the assembler joined any.
struct PtxCounters {
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_conflicts = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_conflicts = 0;

  bool operator==(const PtxCounters&) const = default;
};

// What a kernel did. A request is a warp instruction that at least one lane executes; a sector is
// 32 bytes of global memory; a wavefront is one pass of the shared-memory pipe, and a conflict one
// that is needed only because lanes want different words of one bank.
struct Counters {
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_bytes = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_bytes = 0;
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_conflicts = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_conflicts = 0;
  std::uint64_t shared_load_bytes = 0, shared_store_bytes = 0;
  PtxCounters ptx;
  // Requests of shared memory that are counted as the PTX has them, though there is machine code:
  // it has no instruction for them, or one that is not of their bytes.
  std::uint64_t unmatched_requests = 0;
  std::uint64_t local_load_requests = 0, local_store_requests = 0;
  // Neither loads nor stores: of warps, and of threads.
  std::uint64_t atomic_requests = 0, atomic_operations = 0;
  // Of constant memory, which serves one address after the other.
  std::uint64_t constant_load_requests = 0, constant_load_addresses = 0;
  std::uint64_t ffma = 0;                                          // of threads, not warps
  std::array<std::uint64_t, instruction_kinds> instructions = {};  // of warps, by kind
  std::uint64_t barriers = 0;                                      // of warps
  // Of the machine code, of warps, by machine::Kind; all 0 where there is none.
  std::array<std::uint64_t, machine::kinds> machine = {};
  // Registers that warps read after another one of the same bank, as machine::BankReads says.
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

// By what loads and stores of shared memory are counted, as the assembler may join several: by the
// machine code, or without it by a rule that says what the assembler would do.
enum class SharedAccesses { machine_code, as_the_assembler_would };

// The requests to one buffer or shared array, loads and stores together.
struct OperandCounters {
  std::string name;  // empty for instructions that access several of them, or none
  MemorySpace space = MemorySpace::global;  // or shared
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;       // sectors of global memory, wavefronts of shared memory
  std::uint64_t conflicts = 0;  // of shared memory's banks

  bool operator==(const OperandCounters&) const = default;
};

// Adds them to those of the same name and space, or after all others.
void add(std::vector<OperandCounters>& operands, const OperandCounters& more);

struct LineCounters {
  int line = 0;  // in the kernel's own source file
  Counters counters;
  std::vector<OperandCounters> operands = {};  // that have requests

  LineCounters& operator+=(const LineCounters& other);
  bool operator==(const LineCounters&) const = default;
};

struct MachineInstruction {
  machine::Instruction instruction;
  int line = 0;                     // in the kernel's own source file; 0 for none
  int loop = -1;                    // the innermost, a number in machine::Code::loops; -1 for none
  std::uint64_t executions = 0;     // by warps, scaled to the whole grid as the counters are
  int register_bank_conflicts = 0;  // of one execution, as machine::BankReads says
  // Of a load, store or copy, on average of its executions: wavefronts of shared memory, or sectors
  // of global memory.
  double cost = 0;
};

// Memory the kernel may use. Its name and columns let a finding name an element: A[row][column].
struct Buffer {
  std::string name;
  void* data = nullptr;
  std::size_t bytes = 0;
  bool read_only = false;    // an input: to write it is a finding
  bool output = false;       // holds nothing until the kernel writes it, each element once
  std::int64_t columns = 0;  // of FP32 elements in a row; 0: not a matrix
};

// One kernel parameter: a buffer by its place in the list, or a value of 1, 2, 4 or 8 bytes.
struct Argument {
  std::optional<std::size_t> buffer = std::nullopt;
  std::uint64_t value = 0;

  static Argument pointer(std::size_t buffer) { return {.buffer = buffer}; }
  static Argument integer(std::int64_t value) {
    return {.value = static_cast<std::uint64_t>(value)};
  }
};

// The extents of a shared array as its source declares them, so that a finding can name
// a_tile[3][7].
struct ArrayShape {
  std::string name;
  std::vector<std::int64_t> extents;
};

// Which blocks of the grid to run. Sampled blocks are taken from every class (interior, right edge,
// bottom edge, corner) and their counts scaled by how many of the class there are.
struct Options {
  int threads = 0;  // 0: all cores
  // At most this many blocks (but one of every class); 0: no such limit.
  std::int64_t blocks = 0;
  // Sample as many as stay under this number of warp instructions, judged by the first block of
  // each class; 0: no such limit.
  std::uint64_t warp_instructions = 0;
  // Where not all blocks are run these are, whatever the limits say: blocks whose results mean
  // something only together.
  std::vector<Dim3> always = {};
  // Races, values never written, barriers not reached by all. Without it only what no run could
  // survive is found: accesses out of bounds or misaligned, and kernels that do not end.
  bool check = true;
  // That a warp may execute in loops before it counts as endless.
  std::int64_t max_instructions = 50'000'000;
  // Used where they agree with the bytes of an array of that name.
  std::vector<ArrayShape> arrays = {};
  Activity* activity = nullptr;  // counts the blocks, and may stop the run, also within one
  // What the warps of this block do to memory is recorded, if it is among the blocks that run.
  std::optional<Dim3> trace = std::nullopt;
  std::optional<int> trace_warp = std::nullopt;  // the only one of the block that is recorded
  // The most accesses that are recorded: the first steps of each instruction, equally many for
  // each.
  std::size_t most_accesses = std::size_t{1} << 18;
  // No other block than that one runs: the counts are its own, scaled to no others.
  bool only_traced = false;
};

// What the warps of the traced block did to memory.
struct Recording {
  std::vector<Access> accesses;  // in the order in which they ran
  bool all_accesses = true;      // there were no more of them than Options::most_accesses
  bool stopped = false;          // by a finding: the block did not run to its end
  std::vector<Unrecorded> unrecorded = {};
  std::vector<SharedArray> shared_arrays = {};
};

// What a thread printed by one call of printf().
struct Printed {
  int line = 0;  // in the kernel's own source file; 0 for none
  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};
  std::string text;
};

struct PrintedLines {
  std::vector<Printed> lines;  // in the order of blocks and threads
  std::uint64_t left_out = 0;  // later ones
};

struct Result {
  Counters total;                   // scaled to the whole grid when not exact
  std::vector<LineCounters> lines;  // ascending; only lines that count something
  // All that can be reached, in the order of the code; empty where there is no machine code.
  std::vector<MachineInstruction> machine;
  std::vector<Finding> findings;
  std::vector<Finding> notes;  // what looks like a fault and is none
  PrintedLines printed;
  SharedAccesses shared_accesses = SharedAccesses::machine_code;
  bool exact = true;     // every block was emulated
  bool stopped = false;  // by a finding that left no sense in going on: outputs are incomplete
  std::uint64_t blocks_emulated = 0, blocks_total = 0;
  std::vector<Dim3> emulated;  // which, when not all
  double seconds = 0;
  std::optional<Recording> recording;  // of the traced block; none where that did not run
};

// One kernel of a PTX module, decoded and ready to run any number of times, from any thread.
class Program {
 public:
  // `source_file` is the file whose lines are counted (as NVRTC knows it), `code` what the
  // assembler made of the PTX: without it no machine instructions are counted. Throws Error
  // (unavailable) that names the instruction and its source line when the PTX uses something the
  // emulator does not know, or is not PTX at all.
  static Program decode(std::string_view ptx, std::string_view entry, std::string_view source_file,
                        std::optional<machine::Code> code = std::nullopt);

  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  // Bytes of each of the kernel's parameters.
  std::vector<int> parameters() const;

  // Throws Error (usage) for a launch or arguments that cannot be, and Interrupted; buffers then
  // hold what was written so far.
  Result run(const Launch& launch, const std::vector<Buffer>& buffers,
             const std::vector<Argument>& arguments, const Options& options = {}) const;

  // The machine code that it was decoded with; null for none.
  const machine::Code* code() const;

  // Whether values in memory decide how often some loop is repeated.
  bool has_loop_by_data() const;

  // Runs each of the blocks until its warps have made `steps` requests to global memory by one
  // instruction, and hands over the requests that they made; from several threads at a time. What
  // the blocks write is in the buffers then. Nothing is checked.
  using TakeRequests = std::function<void(std::size_t block, std::vector<Access> requests)>;
  void observe(const Launch& launch, const std::vector<Buffer>& buffers,
               const std::vector<Argument>& arguments, const std::vector<Dim3>& blocks,
               std::uint64_t steps, const TakeRequests& take) const;

 private:
  struct Impl;
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The entries (kernels) of a PTX module, as mangled names in the order of the file.
std::vector<std::string> entries(std::string_view ptx);

}  // namespace gemm_tutor::emulator
