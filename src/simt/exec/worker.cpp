#include "simt/exec/worker.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "simt/count/counting.hpp"
#include "simt/count/recorder.hpp"
#include "simt/exec/address_space.hpp"
#include "simt/exec/places.hpp"

namespace gemm_tutor::simt {
namespace {

// What the block has not written of an array in shared memory, if that is the same range of each
// group of elements.
std::optional<Gap> never_written(const SharedShadow& shadow, const Element& array) {
  if (array.space != MemorySpace::shared || array.array.empty()) return {};
  const std::int64_t begin =
      window_offset(static_cast<std::uint32_t>(array.address)) - array.index * array.element_bytes;
  const auto is_written = [&](std::int64_t index) {
    return shadow.writer[(begin + index * array.element_bytes) >> shadow.shift] != 0;
  };
  std::vector<Gap> gaps;
  for (std::int64_t i = 0; i < array.elements; ++i) {
    if (is_written(i)) continue;
    if (gaps.empty() || gaps.back().last != i - 1) gaps.push_back({i, i, array.elements});
    gaps.back().last = i;
  }
  if (gaps.empty()) return {};
  Gap gap = gaps.front();
  if (gaps.size() > 1) gap.of = gaps[1].first - gap.first;
  const auto groups = static_cast<std::int64_t>(gaps.size());
  if (gap.last >= gap.of || groups * gap.of + gap.first < array.elements) return {};
  for (std::int64_t g = 0; g < groups; ++g) {
    const Gap& one = gaps[static_cast<std::size_t>(g)];
    if (one.first != gap.first + g * gap.of || one.last != gap.last + g * gap.of) return {};
  }
  return gap;
}

constexpr std::align_val_t cache_line{64};

// The initial contents of shared and local memory: a NaN, which is visible in the result.
constexpr std::byte unwritten{0x7f};

std::uint32_t special_value(Special special, const RunContext& context, const Dim3& block,
                            std::uint32_t warp, std::uint32_t lane) {
  const Launch& launch = context.launch;
  const std::uint32_t thread = warp * lanes + lane;
  switch (special) {
    case Special::tid_x:
      return thread % launch.block.x;
    case Special::tid_y:
      return thread / launch.block.x % launch.block.y;
    case Special::tid_z:
      return thread / launch.block.x / launch.block.y;
    case Special::ntid_x:
      return launch.block.x;
    case Special::ntid_y:
      return launch.block.y;
    case Special::ntid_z:
      return launch.block.z;
    case Special::ctaid_x:
      return block.x;
    case Special::ctaid_y:
      return block.y;
    case Special::ctaid_z:
      return block.z;
    case Special::nctaid_x:
      return launch.grid.x;
    case Special::nctaid_y:
      return launch.grid.y;
    case Special::nctaid_z:
      return launch.grid.z;
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp;
    case Special::nwarpid:
      return (launch.block.x * launch.block.y * launch.block.z + lanes - 1) / lanes;
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_le:
      return (2u << lane) - 1;
    case Special::lanemask_lt:
      return (1u << lane) - 1;
    case Special::lanemask_ge:
      return ~((1u << lane) - 1);
    case Special::lanemask_gt:
      return ~((2u << lane) - 1);
    case Special::smid:  // there is one multiprocessor and one grid
    case Special::gridid:
      return 0;
    case Special::nsmid:
      return 1;
    case Special::dynamic_smem_size:
      return static_cast<std::uint32_t>(launch.dynamic_shared_bytes);
    case Special::total_smem_size:
      return context.program->static_shared_bytes +
             static_cast<std::uint32_t>(launch.dynamic_shared_bytes);
  }
  return 0;
}

}  // namespace

Tally::Tally(const DecodedProgram& program)
    : blocks(program.blocks.size()),
      accesses(program.accesses.size()),
      jumps_back(program.loops.size()),
      entries(program.loops.size()) {
  for (std::size_t b = 0; b < blocks.size(); ++b)
    blocks[b].half_multiply_adds = program.blocks[b].half_multiply_adds;
}

Tally& Tally::operator+=(const Tally& other) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].executions += other.blocks[i].executions;
    blocks[i].lanes += other.blocks[i].lanes;
  }
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    accesses[i].requests += other.accesses[i].requests;
    accesses[i].cost += other.accesses[i].cost;
    accesses[i].conflicts += other.accesses[i].conflicts;
    accesses[i].lanes += other.accesses[i].lanes;
    accesses[i].address_bits_of_some |= other.accesses[i].address_bits_of_some;
    accesses[i].address_bits_of_all &= other.accesses[i].address_bits_of_all;
    for (int w = 0; w < 2; ++w) {
      AccessCounter::Wide& wide = accesses[i].wide[w];
      const AccessCounter::Wide& more = other.accesses[i].wide[w];
      wide.cost += more.cost;
      wide.conflicts += more.conflicts;
      wide.first_requests += more.first_requests;
      wide.first_cost += more.first_cost;
      wide.first_conflicts += more.first_conflicts;
      wide.first_lanes += more.first_lanes;
    }
  }
  findings += other.findings;
  most_instructions_of_block =
      std::max(most_instructions_of_block, other.most_instructions_of_block);
  most_multiply_adds_of_warp =
      std::max(most_multiply_adds_of_warp, other.most_multiply_adds_of_warp);
  copied_bytes_in_flight += other.copied_bytes_in_flight;
  loaded_bytes_in_flight += other.loaded_bytes_in_flight;
  fragment_bytes_in_flight += other.fragment_bytes_in_flight;
  idle_barriers += other.idle_barriers;
  copy_conflicts += other.copy_conflicts;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    jumps_back[i] += other.jumps_back[i];
    for (const auto& [iterations, times] : other.entries[i]) entries[i][iterations] += times;
  }
  return *this;
}

