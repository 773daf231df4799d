#include "simt/ptx/joined_accesses.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace gemm_tutor::simt {
namespace {

// True for a load or store that may access shared memory.
struct SharedAccess {
  std::size_t statement = 0;
  bool store = false;
  std::int64_t offset = 0;
};

// Their block, base register, base variable, and whether they are stores.
using Neighbours = std::tuple<std::size_t, int, std::string, bool>;

bool may_be_shared(const ptx::Statement& statement) {
  const Form form = statement.row->form;
  const ptx::Space space = ptx::space_of(statement.opcode);
  return (form == Form::load || form == Form::store) &&
         (space == ptx::Space::shared || space == ptx::Space::generic);
}

std::map<Neighbours, std::vector<SharedAccess>> groups_of(const ptx::Function& function,
                                                          const std::vector<BasicBlock>& blocks) {
  std::map<Neighbours, std::vector<SharedAccess>> groups;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t s = blocks[b].begin; s < blocks[b].end; ++s) {
      const ptx::Statement& statement = function.statements[s];
      if (!may_be_shared(statement) || statement.operands.size() != 2) continue;
      const bool store = statement.row->form == Form::store;
      const ptx::Operand& address = statement.operands[store ? 0 : 1];
      groups[{b, address.reg, address.symbol, store}].push_back({s, store, address.offset});
    }
  }
  return groups;
}

// The widths, in bytes, of the machine instructions that come from each line of the PTX.
using Widths = std::map<std::pair<int, bool>, std::set<int>>;

Widths widths_of(const machine::Code& code) {
  Widths widths;
  for (const machine::Block& block : code.blocks) {
    if (!block.is_reachable) continue;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const machine::Instruction& instruction = code.instructions[i];
      const bool store = instruction.kind == machine::Kind::shared_store;
      if (!store && instruction.kind != machine::Kind::shared_load) continue;
      widths[{instruction.ptx_line, store}].insert(instruction.bits / 8);
    }
  }
  return widths;
}

}  // namespace

std::vector<MachineAccess> machine_accesses(const ptx::Function& function,
                                            const std::vector<BasicBlock>& blocks,
                                            const machine::Code& code) {
  const Widths widths = widths_of(code);
  std::vector<MachineAccess> result(function.statements.size());
  int number = 0;
  for (const auto& [group, accesses] : groups_of(function, blocks)) {
    std::vector<const SharedAccess*> without;
    int widest = 0;
    for (const SharedAccess& access : accesses) {
      MachineAccess& made = result[access.statement];
      made.group = number;
      made.ptx_line = function.statements[access.statement].ptx_line;
      const auto found = widths.find({made.ptx_line, access.store});
      if (found == widths.end()) {
        without.push_back(&access);
        continue;
      }
      widest = std::max(widest, *found->second.rbegin());
      if (found->second.size() == 1) made.bytes = *found->second.begin();
    }
    // It is part of an instruction that has the line of another access nearby.
    std::vector<std::pair<std::size_t, int>> parts;
    for (const SharedAccess* access : without) {
      std::int64_t nearest = 16;
      for (const SharedAccess& other : accesses) {
        const std::int64_t distance = std::abs(other.offset - access->offset);
        const int bytes = result[other.statement].bytes;
        if (bytes <= distance || distance >= nearest) continue;
        nearest = distance;
        parts.emplace_back(access->statement, bytes);
      }
    }
    for (const auto& [statement, bytes] : parts) result[statement].bytes = bytes;
    for (const SharedAccess& access : accesses) result[access.statement].may_be_joined = widest > 4;
    ++number;
  }
  return result;
}

}  // namespace gemm_tutor::simt
