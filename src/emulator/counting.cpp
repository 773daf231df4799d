#include "emulator/counting.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "machine/executions.hpp"

namespace gemm_tutor::emulator {
namespace {

// What a profiler counts of an access to shared memory.
struct SharedCounts {
  std::uint64_t requests = 0, wavefronts = 0, conflicts = 0;
};

void add_shared(Counters& counters, const AccessCounter& counted, bool load,
                const SharedCounts& made) {
  PtxCounters& ptx = counters.ptx;
  (load ? ptx.shared_load_requests : ptx.shared_store_requests) += counted.requests;
  (load ? ptx.shared_load_wavefronts : ptx.shared_store_wavefronts) += counted.cost;
  (load ? ptx.shared_load_conflicts : ptx.shared_store_conflicts) += counted.conflicts;
  (load ? counters.shared_load_requests : counters.shared_store_requests) += made.requests;
  (load ? counters.shared_load_wavefronts : counters.shared_store_wavefronts) += made.wavefronts;
  (load ? counters.shared_load_conflicts : counters.shared_store_conflicts) += made.conflicts;
}

void add_access(Counters& counters, const CountedAccess& access, const AccessCounter& counted,
                const SharedCounts& made) {
  const std::uint64_t bytes = counted.lanes * static_cast<std::uint64_t>(access.bytes);
  const bool load = access.kind != CountedAccess::Kind::store;  // an asynchronous copy is one, too
  if (access.kind == CountedAccess::Kind::barrier) {
    counters.barriers += counted.requests;
  } else if (access.kind == CountedAccess::Kind::atomic ||
             access.kind == CountedAccess::Kind::mbarrier) {
    // neither a load nor a store, for a profiler either
  } else if (access.kind == CountedAccess::Kind::bulk_copy) {
    counters.global_load_bytes += bytes;  // not by the units that take requests
  } else if (access.kind == CountedAccess::Kind::ffma) {
    counters.ffma += counted.lanes;
  } else if (access.space == ptx::Space::local) {
    (load ? counters.local_load_requests : counters.local_store_requests) += counted.requests;
  } else if (access.space == ptx::Space::shared) {
    add_shared(counters, counted, load, made);
    (load ? counters.shared_load_bytes : counters.shared_store_bytes) += bytes;
  } else {
    (load ? counters.global_load_requests : counters.global_store_requests) += counted.requests;
    (load ? counters.global_load_sectors : counters.global_store_sectors) += counted.cost;
    (load ? counters.global_load_bytes : counters.global_store_bytes) += bytes;
  }
}

// What the assembler made of the accesses to shared memory, as they were executed.
class MachineAccesses {
 public:
  MachineAccesses(const DecodedProgram& program, const Tally& tally,
                  const std::vector<std::uint64_t>& executions)
      : program_(program), tally_(tally) {
    if (program.machine) count_copies(*program.machine, executions);
    for (std::size_t a = 0; a < program.accesses.size(); ++a) add(a);
  }

  // As the PTX has it where the machine code does not say.
  SharedCounts of(std::size_t index) const {
    const CountedAccess& access = program_.accesses[index];
    const AccessCounter& counted = tally_.accesses[index];
    const SharedCounts ptx = {counted.requests, counted.cost, counted.conflicts};
    if (by_address(index)) {
      if (access.machine.bytes <= access.bytes) return ptx;
      const AccessCounter::Wide& wide = counted.wide[access.machine.bytes == 16];
      return {wide.first_requests, wide.first_cost, wide.first_conflicts};
    }
    if (!by_copies(index) || counted.requests == 0) return ptx;
    SharedCounts sum;
    for (const auto& [bytes, times] : copies_of(access)) {
      const AccessCounter::Wide& wide = counted.wide[bytes == 16];
      const bool is_wide = bytes > access.bytes;
      sum.requests += times;
      sum.wavefronts += scale(is_wide ? wide.cost : counted.cost, times, counted.requests);
      sum.conflicts += scale(is_wide ? wide.conflicts : counted.conflicts, times, counted.requests);
    }
    return sum;
  }

  bool is_known(std::size_t access) const { return by_address(access) || by_copies(access); }

 private:
  // Bytes of a lane, and how often an instruction of so many was executed.
  using Copies = std::map<int, std::uint64_t>;

  // Moved by a group's accesses: as the PTX has them, and by two ways of counting what was made of
  // them. By address, which needs no other count, it is right where it moves as many. By the copies
  // in the code it may move more: an access may be wider than what is used of it.
  struct Bytes {
    std::uint64_t ptx = 0, by_address = 0, by_copies = 0, ptx_requests = 0;
  };

  void count_copies(const machine::Code& code, const std::vector<std::uint64_t>& executions) {
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
      const machine::Instruction& instruction = code.instructions[i];
      const bool store = instruction.kind == machine::Kind::shared_store;
      if (!store && instruction.kind != machine::Kind::shared_load) continue;
      copies_[{instruction.ptx_line, store}][instruction.bits / 8] += executions[i];
    }
  }

  const Copies& copies_of(const CountedAccess& access) const {
    static const Copies none;
    const auto found =
        copies_.find({access.machine.ptx_line, access.kind == CountedAccess::Kind::store});
    return found == copies_.end() ? none : found->second;
  }