void BlockMachine::FreeAligned::operator()(std::uint32_t* memory) const {
  ::operator delete[](memory, cache_line);
}

BlockMachine::BlockMachine(const RunContext& context)
    : context_(context),
      threads_(static_cast<std::uint32_t>(context.launch.block.count())),
      shared_(context.shared_bytes),
      global_patterns_(context.program->accesses.size()),
      shared_patterns_(context.program->accesses.size()),
      warps_((threads_ + lanes - 1) / lanes),
      jumps_back_(warps_.size() * context.program->loops.size()),
      asynchronous_(warps_.size()),
      frames_(warps_.size()),
      tally_(*context.program) {
  const DecodedProgram& program = *context.program;
  const std::size_t words = warps_.size() * program.register_words;
  registers_.reset(new (cache_line) std::uint32_t[words]());
  local_.resize(warps_.size() * lanes * program.local_bytes);

  worker_.buffers = context.global.data();
  worker_.buffer_count = static_cast<std::int64_t>(context.global.size());
  worker_.shared = shared_.data();
  worker_.shared_variables = context.shared.data();
  worker_.shared_variable_count = static_cast<std::int32_t>(context.shared.size());
  worker_.local_variables = context.local.data();
  worker_.local_variable_count = static_cast<std::int32_t>(context.local.size());
  worker_.local_bytes = program.local_bytes;
  worker_.global_patterns = global_patterns_.data();
  worker_.shared_patterns = shared_patterns_.data();
  worker_.line_copies = line_copies_.data();
  worker_.products = program.products.data();
  worker_.unset = context.unset;
  worker_.blocks = tally_.blocks.data();
  worker_.accesses = tally_.accesses.data();
  worker_.jumps_back = tally_.jumps_back.data();
  worker_.machine = this;
  if (context.check) {
    worker_.checks_fragments = std::ranges::any_of(
        program.functions, [](const DecodedFunction& f) { return !f.unset_registers.empty(); });
    local_written_.resize(local_.size());
    worker_.shadow.shift = program.narrow_shared_accesses ? 0 : 2;
    shared_writers_.resize((shared_.size() >> worker_.shadow.shift) + 1);
    if (program.partial_synchronisation) {
      worker_.shadow.tables = warp_count();
      worker_.shadow.stride = static_cast<std::uint32_t>(shared_writers_.size());
    }
    shared_readers_.resize(shared_writers_.size() * worker_.shadow.tables);
    if (program.partial_synchronisation) {
      shared_reading_lanes_.resize(shared_readers_.size());
      worker_.shadow.reading_lanes = shared_reading_lanes_.data();
    }
    if (program.shared_atomics) {
      shared_atomics_.resize(shared_readers_.size());
      shared_volatile_writers_.resize(shared_writers_.size());
    }
    recent_ = std::make_unique<RecentAccesses>();
    recent_->words = static_cast<std::int32_t>(shared_.size() >> worker_.shadow.shift);
    while (shared_.size() > std::size_t{64} << recent_->shift) ++recent_->shift;
    worker_.recent = recent_.get();
    touches_.resize(program.accesses.size() * warps_.size());
    worker_.touches = touches_.data();
    worker_.warps = warp_count();
    worker_.shadow.writer = shared_writers_.data();
    worker_.shadow.reader = shared_readers_.data();
    if (program.shared_atomics) {
      worker_.shadow.atomic = shared_atomics_.data();
      worker_.shadow.volatile_writer = shared_volatile_writers_.data();
    }
  }
}

