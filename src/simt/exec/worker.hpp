// The state of one CPU thread: the memory for one block's warps, counters and checks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simt/check/findings.hpp"
#include "simt/check/thread_order.hpp"
#include "simt/emulator.hpp"
#include "simt/exec/asynchronous.hpp"
#include "simt/exec/machine.hpp"
#include "simt/exec/program.hpp"
#include "support/activity.hpp"

namespace gemm_tutor::simt {

// The output of printf() in a kernel: the lines of all workers, in the order of blocks and threads.
class Printing {
 public:
  // `block` and `thread` are numbers; x varies fastest.
  void add(std::uint64_t block, std::uint32_t thread, const Printed& printed);

  // Moves the first lines of the blocks up to `last`, and the number of those left out.
  void move_to(Result& result, std::uint64_t last);

 private:
  static constexpr std::size_t most = 1'000;                              // lines that are kept
  using Place = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;  // block, thread, call
  std::mutex mutex_;
  std::map<Place, Printed> printed_;
  std::uint64_t calls_ = 0;
  std::uint64_t left_out_ = 0;
};

// The words of an operand, and a lane's 64-bit value.
inline const std::uint32_t* words(const Warp& warp, Operand operand) {
  return (operand.bits & 1 ? warp.constants : warp.registers) + (operand.bits >> 1);
}
inline std::uint64_t long_at(const Warp& warp, Operand operand, int lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, words(warp, operand) + 2 * lane, sizeof value);
  return value;
}

constexpr std::uint64_t no_block = std::numeric_limits<std::uint64_t>::max();

// By a block's mark: the clock up to which its accesses are ordered before.
using KnownBlocks = std::map<std::uint64_t, std::uint32_t>;

// The clocks released at the addresses in global memory that blocks synchronise with.
struct BlockOrder {
  std::mutex mutex;
  std::map<std::uint64_t, KnownBlocks> known_at;  // by address
};

// The data that all workers of a run share. Only `stopped` and what the pointers refer to changes
// during the run.
struct RunContext {
  const DecodedProgram* program = nullptr;
  Launch launch;
  const std::vector<Buffer>* buffers = nullptr;
  std::vector<GlobalBuffer> global;
  std::vector<WindowVariable> shared, local;
  const std::vector<ArrayShape>* arrays = nullptr;
  std::uint32_t shared_bytes = 0;
  std::vector<std::uint32_t> constants;
  std::int64_t max_instructions = 0;  // per warp
  bool check = true;
  std::uint32_t unset = 0;  // in registers that may be read before they are written
  Findings* findings = nullptr;
  BlockOrder* block_order = nullptr;
  Printing* printing = nullptr;
  // The first stopped block in the order of the grid. No later block starts. Earlier blocks run to
  // their end, so that the findings do not depend on the workers' speed.
  std::atomic<std::uint64_t>* stopped = nullptr;
  Activity* activity = nullptr;  // never null in a run
  Recorder* recorder = nullptr;  // for the traced block; null if there is none
  Dim3 traced;
};

// The counts of each basic block and each counted access.
struct Tally {
  std::vector<BlockCounter> blocks;
  std::vector<AccessCounter> accesses;
  std::vector<std::uint64_t> jumps_back;  // backward jumps per loop
  std::uint64_t findings = 0;
  std::uint64_t most_instructions_of_block = 0, most_multiply_adds_of_warp = 0;
  // As in Result.
  std::uint64_t copied_bytes_in_flight = 0, loaded_bytes_in_flight = 0, copy_conflicts = 0;
  std::uint64_t fragment_bytes_in_flight = 0, idle_barriers = 0;
  // Per loop: how often a warp executed the loop with a number of iterations and left it at its
  // backward jump.
  std::vector<std::map<std::uint64_t, std::uint64_t>> entries;

  explicit Tally(const DecodedProgram& program);
  Tally& operator+=(const Tally& other);
};

// A read of uninitialised shared memory. If another thread writes there before the next barrier, it
// is a race.
struct ReadOfNothing {
  const Instruction* instruction = nullptr;
  std::uint32_t warp = 0;
  int lane = 0;
  std::uint32_t address = 0;
  int bytes = 0;
  std::int32_t at = 0;      // the index of its mark in the shadow
  std::uint64_t times = 1;  // including equal reads that are not kept
};

