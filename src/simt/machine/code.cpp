#include "simt/machine/code.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "simt/machine/cubin.hpp"

namespace gemm_tutor::simt::machine {
namespace {

constexpr std::uint32_t instruction_bytes = 16;

// The instructions' addresses ascend, as the rows' do.
void set_lines(std::vector<Instruction>& instructions, const std::vector<LineRow>& rows) {
  auto row = rows.begin();
  int current = 0;
  for (Instruction& instruction : instructions) {
    for (; row != rows.end() && row->address <= instruction.address; ++row) current = row->line;
    instruction.ptx_line = current;
  }
}

// True if a RET may follow the instruction.
bool returns(const std::vector<Instruction>& instructions, std::size_t place) {
  std::vector<bool> seen(instructions.size());
  std::vector<std::size_t> to_visit = {place};
  while (!to_visit.empty()) {
    const std::size_t at = to_visit.back();
    to_visit.pop_back();
    if (at >= instructions.size() || seen[at]) continue;
    seen[at] = true;
    const Instruction& instruction = instructions[at];
    if (instruction.role == Role::returning) return true;
    const bool jumps = instruction.is_branch() && instruction.role != Role::call;
    if (jumps) to_visit.push_back(*instruction.target / instruction_bytes);
    const bool leaves = jumps || instruction.is_exit();
    if (!leaves || instruction.is_conditional()) to_visit.push_back(at + 1);
  }
  return false;
}

// Removes the targets of calls that return, because called code is not part of the kernel's control
// flow.
void forget_targets(std::vector<Instruction>& instructions) {
  for (Instruction& instruction : instructions) {
    if (instruction.role != Role::call || !instruction.target) continue;
    if (returns(instructions, *instruction.target / instruction_bytes)) instruction.target.reset();
  }
}

// Blocks begin at the entry, at each branch's target, and after each branch and exit.
std::vector<Block> split(const std::vector<Instruction>& instructions) {
  const std::size_t count = instructions.size();
  std::set<std::size_t> beginnings = {0};
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& instruction = instructions[i];
    if (instruction.target) beginnings.insert(*instruction.target / instruction_bytes);
    if (instruction.target || instruction.is_exit()) beginnings.insert(i + 1);
  }
  std::vector<Block> blocks;
  for (auto begin = beginnings.begin(); begin != beginnings.end() && *begin < count; ++begin) {
    const auto next = std::next(begin);
    blocks.push_back({*begin, next == beginnings.end() ? count : std::min(count, *next)});
  }
  return blocks;
}

// True if a block repeats for one lane after the other, as for a bulk copy. It is one PTX
// instruction, mostly with one lane, and not a loop of the source.
bool takes_lanes_in_turn(const Block& block, const std::vector<Instruction>& instructions) {
  const auto begin = instructions.begin() + static_cast<std::ptrdiff_t>(block.begin);
  const auto end = instructions.begin() + static_cast<std::ptrdiff_t>(block.end);
  return std::prev(end)->target == begin->address &&
         std::any_of(begin, end,
                     [](const Instruction& each) { return each.role == Role::election; });
}

// The successors of each block. The successor of blocks that may leave the kernel is an additional
// block, the exit.
std::vector<std::vector<int>> followers(const std::vector<Block>& blocks,
                                        const std::vector<Instruction>& instructions) {
  const int exit = static_cast<int>(blocks.size());
  const auto block_at = [&](std::size_t instruction) {
    const auto found = std::ranges::lower_bound(blocks, instruction, {}, &Block::begin);
    return static_cast<int>(found - blocks.begin());
  };
  std::vector<std::vector<int>> next(blocks.size() + 1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Instruction& last = instructions[blocks[b].end - 1];
    if (last.target && !takes_lanes_in_turn(blocks[b], instructions)) {
      next[b].push_back(block_at(*last.target / instruction_bytes));
    }
    if (last.is_exit()) next[b].push_back(exit);
    const bool goes_on = next[b].empty() || last.is_conditional();
    if (goes_on) next[b].push_back(static_cast<int>(b) + 1);
  }
  return next;
}

// The blocks that the kernel may execute.
std::vector<bool> reachable(const std::vector<std::vector<int>>& next) {
  std::vector<bool> seen(next.size());
  std::vector<int> to_visit = {0};
  while (!to_visit.empty()) {
    const int b = to_visit.back();
    to_visit.pop_back();
    if (seen[b]) continue;
    seen[b] = true;
    to_visit.insert(to_visit.end(), next[b].begin(), next[b].end());
  }
  return seen;
}

// The natural loop of each target of a backward jump: the blocks that reach such a jump without
// passing the target.
std::vector<Loop> find_loops(const Flow& flow) {
  std::vector<Loop> loops;
  for (int header = 0; header < flow.exit(); ++header) {
    std::vector<bool> inside(flow.next.size());
    inside[header] = true;
    std::vector<int> to_visit;
    for (const int b : flow.before[header]) {
      if (flow.dominators.dominates(header, b)) to_visit.push_back(b);
    }
    if (to_visit.empty()) continue;
    while (!to_visit.empty()) {
      const int b = to_visit.back();
      to_visit.pop_back();
      if (inside[b]) continue;
      inside[b] = true;
      to_visit.insert(to_visit.end(), flow.before[b].begin(), flow.before[b].end());
    }
    Loop loop{header, {}};
    for (std::size_t b = 0; b < inside.size(); ++b) {
      if (inside[b]) loop.blocks.push_back(static_cast<int>(b));
    }
    loops.push_back(std::move(loop));
  }
  std::ranges::stable_sort(loops, {}, [](const Loop& loop) { return loop.blocks.size(); });
  return loops;
}

void nest(std::vector<Loop>& loops, std::vector<Block>& blocks) {
  for (std::size_t l = 0; l < loops.size(); ++l) {
    for (const int b : loops[l].blocks) {
      if (blocks[b].loop < 0) blocks[b].loop = static_cast<int>(l);
    }
    for (std::size_t outer = l + 1; outer < loops.size(); ++outer) {
      if (!std::ranges::binary_search(loops[outer].blocks, loops[l].header)) continue;
      loops[l].outer = static_cast<int>(outer);
      break;
    }
  }
}

}  // namespace