void BlockMachine::run(const Dim3& block) {
  const Dim3& grid = context_.launch.grid;
  block_ = block;
  block_number_ = (std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
  if (block_number_ > *context_.stopped) return;
  const bool is_traced = context_.recorder != nullptr && block == context_.traced;
  worker_.recorder = is_traced ? context_.recorder : nullptr;
  if (is_traced) worker_.recorder->start();
  const std::uint64_t before = warp_instructions(*context_.program, tally_);
  start_block();
  run_block();
  tally_.most_instructions_of_block = std::max(
      tally_.most_instructions_of_block, warp_instructions(*context_.program, tally_) - before);
  const std::uint64_t most =
      std::ranges::max_element(warps_, {}, &Warp::half_multiply_adds)->half_multiply_adds;
  tally_.most_multiply_adds_of_warp = std::max(tally_.most_multiply_adds_of_warp, most / 2);
  tally_.copied_bytes_in_flight +=
      asynchronous_.bytes_in_flight(&AsynchronousCopies::copied_by_work, most);
  tally_.loaded_bytes_in_flight +=
      asynchronous_.bytes_in_flight(&AsynchronousCopies::loaded_by_work, most);
  tally_.fragment_bytes_in_flight +=
      asynchronous_.bytes_in_flight(&AsynchronousCopies::fragments_by_work, most);
  judge_last_barrier();
  for (const AsynchronousCopies& copies : asynchronous_.of_warps)
    tally_.copy_conflicts += copies.conflicts;
  gather_counts();
}

// Counts the block's findings, except the first of each kind per line, which are already reported.
void BlockMachine::gather_counts() {
  for (const std::size_t number : found_at_) {
    for (std::size_t k = 0; k < finding_kinds; ++k) {
      const std::uint64_t count = std::exchange(found_[number][k], 0);
      if (count == 0) continue;
      const auto kind = static_cast<FindingKind>(k);
      const int line = context_.program->instructions[number].line;
      std::uint64_t& first = found_of_lines_[{line, kind}];
      context_.findings->add_more(kind, line, count - std::min<std::uint64_t>(first, 1));
      first = 0;
      if (kind == FindingKind::uninitialised) {
        context_.findings->add_gap(line, block_number_, [&](const Element& array) {
          return never_written(worker_.shadow, array);
        });
      }
      if (!is_note(kind)) tally_.findings += count;
    }
  }
  found_at_.clear();
  found_of_lines_.clear();
}

const Tally& BlockMachine::tally() {
  for (std::size_t a = 0; a < tally_.accesses.size(); ++a) {
    count_requests(tally_.accesses[a], global_patterns_[a]);
    count_requests(tally_.accesses[a], shared_patterns_[a]);
  }
  return tally_;
}

void BlockMachine::run_block() {
  for (;;) {
    run_to_barrier();
    if (complete_without_returned()) continue;
    settle_reads();
    const std::uint32_t waiting = waiting_for_the_block();
    if (waiting == 0) return report_deadlock();
    release_barrier(waiting);
  }
}

void BlockMachine::start_block() {
  std::fill(shared_.begin(), shared_.end(), unwritten);
  std::fill(local_.begin(), local_.end(), unwritten);
  std::fill(local_written_.begin(), local_written_.end(), std::uint8_t{0});
  std::fill(shared_writers_.begin(), shared_writers_.end(), Mark{0});
  std::fill(shared_readers_.begin(), shared_readers_.end(), Mark{0});
  std::fill(shared_atomics_.begin(), shared_atomics_.end(), Mark{0});
  std::fill(shared_volatile_writers_.begin(), shared_volatile_writers_.end(), Mark{0});
  std::fill(touches_.begin(), touches_.end(), SharedTouch{});
  worker_.shadow.clock = worker_.shadow.barrier_clock = 1;
  if (recent_) {
    recent_->doubtful = ~std::uint64_t{0};
    recent_->note_barrier();
  }
  order_.reset();
  known_at_.clear();
  known_blocks_.clear();
  asynchronous_.clear();
  before_barrier_.reset();
  named_barriers_ = {};
  last_at_barrier_ = {};
  for (std::uint32_t w = 0; w < warps_.size(); ++w) start_warp(w);
}

void BlockMachine::start_warp(std::uint32_t number) {
  Warp& warp = warps_[number];
  warp.constants = context_.constants.data();
  warp.registers = registers_.get() + std::size_t{number} * context_.program->register_words;
  warp.code = context_.program->instructions.data();
  warp.worker = &worker_;
  warp.number = number;
  warp.next = 0;
  const std::uint32_t threads = std::min<std::uint32_t>(threads_ - number * lanes, lanes);
  warp.live = threads == lanes ? all_lanes : (1u << threads) - 1;
  warp.active = warp.live;
  warp.begun = warp.live;
  warp.reconvergence = no_instruction;
  warp.depth = 0;
  warp.sync_clock = warp.matrix_clock = 0;
  warp.half_multiply_adds = 0;
  warp.known = nullptr;
  warp.waiting = warp.met = 0;
  constexpr std::int64_t most_watched = 1'000'000;
  warp.instructions_left = std::min(context_.max_instructions, instructions_between_looks);
  warp.instructions_later = context_.max_instructions - warp.instructions_left;
  warp.watched = std::min(context_.max_instructions, most_watched);
  warp.widest_loop = nullptr;
  const std::size_t loops = context_.program->loops.size();
  warp.jumps_back = jumps_back_.data() + number * loops;
  std::fill_n(warp.jumps_back, loops, 0);
  warp.status = Status::running;
  frames_[number].clear();
  warp.frame = 0;
  for (const std::uint32_t word : context_.program->functions.front().unset_registers) {
    warp.registers[word] = context_.unset;
  }
  fill_special_registers(warp.registers, number);
}

void BlockMachine::fill_special_registers(std::uint32_t* registers, std::uint32_t warp) const {
  for (const SpecialSlot& slot : context_.program->specials) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      registers[slot.word + lane] = special_value(slot.special, context_, block_, warp, lane);
    }
  }
}