// Reports the read as uninitialised or as a race (checks.cpp).
void settle(Warp& warp, const ReadOfNothing& read);

// A named barrier: bar.sync and similar instructions with a number and a thread count.
struct NamedBarrier {
  std::uint32_t expected = 0;  // threads; 0 while no thread has arrived
  std::uint32_t arrived = 0;
  std::uint32_t waiting = 0;  // one bit per warp
  bool is_whole = false;      // no thread count: for all threads that have not returned
  std::map<std::uint32_t, std::uint32_t> came = {};  // the shadow's clock when each warp arrived
  KnownClocks known = {};
  // For a reduction: the threads whose predicate is true, and all that take part.
  std::uint32_t holds = 0, votes = 0;
};
inline constexpr std::uint32_t named_barriers = 16;

// An entry of a warp's call stack.
struct CallFrame {
  const Call* call = nullptr;
  const DecodedFunction* function = nullptr;
  std::uint32_t* caller = nullptr;  // its registers
  std::uint32_t stack_end = 0;      // end of the local variables of this and all outer calls
};

class BlockMachine {
 public:
  explicit BlockMachine(const RunContext& context);

  // Runs one block of the grid until it ends or is stopped. Throws Interrupted. Does nothing if an
  // earlier block was stopped.
  void run(const Dim3& block);

  const Tally& tally();  // of all blocks that have run
  const RunContext& context() const { return context_; }
  const Dim3& block() const { return block_; }

  std::uint32_t warp_count() const { return static_cast<std::uint32_t>(warps_.size()); }
  Warp& warp(std::uint32_t number) { return warps_[number]; }
  Asynchronous& asynchronous() { return asynchronous_; }

  // Made when threads first synchronise in a way that needs it.
  ThreadOrder& order();
  const ThreadOrder* known_order() const { return order_ ? &*order_ : nullptr; }
  NamedBarrier& named_barrier(std::uint32_t number) { return named_barriers_[number]; }
  void release(Warp& warp, std::uint32_t active, KnownClocks& place);
  void acquire(Warp& warp, std::uint32_t active, const KnownClocks& place);
  // The same at an address that threads synchronise with.
  void release_at(Warp& warp, std::uint32_t active, std::uint64_t address);
  void acquire_at(Warp& warp, std::uint32_t active, std::uint64_t address);
  // False for kernels that only read so: with volatile loads of A, for example.
  bool has_released() const;
  void arrive(Warp& warp, NamedBarrier& barrier);
  // True unless other warps that used the barrier last are still using it.
  bool is_free(const Warp& warp, std::uint32_t barrier) const;

  std::vector<CallFrame>& frames(std::uint32_t warp) { return frames_[warp]; }
  void print(const Printed& printed, std::uint32_t thread) const {
    context_.printing->add(block_number_, thread, printed);
  }

  // `describe` adds the facts of this fault. It is called for the first finding of a kind at a line
  // of the block. Further ones are only counted.
  template <typename Describe>
  void add_finding(Fault fault, const Instruction& instruction, Describe describe,
                   std::uint64_t times = 1) {
    if (found_.empty()) found_.resize(context_.program->instructions.size());
    const auto number =
        static_cast<std::size_t>(&instruction - context_.program->instructions.data());
    const FindingKind kind = kind_of(fault);
    std::uint64_t& count = found_[number][static_cast<std::size_t>(kind)];
    count += times;
    if (count > times) return;
    found_at_.push_back(number);
    std::uint64_t& of_line = found_of_lines_[{instruction.line, kind}];
    if (++of_line > 1) return;
    context_.findings->add(fault, instruction.line, block_number_, [&] {
      FoundFault finding{.fault = fault, .line = instruction.line};
      finding.calls = context_.program->calls[instruction.calls];
      finding.block = block_;
      describe(finding);
      return finding;
    });
  }

  void renumber_clock();
  bool others_run(const Warp& warp) const;

  std::uint64_t tick() { return ++ticks_; }
  void leave_loop(std::uint32_t loop, std::uint32_t jumps_back) {
    ++tally_.entries[loop][std::uint64_t{jumps_back} + 1];
  }

  void defer(const ReadOfNothing& read);

