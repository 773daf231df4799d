#include "emulator/worker.hpp"

#include <algorithm>
#include <new>

namespace gemm_tutor::emulator {
namespace {

constexpr std::align_val_t cache_line{64};

// What shared and local memory hold before anything is written: a NaN that shows in the result.
constexpr std::byte unwritten{0x7f};

std::uint32_t special_value(Special special, const Launch& launch, const Dim3& block,
                            std::uint32_t warp, std::uint32_t lane) {
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
  }
  return 0;
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].executions += other.blocks[i].executions;
    blocks[i].lanes += other.blocks[i].lanes;
  }
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    accesses[i].requests += other.accesses[i].requests;
    accesses[i].cost += other.accesses[i].cost;
    accesses[i].lanes += other.accesses[i].lanes;
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
  worker_.blocks = tally_.blocks.data();
  worker_.accesses = tally_.accesses.data();
  worker_.machine = this;
}

void BlockMachine::run(const Dim3& block) {
  block_ = block;
  std::fill(shared_.begin(), shared_.end(), unwritten);
  std::fill(local_.begin(), local_.end(), unwritten);
  start_warps();
  while (run_to_barrier()) {
    for (Warp& warp : warps_) {
      if (warp.status == Status::at_barrier) warp.status = Status::running;
    }
  }
}

void BlockMachine::start_warps() {
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.constants = context_.constants.data();
    warp.registers = registers_.get() + std::size_t{w} * context_.program->register_words;
    warp.code = context_.program->instructions.data();
    warp.worker = &worker_;
    warp.number = w;
    warp.next = 0;
    const std::uint32_t threads = std::min<std::uint32_t>(threads_ - w * lanes, lanes);
    warp.live = threads == lanes ? all_lanes : (1u << threads) - 1;
    warp.active = warp.live;
    warp.reconvergence = no_instruction;
    warp.depth = 0;
    warp.status = Status::running;
    fill_special_registers(warp.registers, w);
  }
}

void BlockMachine::fill_special_registers(std::uint32_t* registers, std::uint32_t warp) const {
  for (const SpecialSlot& slot : context_.program->specials) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      registers[slot.word + lane] =
          special_value(slot.special, context_.launch, block_, warp, lane);
    }
  }
}

// Each warp runs until it waits or is done; true when some wait.
bool BlockMachine::run_to_barrier() {
  bool waiting = false;
  for (Warp& warp : warps_) {
    if (warp.status != Status::running) continue;
    worker_.local = local_.data() + std::size_t{warp.number} * lanes * worker_.local_bytes;
    instruction_set().run(warp);
    waiting = waiting || warp.status == Status::at_barrier;
  }
  return waiting;
}

}  // namespace gemm_tutor::emulator