// Each warp runs until it waits at a barrier, ends or is stopped. Spinning warps alternate. Other
// warps may complete a barrier at which some wait.
void BlockMachine::run_to_barrier() {
  const auto runs = [](const Warp& warp) { return warp.status == Status::running; };
  while (std::ranges::any_of(warps_, runs)) {
    for (Warp& warp : warps_) {
      if (warp.status != Status::running) continue;
      run_warp(warp);
      context_.activity->check();
      if (warp.status == Status::stopped) {
        stop();
        return;
      }
      if (warp.status == Status::spinning) warp.status = Status::running;
    }
  }
}

void BlockMachine::stop() {
  if (worker_.recorder != nullptr) worker_.recorder->stop();
  std::uint64_t first = *context_.stopped;
  while (block_number_ < first) {
    if (context_.stopped->compare_exchange_weak(first, block_number_)) return;
  }
}

void BlockMachine::run_warp(Warp& warp) {
  const std::size_t local = std::size_t{warp.number} * lanes * worker_.local_bytes;
  worker_.local = local_.data() + local;
  worker_.local_written = context_.check ? local_written_.data() + local : nullptr;
  instruction_set().run(warp);
}

void leave_loop(Warp& warp, const Instruction& instruction) {
  std::uint32_t& jumps_back = warp.jumps_back[instruction.index];
  warp.worker->machine->leave_loop(instruction.index, jumps_back);
  jumps_back = 0;
}

bool asked_to_stop(const Warp& warp) {
  return warp.worker->machine->context().activity->stopping();
}

// %globaltimer: here the number of reads, as nanoseconds.
void read_timer(Warp& warp, const Instruction& instruction) {
  const std::uint64_t now = warp.worker->machine->tick();
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(warp.active >> lane & 1)) continue;
    std::memcpy(warp.registers + (instruction.operands[0].bits >> 1) + 2 * lane, &now, sizeof now);
  }
}