  std::uint64_t block_mark() const { return block_number_ + 1; }  // for GlobalMarks
  // The mark of an access that the thread makes now.
  GlobalMark global_mark(std::uint32_t thread) const {
    return block_mark() << 32 | (worker_.shadow.clock << SharedShadow::mark_bits | thread);
  }
  // True if the other block's accesses up to the clock are ordered before.
  bool knows_block(std::uint64_t block_mark, std::uint32_t clock) const;
  bool knows_other_blocks() const;
  void release_block(std::uint64_t address) const;
  void acquire_block(std::uint64_t address);
  OtherAccess access_of(GlobalMark mark, bool store) const;

  // Finds the access, of that kind, to the offset in shared memory that left the mark. Returns its
  // index among the program's accesses and its thread, which is not `thread`, if it is known.
  // Returns nothing if accesses of several lines are possible.
  static constexpr std::uint32_t no_thread = 0xffffffff;
  struct FoundAccess {
    std::uint32_t access = 0, thread = no_thread;
  };
  std::optional<FoundAccess> find_access(Mark mark, AccessKind kind, std::int32_t offset,
                                         std::uint32_t thread) const;
  // The instructions that the block's warps have stored with to the array in shared memory that has
  // the offset.
  std::vector<std::uint32_t> stores_to(std::int32_t offset) const;

 private:
  struct FreeAligned {
    void operator()(std::uint32_t* memory) const;
  };

  void run_block();
  void gather_counts();
  void start_block();
  void start_warp(std::uint32_t number);
  void fill_special_registers(std::uint32_t* registers, std::uint32_t warp) const;
  void run_to_barrier();
  void run_warp(Warp& warp);
  void stop();  // stops the run after this block
  std::uint32_t waiting_for_the_block() const;
  void check_barrier(std::uint32_t waiting);
  bool complete_without_returned();
  void report_deadlock();
  void complete(NamedBarrier& barrier);
  void release_barrier(std::uint32_t waiting);
  void settle_reads();
  void order_whole_block();
  void judge_last_barrier();
  template <typename Visit>
  void for_each_known_clock(Visit visit);

  const RunContext& context_;
  Dim3 block_;
  std::uint64_t block_number_ = 0;  // x varies fastest
  std::uint32_t threads_ = 0;
  std::unique_ptr<std::uint32_t[], FreeAligned> registers_;
  std::vector<std::byte> shared_, local_;
  std::vector<std::uint8_t> local_written_;
  std::vector<Mark> shared_writers_, shared_readers_, shared_atomics_, shared_volatile_writers_;
  std::vector<std::uint32_t> shared_reading_lanes_;
  std::vector<Pattern<std::uint64_t>> global_patterns_;
  std::vector<SharedPattern> shared_patterns_;
  std::unique_ptr<RecentAccesses> recent_;
  std::array<LineCopies, LineCopies::kept> line_copies_;
  std::vector<SharedTouch> touches_;
  std::vector<Warp> warps_;
  std::vector<std::uint32_t> jumps_back_;  // per warp and loop
  Asynchronous asynchronous_;
  std::vector<std::vector<CallFrame>> frames_;   // per warp, the innermost call last
  std::vector<ReadOfNothing> reads_of_nothing_;  // since the last barrier
  std::vector<std::uint32_t> reads_kept_;        // per instruction
  std::optional<ThreadOrder> order_;
  std::map<std::uint64_t, KnownClocks> known_at_;  // released there
  std::array<NamedBarrier, named_barriers> named_barriers_;
  // When the warps arrived that used each barrier last.
  std::array<std::map<std::uint32_t, std::uint32_t>, named_barriers> last_at_barrier_;
  KnownBlocks known_blocks_;
  // The block's findings: counts by instruction and kind, the instructions with findings, and the
  // number of instructions by line.
  std::vector<std::array<std::uint64_t, finding_kinds>> found_;
  std::vector<std::size_t> found_at_;
  std::map<std::pair<int, FindingKind>, std::uint64_t> found_of_lines_;
  // The parts of shared memory (RecentAccesses) that were read and written before the block's last
  // barrier, from the last one before it that was needed; nothing if there was no barrier.
  struct Parts {
    std::uint64_t read = 0, written = 0;
  };
  std::optional<Parts> before_barrier_;
  std::uint64_t ticks_ = 0;
  Worker worker_;
  Tally tally_;
};

}  // namespace gemm_tutor::simt
