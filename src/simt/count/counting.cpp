#include "simt/count/counting.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simt/count/machine_requests.hpp"
#include "simt/exec/places.hpp"
#include "simt/machine/code.hpp"

namespace gemm_tutor::simt {
namespace {

void add_shared(Counters& counters, const AccessCounter& counted, bool load,
                const SharedCounts& made) {
  PtxCounters& ptx = counters.ptx;
  (load ? ptx.shared_load_requests : ptx.shared_store_requests) += counted.requests;
  (load ? ptx.shared_load_wavefronts : ptx.shared_store_wavefronts) += counted.cost;
  (load ? ptx.shared_load_conflicts : ptx.shared_store_conflicts) += counted.conflicts;
  (load ? counters.shared_load_requests : counters.shared_store_requests) += made.requests;
  (load ? counters.shared_load_wavefronts : counters.shared_store_wavefronts) += made.wavefronts;
  (load ? counters.shared_load_conflicts : counters.shared_store_conflicts) += made.conflicts;
  (load ? counters.shared_load_bytes : counters.shared_store_bytes) += made.bytes;
}

void add_access(Counters& counters, const CountedAccess& access, const AccessCounter& counted,
                const SharedCounts& made) {
  const std::uint64_t bytes = counted.lanes * static_cast<std::uint64_t>(access.bytes);
  const bool load =
      access.kind != CountedAccess::Kind::store;  // an asynchronous copy is also a load
  if (access.kind == CountedAccess::Kind::atomic) {
    counters.atomic_requests += counted.requests;
    counters.atomic_operations += counted.lanes;
  } else if (access.kind == CountedAccess::Kind::arrival) {
    counters.arrivals += counted.requests;  // no load or store, as in a profiler
  } else if (access.kind == CountedAccess::Kind::bulk_copy) {
    counters.global_load_bytes += bytes;  // not by the units that take requests
  } else if (access.space == ptx::Space::constant) {
    counters.constant_load_requests += counted.requests;
    counters.constant_load_addresses += counted.cost;
  } else if (access.space == ptx::Space::local) {
    (load ? counters.local_load_requests : counters.local_store_requests) += counted.requests;
  } else if (access.space == ptx::Space::shared) {
    add_shared(counters, counted, load, made);
  } else {
    (load ? counters.global_load_requests : counters.global_store_requests) += counted.requests;
    (load ? counters.global_load_sectors : counters.global_store_sectors) += counted.cost;
    (load ? counters.global_load_bytes : counters.global_store_bytes) += bytes;
    if (load) counters.global_load_wavefronts += counted.conflicts;  // see cost_of()
  }
}

// Returns the memory that a load, a store or a copy accesses; nothing for other instructions.
std::optional<MemorySpace> requested_space(const CountedAccess& access) {
  using Kind = CountedAccess::Kind;
  const bool makes_requests =
      access.kind == Kind::load || access.kind == Kind::store || access.kind == Kind::copy;
  const bool has_operand =
      access.space != ptx::Space::local && access.space != ptx::Space::constant;
  if (!makes_requests || !has_operand) return {};
  return access.space == ptx::Space::shared ? MemorySpace::shared : MemorySpace::global;
}

// Returns the name of the array that all requests access; empty if they access several.
std::string operand_name(const RunContext& context, ptx::Space space,
                         const AccessCounter& counted) {
  const std::string one = element_at(context, counted.address_bits_of_some, space).array;
  const std::string other = element_at(context, counted.address_bits_of_all, space).array;
  return one == other ? one : "";
}

void add_operand(LineCounters& line, const RunContext& context, const CountedAccess& access,
                 const AccessCounter& counted, const SharedCounts& made) {
  const std::optional<MemorySpace> space = requested_space(access);
  if (!space) return;
  OperandCounters operand{"", *space, counted.requests, counted.cost};
  if (*space == MemorySpace::shared) {
    operand.requests = made.requests;
    operand.cost = made.wavefronts;
    operand.conflicts = made.conflicts;
  }
  if (operand.requests == 0) return;
  operand.name = operand_name(context, access.space, counted);
  add(line.operands, operand);
}

// Loop executions that ended in another way than at the backward jump. All of them get the same
// number of iterations.
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
    if (instruction.matrix_fmas)
      profile.matrix_fmas[instruction.ptx_line] = *instruction.matrix_fmas;
  }
  for (std::size_t l = 0; l < program.loops.size(); ++l) {
    const PtxLoop& loop = program.loops[l];
    profile.loops.push_back({loop.first_line, loop.last_line, tally.entries[l]});
    add_other_entries(profile.loops.back(), profile.executions[loop.first_line],
                      tally.jumps_back[l]);
  }
  return profile;
}

// Returns the line of its PTX instruction; 0 for none.
int source_line(const DecodedProgram& program, const machine::Instruction& instruction) {
  const auto from =
      std::ranges::lower_bound(program.ptx, instruction.ptx_line, {}, &PtxInstruction::ptx_line);
  const bool is_known = from != program.ptx.end() && from->ptx_line == instruction.ptx_line;
  return is_known ? from->line : 0;
}

bool makes_requests(const machine::Instruction& instruction) {
  switch (instruction.kind) {
    case machine::Kind::shared_load:
    case machine::Kind::shared_store:
    case machine::Kind::global_load:
    case machine::Kind::global_store:
    case machine::Kind::copy:
      return true;
    default:
      return false;
  }
}

void add_machine_code(CountersByLine& lines, const DecodedProgram& program,
                      const std::vector<std::uint64_t>& executions) {
  if (!program.machine) return;
  const std::vector<machine::BankReads> reads = machine::bank_reads(*program.machine);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const machine::Instruction& instruction = program.machine->instructions[i];
    Counters& counters = lines[source_line(program, instruction)].counters;
    counters.machine[static_cast<std::size_t>(instruction.kind)] += executions[i];
    counters.register_bank_conflicts +=
        executions[i] * static_cast<std::uint64_t>(reads[i].conflicts());
  }
}