bool others_run(const Warp& warp) { return warp.worker->machine->others_run(warp); }

void renumber_clock(Worker& worker) { worker.machine->renumber_clock(); }

bool BlockMachine::others_run(const Warp& warp) const {
  return std::ranges::any_of(warps_, [&](const Warp& other) {
    return other.status == Status::running && other.number != warp.number;
  });
}

template <typename Visit>
void BlockMachine::for_each_known_clock(Visit visit) {
  if (order_) order_->for_each_clock(visit);
  const auto all_of = [&](KnownClocks& clocks) {
    for (std::uint32_t& clock : clocks) visit(clock);
  };
  for (auto& [address, known] : known_at_) all_of(known);
  for (NamedBarrier& barrier : named_barriers_) all_of(barrier.known);
  for (NamedBarrier& barrier : named_barriers_) {
    for (auto& [warp, clock] : barrier.came) visit(clock);
  }
  for (auto& last : last_at_barrier_) {
    for (auto& [warp, clock] : last) visit(clock);
  }
  for (auto& [address, known] : asynchronous_.phases) {
    all_of(known.arrived);
    all_of(known.completed);
  }
}

// The marks' clocks are compared only with the clocks of the last barriers, of the block and its
// warps, and of the warps' matrix instructions. So a clock's new value is the number of barrier
// clocks that are not later.
void BlockMachine::renumber_clock() {
  SharedShadow& shadow = worker_.shadow;
  if (recent_) leave_read_marks(worker_);
  std::vector<std::uint32_t> barriers = {shadow.barrier_clock};
  for (const Warp& warp : warps_) {
    barriers.push_back(warp.sync_clock);
    barriers.push_back(warp.matrix_clock);
  }
  for_each_known_clock([&](std::uint32_t& clock) { barriers.push_back(clock); });
  std::ranges::sort(barriers);
  const auto renumbered = [&](std::uint32_t clock) {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(barriers, clock) -
                                      barriers.begin()) +
           1;
  };
  const auto renumbered_mark = [&](Mark mark) {
    const bool has_clock = mark != 0 && mark != SharedShadow::being_copied;
    return has_clock ? renumbered(mark >> SharedShadow::mark_bits) << SharedShadow::mark_bits |
                           (mark & SharedShadow::who_mask)
                     : mark;
  };
  for (Mark& mark : shared_writers_) mark = renumbered_mark(mark);
  for (Mark& mark : shared_readers_) mark = renumbered_mark(mark);
  for (Mark& mark : shared_atomics_) mark = renumbered_mark(mark);
  for (Mark& mark : shared_volatile_writers_) mark = renumbered_mark(mark);
  for (SharedTouch& touch : touches_) {
    if (touch.clock != 0) touch.clock = renumbered(touch.clock);
  }
  for (const GlobalBuffer& buffer : context_.global) {
    for (std::size_t e = 0; buffer.marks != nullptr && e < buffer.elements(); ++e) {
      GlobalMarks& marks = buffer.marks[e];
      for (GlobalMark* place : {&marks.writer, &marks.reader, &marks.atomic}) {
        std::atomic_ref<GlobalMark> mark(*place);
        GlobalMark before = mark.load(std::memory_order_relaxed);
        if (before >> 32 != block_mark()) continue;
        // If another block accesses it at the same time, that block's mark stays.
        const GlobalMark after = before >> 32 << 32 | renumbered_mark(static_cast<Mark>(before));
        mark.compare_exchange_strong(before, after, std::memory_order_relaxed);
      }
    }
  }
  shadow.clock = renumbered(shadow.clock);
  shadow.barrier_clock = renumbered(shadow.barrier_clock);
  for (Warp& warp : warps_) {
    warp.sync_clock = renumbered(warp.sync_clock);
    warp.matrix_clock = renumbered(warp.matrix_clock);
  }
  for_each_known_clock([&](std::uint32_t& clock) { clock = renumbered(clock); });
}

// Returns the warps that wait for the whole block, one bit each; 0 if they may not continue.
std::uint32_t BlockMachine::waiting_for_the_block() const {
  std::uint32_t waiting = 0;
  for (const Warp& warp : warps_) {
    if (warp.status == Status::stopped || warp.status == Status::at_named_barrier) return 0;
    if (warp.status == Status::at_barrier) waiting |= 1u << warp.number;
  }
  return waiting;
}