  void add(std::size_t index) {
    const CountedAccess& access = program_.accesses[index];
    if (access.space != ptx::Space::shared || access.machine.group < 0) return;
    const AccessCounter& counted = tally_.accesses[index];
    Bytes& bytes = groups_[access.machine.group];
    bytes.ptx += counted.lanes * static_cast<std::uint64_t>(access.bytes);
    bytes.ptx_requests += counted.requests * static_cast<std::uint64_t>(access.bytes);
    if (access.machine.bytes >= access.bytes) {
      const bool is_wide = access.machine.bytes > access.bytes;
      const std::uint64_t lanes =
          is_wide ? counted.wide[access.machine.bytes == 16].first_lanes : counted.lanes;
      bytes.by_address += lanes * static_cast<std::uint64_t>(access.machine.bytes);
    }
    for (const auto& [width, times] : copies_of(access)) {
      bytes.by_copies += times * static_cast<std::uint64_t>(width);
    }
  }

  const Bytes* group_of(std::size_t access) const {
    const auto found = groups_.find(program_.accesses[access].machine.group);
    return found == groups_.end() ? nullptr : &found->second;
  }
  bool by_address(std::size_t access) const {
    const Bytes* bytes = group_of(access);
    return bytes && bytes->by_address == bytes->ptx;
  }
  bool by_copies(std::size_t access) const {
    const Bytes* bytes = group_of(access);
    return bytes && bytes->by_copies >= bytes->ptx_requests;
  }

  const DecodedProgram& program_;
  const Tally& tally_;
  std::map<std::pair<int, bool>, Copies> copies_;  // by PTX line, of loads and of stores
  std::map<int, Bytes> groups_;
};

// Those that were left by another way than the jump that closes the loop, each with as many
// iterations as the others of them.
void add_other_entries(machine::PtxLoop& loop, std::uint64_t iterations, std::uint64_t jumps_back) {
  std::uint64_t entries = iterations - std::min(iterations, jumps_back);
  for (const auto& [trips, times] : loop.entries) {
    entries -= std::min(entries, times);
    iterations -= std::min(iterations, trips * times);
  }
  if (entries > 0) loop.entries[std::max<std::uint64_t>(1, iterations / entries)] += entries;
}

machine::PtxProfile profile_of(const DecodedProgram& program, const Tally& tally) {
  machine::PtxProfile profile;
  for (const PtxInstruction& instruction : program.ptx) {
    profile.executions[instruction.ptx_line] = tally.blocks[instruction.block].executions;
  }
  for (std::size_t l = 0; l < program.loops.size(); ++l) {
    const PtxLoop& loop = program.loops[l];
    profile.loops.push_back({loop.first_line, loop.last_line, tally.entries[l]});
    add_other_entries(profile.loops.back(), profile.executions[loop.first_line],
                      tally.jumps_back[l]);
  }
  return profile;
}

// That of the PTX that it was made of; 0 for none.
int source_line(const DecodedProgram& program, const machine::Instruction& instruction) {
  const auto from =
      std::ranges::lower_bound(program.ptx, instruction.ptx_line, {}, &PtxInstruction::ptx_line);
  const bool is_known = from != program.ptx.end() && from->ptx_line == instruction.ptx_line;
  return is_known ? from->line : 0;
}

void add_machine_code(CountersByLine& lines, const DecodedProgram& program,
                      const std::vector<std::uint64_t>& executions) {
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const machine::Instruction& instruction = program.machine->instructions[i];
    Counters& counters = lines[source_line(program, instruction)];
    counters.machine[static_cast<std::size_t>(instruction.kind)] += executions[i];
  }
}

}  // namespace

std::uint64_t scale(std::uint64_t value, std::uint64_t whole, std::uint64_t part) {
  return value / part * whole + (value % part * whole + part / 2) / part;
}

std::uint64_t warp_instructions(const DecodedProgram& program, const Tally& tally) {
  std::uint64_t result = 0;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    for (const BlockCost::Line& line : program.blocks[b].lines) {
      for (const std::uint32_t count : line.instructions) {
        result += count * tally.blocks[b].executions;
      }
    }
  }
  return result;
}

std::vector<std::uint64_t> machine_executions(const DecodedProgram& program, const Tally& tally) {
  if (!program.machine) return {};
  return machine::executions(*program.machine, profile_of(program, tally));
}

std::vector<MachineInstruction> machine_instructions(const DecodedProgram& program,
                                                     const std::vector<std::uint64_t>& executions) {
  std::vector<MachineInstruction> result;
  if (!program.machine) return result;
  for (const machine::Block& block : program.machine->blocks) {
    if (!block.is_reachable) continue;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const machine::Instruction& instruction = program.machine->instructions[i];
      result.push_back({instruction, source_line(program, instruction), block.loop, executions[i]});
    }
  }
  return result;
}

CountersByLine counters_by_line(const DecodedProgram& program, const Tally& tally,
                                const std::vector<std::uint64_t>& executions) {
  CountersByLine lines;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    for (const BlockCost::Line& line : program.blocks[b].lines) {
      Counters& counters = lines[line.line];
      for (std::size_t kind = 0; kind < instruction_kinds; ++kind) {
        counters.instructions[kind] += line.instructions[kind] * tally.blocks[b].executions;
      }
      counters.ffma += line.ffma * tally.blocks[b].lanes;
    }
  }
  add_machine_code(lines, program, executions);
  const MachineAccesses made(program, tally, executions);
  for (std::size_t a = 0; a < program.accesses.size(); ++a) {
    const CountedAccess& access = program.accesses[a];
    Counters& counters = lines[access.line];
    add_access(counters, access, tally.accesses[a], made.of(a));
    const bool is_shared = access.space == ptx::Space::shared && access.machine.group >= 0;
    if (is_shared && !made.is_known(a)) counters.unmatched_requests += tally.accesses[a].requests;
  }
  return lines;
}

}  // namespace gemm_tutor::emulator
