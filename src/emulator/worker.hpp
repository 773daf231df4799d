// One CPU thread's machine: memory for the warps of one block at a time, its counters and its
// checks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/asynchronous.hpp"
#include "emulator/emulator.hpp"
#include "emulator/findings.hpp"
#include "emulator/machine.hpp"
#include "emulator/printing.hpp"
#include "emulator/program.hpp"
#include "emulator/thread_order.hpp"
#include "support/activity.hpp"

namespace gemm_tutor::emulator {

// The words of an operand, and a value of 64 bits that it has of a lane.
inline const std::uint32_t* words(const Warp& warp, Operand operand) {
  return (operand.bits & 1 ? warp.constants : warp.registers) + (operand.bits >> 1);
}
inline std::uint64_t long_at(const Warp& warp, Operand operand, int lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, words(warp, operand) + 2 * lane, sizeof value);
  return value;
}

constexpr std::uint64_t no_block = std::numeric_limits<std::uint64_t>::max();

// By a block's mark: up to which of its clocks its accesses come before.
using KnownBlocks = std::map<std::uint64_t, std::uint32_t>;

// What blocks leave at the places in global memory that they synchronise by.
struct BlockOrder {
  std::mutex mutex;
  std::map<std::uint64_t, KnownBlocks> known_at;  // by address
};

// What all workers of a run share; nothing of it changes while they run, except that one may say
// stop.
struct RunContext {
  const DecodedProgram* program = nullptr;
  Launch launch;
  const std::vector<Buffer>* buffers = nullptr;
  std::vector<GlobalBuffer> global;
  std::vector<WindowVariable> shared, local;
  const std::vector<ArrayShape>* arrays = nullptr;
  std::uint32_t shared_bytes = 0;
  std::vector<std::uint32_t> constants;
  std::int64_t max_instructions = 0;  // of a warp
  bool check = true;
  Findings* findings = nullptr;
  BlockOrder* block_order = nullptr;
  Printing* printing = nullptr;
  // The first block, in the order of the grid, that something stopped: no later one is begun.
  // Those before it run to their end, so that what is found does not depend on which was faster.
  std::atomic<std::uint64_t>* stopped = nullptr;
  Activity* activity = nullptr;  // never null in a run
  Recorder* recorder = nullptr;  // of the traced block; null without one
  Dim3 traced;
};

// How often each block of the program was run and what each counted access met.
struct Tally {
  std::vector<BlockCounter> blocks;
  std::vector<AccessCounter> accesses;
  std::vector<std::uint64_t> jumps_back;  // that close each loop
  std::uint64_t findings = 0;
  // How often a warp entered each loop for that many iterations, where it left by the jump that
  // closes it.
  std::vector<std::map<std::uint64_t, std::uint64_t>> entries;

  explicit Tally(const DecodedProgram& program)
      : blocks(program.blocks.size()),
        accesses(program.accesses.size()),
        jumps_back(program.loops.size()),
        entries(program.loops.size()) {}
  Tally& operator+=(const Tally& other);
};

// A read of shared memory that nothing has written: before the next barrier somebody may yet write
// it, which makes it a race.
struct ReadOfNothing {
  const Instruction* instruction = nullptr;
  std::uint32_t warp = 0;
  int lane = 0;
  std::uint32_t address = 0;
  int bytes = 0;
  std::int32_t at = 0;      // its mark's place in the shadow
  std::uint64_t times = 1;  // with those like it that are not kept
};

// Reports it, now that it is known which of the two it is (checks.cpp).
void settle(Warp& warp, const ReadOfNothing& read);

// bar.sync and the like with a number and a count of threads.
struct NamedBarrier {
  std::uint32_t expected = 0;  // threads; 0 while nobody has come
  std::uint32_t arrived = 0;
  std::uint32_t waiting = 0;  // a bit for each warp
  bool is_whole = false;      // without a count: for all threads of the block that are left
  std::map<std::uint32_t, std::uint32_t> came = {};  // when each warp did: the shadow's clock
  KnownClocks known = {};
  // Of a reduction: the threads whose predicate holds, and how many take part.
  std::uint32_t holds = 0, votes = 0;
};
inline constexpr std::uint32_t named_barriers = 16;

// What the threads knew that have arrived at an mbarrier, and those of the phases completed.
struct MbarrierKnowledge {
  KnownClocks arrived = {}, completed = {};
};

// A call that a warp is in.
struct CallFrame {
  const Call* call = nullptr;
  const DecodedFunction* function = nullptr;
  std::uint32_t* caller = nullptr;  // its registers
  std::uint32_t stack_end = 0;      // of the local variables of this and all outer calls
};

class BlockMachine {
 public:
  explicit BlockMachine(const RunContext& context);

  // Runs one block of the grid to its end, or until something stops it; throws Interrupted.
  // Does nothing after a block that was stopped.
  void run(const Dim3& block);

  const Tally& tally();  // of all blocks that were run
  const RunContext& context() const { return context_; }
  const Dim3& block() const { return block_; }