void BlockMachine::defer(const ReadOfNothing& read) {
  constexpr std::uint32_t most = 64;  // per instruction; the last one also counts all further ones
  if (reads_kept_.empty()) reads_kept_.resize(context_.program->instructions.size());
  const auto number = read.instruction - context_.program->instructions.data();
  std::uint32_t& place = reads_kept_[static_cast<std::size_t>(number)];
  if (place >= most) {
    ++reads_of_nothing_[place - most].times;
    return;
  }
  reads_of_nothing_.push_back(read);
  if (++place == most) place += static_cast<std::uint32_t>(reads_of_nothing_.size()) - 1;
}

// Orders all earlier accesses before all later ones.
void BlockMachine::order_whole_block() {
  judge_last_barrier();
  worker_.shadow.barrier_clock = advance_clock(worker_);
  if (recent_) recent_->note_barrier();
}

// At the next barrier, and at the end of the block: see Result::idle_barriers.
void BlockMachine::judge_last_barrier() {
  if (!recent_) return;
  Parts after = {recent_->read | recent_->marked, recent_->written};
  if (before_barrier_) {
    const auto& [read, written] = *before_barrier_;
    const std::uint64_t of_both = (written & (after.read | after.written)) | (read & after.written);
    const bool is_idle = of_both == 0;
    tally_.idle_barriers += is_idle ? 1 : 0;
    if (is_idle) after = {read | after.read, written | after.written};
  }
  before_barrier_ = after;
}

void BlockMachine::settle_reads() {
  for (const ReadOfNothing& read : reads_of_nothing_) {
    settle(warps_[read.warp], read);
    reads_kept_[static_cast<std::size_t>(read.instruction -
                                         context_.program->instructions.data())] = 0;
  }
  reads_of_nothing_.clear();
}

void BlockMachine::release_barrier(std::uint32_t waiting) {
  if (context_.check) check_barrier(waiting);
  order_whole_block();
  for (Warp& warp : warps_) {
    if (warp.status == Status::at_barrier) warp.status = Status::running;
  }
}

// All threads of the block must have arrived at a __syncthreads(). Threads that have returned are
// missing.
void BlockMachine::check_barrier(std::uint32_t waiting) {
  const Warp* first = nullptr;
  std::vector<Dim3> returned;
  for (const Warp& warp : warps_) {
    if (waiting >> warp.number & 1) {
      if (first == nullptr) first = &warp;
      const Instruction& here = first->code[first->next - 1];
      const int line = warp.code[warp.next - 1].line;
      if (line != here.line) {
        add_finding(Fault::different_barriers, here, [&](FoundFault& finding) {
          finding.warp = first->number;
          finding.other_warp = warp.number;
          finding.other_line = line;
        });
      }
    }
    for (int lane = 0; lane < lanes; ++lane) {
      const bool gone = (warp.begun & ~warp.live) >> lane & 1;
      if (gone) returned.push_back(thread_of(warp, lane));
    }
  }
  if (returned.empty()) return;
  add_finding(Fault::missing_warps, first->code[first->next - 1],
              [&](FoundFault& finding) { finding.threads = std::move(returned); });
}

bool BlockMachine::knows_block(std::uint64_t block_mark, std::uint32_t clock) const {
  const auto known = known_blocks_.find(block_mark);
  return known != known_blocks_.end() && clock <= known->second;
}

bool BlockMachine::knows_other_blocks() const {
  return std::ranges::any_of(known_blocks_,
                             [&](const auto& known) { return known.first != block_mark(); });
}

OtherAccess BlockMachine::access_of(GlobalMark mark, bool store) const {
  using By = OtherAccess::By;
  const std::uint64_t number = (mark >> 32) - 1;
  const Mark who = static_cast<Mark>(mark) & SharedShadow::who_mask;
  OtherAccess access;
  access.store = store;
  access.by = mark >> 32 == several_blocks         ? By::threads_of_several_blocks
              : who == SharedShadow::several_warps ? By::threads_of_several_warps
              : who >= SharedShadow::several       ? By::threads_of_the_warp
                                                   : By::thread;
  if (access.by != By::thread) return access;
  access.thread = place_in(context_.launch.block, who);
  access.block = place_in(context_.launch.grid, number);
  return access;
}

}  // namespace gemm_tutor::simt