bool Code::are_equivalent(int block, int other) const {
  const auto encloses = [&](int first, int last) {
    return flow.dominators.dominates(first, last) && flow.post_dominators.dominates(last, first);
  };
  return blocks[block].loop == blocks[other].loop &&
         (encloses(block, other) || encloses(other, block));
}

Code structured(int architecture, std::vector<Instruction> instructions) {
  forget_targets(instructions);
  std::vector<Block> blocks = split(instructions);
  std::vector<std::vector<int>> next = followers(blocks, instructions);
  const std::vector<bool> seen = reachable(next);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].is_reachable = seen[b];
    if (!seen[b]) next[b].clear();
  }
  const int exit = static_cast<int>(blocks.size());
  const std::vector<std::vector<int>> before = reversed(next);
  Flow flow{next, before, Dominators(next, 0), Dominators(before, exit)};
  std::vector<Loop> loops = find_loops(flow);
  nest(loops, blocks);
  return {architecture, std::move(instructions), std::move(blocks), std::move(loops),
          std::move(flow)};
}

Code read_code(std::span<const char> cubin, std::string_view kernel) {
  const KernelImage image = read_cubin(cubin, kernel);
  std::vector<Instruction> instructions;
  for (std::size_t i = 0; i + 1 < image.words.size(); i += 2) {
    instructions.push_back(decode(image.words[i], image.words[i + 1],
                                  static_cast<std::uint32_t>(i / 2) * instruction_bytes,
                                  image.architecture));
  }
  set_lines(instructions, image.ptx_lines);
  return structured(image.architecture, std::move(instructions));
}

namespace {

bool is_arithmetic(const Instruction& instruction) {
  return instruction.kind == Kind::ffma || instruction.kind == Kind::floating_point ||
         instruction.kind == Kind::integer;
}

class ReuseCache {
 public:
  BankReads read(const Instruction& instruction) {
    BankReads reads;
    std::set<int> registers;
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
      const auto [first, count] = instruction.sources[slot];
      const bool is_kept = (instruction.reuse >> slot & 1) != 0;
      for (int each = first; each < first + count; ++each) {
        int& entry = entries_[slot][each % 2];
        if (entry == each) {
          ++reads.reused;
          reads.reused_odd += each % 2;
        } else {
          registers.insert(each);
        }
        entry = is_kept ? each : no_register;
      }
    }
    for (const int each : registers) ++(each % 2 == 0 ? reads.even : reads.odd);
    return reads;
  }

 private:
  // By slot and bank.
  std::array<std::array<int, 2>, 3> entries_ = {
      {{no_register, no_register}, {no_register, no_register}, {no_register, no_register}}};
};

}  // namespace

std::vector<BankReads> bank_reads(const Code& code) {
  std::vector<BankReads> result(code.instructions.size());
  for (const Block& block : code.blocks) {
    ReuseCache cache;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (is_arithmetic(code.instructions[i])) result[i] = cache.read(code.instructions[i]);
    }
  }
  return result;
}

}  // namespace gemm_tutor::simt::machine