  std::uint32_t warp_count() const { return static_cast<std::uint32_t>(warps_.size()); }
  Warp& warp(std::uint32_t number) { return warps_[number]; }
  AsynchronousCopies& asynchronous(std::uint32_t warp) { return asynchronous_[warp]; }

  // Created when threads first synchronise in a way that needs it.
  ThreadOrder& order();
  const ThreadOrder* known_order() const { return order_ ? &*order_ : nullptr; }
  // What was known at the places that threads synchronise by.
  KnownClocks& known_at(std::uint64_t address) { return known_at_[address]; }
  MbarrierKnowledge& mbarrier(std::uint32_t address) { return mbarriers_[address]; }
  NamedBarrier& named_barrier(std::uint32_t number) { return named_barriers_[number]; }
  void release(Warp& warp, std::uint32_t active, KnownClocks& place);
  void acquire(Warp& warp, std::uint32_t active, const KnownClocks& place);
  void arrive(Warp& warp, NamedBarrier& barrier);
  // Whether the warps that used the barrier last, if others than this one, are done with it.
  bool is_free(const Warp& warp, std::uint32_t barrier) const;

  std::vector<CallFrame>& frames(std::uint32_t warp) { return frames_[warp]; }
  void print(const Printed& printed, std::uint32_t thread) const {
    context_.printing->add(block_number_, thread, printed);
  }

  // `describe` adds the fault's own facts, of the first of its kind at that line in the block. The
  // others are only counted.
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
      Finding finding{.fault = fault, .line = instruction.line};
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

  std::uint64_t block_mark() const { return block_number_ + 1; }  // of its GlobalMarks
  // That of the thread's access now.
  GlobalMark global_mark(std::uint32_t thread) const {
    return block_mark() << 32 | (worker_.shadow.clock << SharedShadow::mark_bits | thread);
  }
  // Whether what the other block did up to the clock is known to come before.
  bool knows_block(std::uint64_t block_mark, std::uint32_t clock) const;
  bool knows_other_blocks() const;
  void release_block(std::uint64_t address) const;
  void acquire_block(std::uint64_t address);
  OtherAccess access_of(GlobalMark mark, bool store) const;

  // The access, of that kind, to the offset in shared memory that left the mark: its place among
  // the program's accesses, and who made it, if that is known; another than `thread`. Nothing where
  // it could be one of several lines.
  static constexpr std::uint32_t no_thread = 0xffffffff;
  struct FoundAccess {
    std::uint32_t access = 0, thread = no_thread;
  };
  std::optional<FoundAccess> find_access(Mark mark, AccessKind kind, std::int32_t offset,
                                         std::uint32_t thread) const;

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
  void stop();  // the run, after this block
  std::uint32_t waiting_for_the_block() const;
  void check_barrier(std::uint32_t waiting);
  bool complete_without_returned();
  void report_deadlock();
  void complete(NamedBarrier& barrier);
  void release_barrier(std::uint32_t waiting);
  void settle_reads();
  void order_whole_block();
  template <typename Visit>
  void for_each_known_clock(Visit visit);

  const RunContext& context_;
  Dim3 block_;
  std::uint64_t block_number_ = 0;  // counted along x first
  std::uint32_t threads_ = 0;
  std::unique_ptr<std::uint32_t[], FreeAligned> registers_;
  std::vector<std::byte> shared_, local_;
  std::vector<std::uint8_t> local_written_;
  std::vector<Mark> shared_writers_, shared_readers_, shared_atomics_, shared_volatile_writers_;
  std::vector<Pattern<std::uint64_t>> global_patterns_;
  std::vector<SharedPattern> shared_patterns_;
  std::unique_ptr<RecentAccesses> recent_;
  std::array<LineCopies, LineCopies::kept> line_copies_;
  std::vector<SharedTouch> touches_;
  std::vector<Warp> warps_;
  std::vector<std::uint32_t> jumps_back_;         // of each warp, those of each loop
  std::vector<AsynchronousCopies> asynchronous_;  // of each warp
  std::vector<std::vector<CallFrame>> frames_;    // likewise, the innermost last
  std::vector<ReadOfNothing> reads_of_nothing_;   // since the last barrier
  std::vector<std::uint32_t> reads_kept_;         // of each instruction
  std::optional<ThreadOrder> order_;
  std::map<std::uint64_t, KnownClocks> known_at_;
  std::map<std::uint32_t, MbarrierKnowledge> mbarriers_;  // by their addresses
  std::array<NamedBarrier, named_barriers> named_barriers_;
  // When the warps came to each that used it last.
  std::array<std::map<std::uint32_t, std::uint32_t>, named_barriers> last_at_barrier_;
  KnownBlocks known_blocks_;
  // How many there were in the block, by instruction and kind; where any were; and of how many
  // instructions, by line.
  std::vector<std::array<std::uint64_t, finding_kinds>> found_;
  std::vector<std::size_t> found_at_;
  std::map<std::pair<int, FindingKind>, std::uint64_t> found_of_lines_;
  std::uint64_t ticks_ = 0;
  Worker worker_;
  Tally tally_;
};

}  // namespace gemm_tutor::emulator