// Registers that the assembler spilled are in local memory, too.
void count_machine_local_memory(CountersByLine& lines) {
  for (auto& [number, line] : lines) {
    Counters& counters = line.counters;
    const auto of = [&machine = counters.machine](machine::Kind kind) {
      return machine[static_cast<std::size_t>(kind)];
    };
    counters.local_load_requests = of(machine::Kind::local_load);
    counters.local_store_requests = of(machine::Kind::local_store);
  }
}

}  // namespace

std::uint64_t scale(std::uint64_t value, std::uint64_t whole, std::uint64_t part) {
  return value / part * whole + (value % part * whole + part / 2) / part;
}

std::uint64_t warp_instructions(const DecodedProgram& program, const Tally& tally) {
  std::uint64_t result = 0;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    result += program.blocks[b].instructions * tally.blocks[b].executions;
  }
  return result;
}

double emulation_cost(const DecodedProgram& program, const Tally& tally) {
  // On an AMD EPYC, a product of 16×16 by 16×8 took as long as 100 other instructions.
  constexpr double instructions_of_a_multiply_add = 1.5;  // of every lane
  double result = 0;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    double of_block = program.blocks[b].instructions;
    for (const BlockCost::Line& line : program.blocks[b].lines)
      of_block += line.tensor_multiply_adds * instructions_of_a_multiply_add;
    result += of_block * static_cast<double>(tally.blocks[b].executions);
  }
  return result;
}

machine::Executions machine_executions(const DecodedProgram& program, const Tally& tally) {
  if (!program.machine) return {};
  return machine::executions(*program.machine, profile_of(program, tally));
}

std::map<int, std::uint64_t> request_costs(const DecodedProgram& program, const Tally& tally,
                                           const std::vector<std::uint64_t>& executions) {
  std::map<int, std::uint64_t> costs;
  if (!program.machine) return costs;
  const MachineRequests made(program, tally, executions);
  for (std::size_t a = 0; a < program.accesses.size(); ++a) {
    std::optional<MemorySpace> space = requested_space(program.accesses[a]);
    if (program.accesses[a].kind == CountedAccess::Kind::bulk_copy) space = MemorySpace::global;
    if (!space) continue;
    costs[program.accesses[a].ptx_line] +=
        *space == MemorySpace::shared ? made.counts(a).wavefronts : tally.accesses[a].cost;
  }
  return costs;
}

MachineInstruction described(const machine::Instruction& instruction) {
  return {.name = name_with_width(instruction),
          .meaning = machine::meaning_of(instruction.name),
          .ffma = instruction.is_plain_ffma ? text_with_operands(instruction) : "",
          .kind = instruction.kind,
          .address = instruction.address};
}

std::vector<MachineInstruction> machine_instructions(const DecodedProgram& program,
                                                     const std::vector<std::uint64_t>& executions,
                                                     const std::map<int, std::uint64_t>& costs) {
  std::vector<MachineInstruction> result;
  if (!program.machine) return result;
  std::map<int, std::uint64_t> executions_of_requests;  // by PTX line
  const std::vector<machine::Instruction>& code = program.machine->instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (makes_requests(code[i])) executions_of_requests[code[i].ptx_line] += executions[i];
  }
  const std::vector<machine::BankReads> reads = machine::bank_reads(*program.machine);
  for (const machine::Block& block : program.machine->blocks) {
    if (!block.is_reachable) continue;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      MachineInstruction& made = result.emplace_back(described(code[i]));
      made.line = source_line(program, code[i]);
      made.loop = block.loop;
      made.executions = executions[i];
      made.register_bank_conflicts = reads[i].conflicts();
      const auto cost = costs.find(code[i].ptx_line);
      if (cost == costs.end() || made.executions == 0 || !makes_requests(code[i])) continue;
      made.cost = static_cast<double>(cost->second) /
                  static_cast<double>(executions_of_requests.at(code[i].ptx_line));
    }
  }
  return result;
}

CountersByLine counters_by_line(const RunContext& context, const Tally& tally,
                                const std::vector<std::uint64_t>& executions) {
  const DecodedProgram& program = *context.program;
  CountersByLine lines;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    for (const BlockCost::Line& line : program.blocks[b].lines) {
      Counters& counters = lines[line.line].counters;
      for (std::size_t kind = 0; kind < instruction_kinds; ++kind) {
        counters.instructions[kind] += line.instructions[kind] * tally.blocks[b].executions;
      }
      counters.ffma += line.ffma * tally.blocks[b].lanes;
      counters.tensor_multiply_adds += line.tensor_multiply_adds * tally.blocks[b].lanes;
      counters.barriers += line.barriers * tally.blocks[b].executions;
    }
  }
  add_machine_code(lines, program, executions);
  const MachineRequests made(program, tally, executions);
  for (std::size_t a = 0; a < program.accesses.size(); ++a) {
    const CountedAccess& access = program.accesses[a];
    LineCounters& line = lines[access.line];
    Counters& counters = line.counters;
    const SharedCounts of_machine = made.counts(a);
    add_access(counters, access, tally.accesses[a], of_machine);
    add_operand(line, context, access, tally.accesses[a], of_machine);
    if (access.machine.group >= 0 && made.basis(a) == MachineRequests::Basis::ptx) {
      counters.unmatched_requests += tally.accesses[a].requests;
    }
  }
  if (program.machine) count_machine_local_memory(lines);
  return lines;
}

}  // namespace gemm_tutor::simt
