// Every lane-wise instruction against results worked out by hand.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "instruction_cases.hpp"
#include "instruction_table.hpp"

using namespace gemm_tutor::simt;

namespace {

std::string hexadecimal(const std::vector<Bits>& row) {
  std::ostringstream text;
  text << std::hex;
  for (const Bits bits : row) text << " 0x" << bits;
  return text.str();
}

void check_rows(const std::string& name, const InstructionCase& instruction, std::uint32_t mask,
                Masking masking) {
  const std::string destination = words_of(instruction.operands)[0];
  const std::vector<Bits> results =
      execute(name, instruction.operands, instruction.rows, mask, masking);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool active = mask >> (i % 32) & 1;
    const Bits expected = active ? instruction.rows[i].back() : old_value(i);
    INFO(name << " of" << hexadecimal(instruction.rows[i]) << (active ? "" : ", inactive"));
    CHECK(hexadecimal({truncate(results[i], destination)}) ==
          hexadecimal({truncate(expected, destination)}));
  }
}

// The rows again and again, so that each is met by several lanes of a warp.
InstructionCase repeated(const InstructionCase& instruction) {
  InstructionCase result = instruction;
  while (result.rows.size() < 64)
    result.rows.insert(result.rows.end(), instruction.rows.begin(), instruction.rows.end());
  return result;
}

}  // namespace

TEST_CASE("instructions give the results worked out by hand", "[long]") {
  for (const InstructionCase& instruction : instruction_cases()) {
    const InstructionCase rows = repeated(instruction);
    for (const std::string& name : words_of(instruction.names)) {
      for (const Masking masking : {Masking::branch, Masking::guard}) {
        for (const std::uint32_t mask : {0xffffffffu, 0x0ff0a5c3u, 0x80000000u, 0u})
          check_rows(name, rows, mask, masking);
      }
    }
  }
}

TEST_CASE("instructions take immediates as well as registers", "[long]") {
  for (const InstructionCase& instruction : instruction_cases()) {
    const std::string name = words_of(instruction.names)[0];
    const std::vector<std::string> classes = words_of(instruction.operands);
    if (name == "low.b64" || name == "high.b64") continue;  // split a register only
    for (const std::vector<Bits>& row : instruction.rows) {
      INFO(name << " of" << hexadecimal(row));
      CHECK(truncate(execute_immediate(name, instruction.operands, row), classes[0]) ==
            truncate(row.back(), classes[0]));
    }
  }
}

TEST_CASE("every instruction that the interpreter knows is tested") {
  if (!std::filesystem::exists(ARITHMETIC_CASES))
    SKIP_BECAUSE("the build had no Python to write " ARITHMETIC_CASES);
  // Those that do more than give each lane its result: warp_test, control_flow_test, function_test,
  // barrier_test and the tests of what the emulator catches; asynchronous_test. Loads, stores and
  // atomic additions: memory_test and atomic_test take them from the table itself.
  std::set<std::string> tested = {"shfl.sync.up.b32",
                                  "shfl.sync.down.b32",
                                  "shfl.sync.bfly.b32",
                                  "shfl.sync.idx.b32",
                                  "activemask.b32",
                                  "vote.sync.ballot.b32",
                                  "vote.sync.any.pred",
                                  "vote.sync.all.pred",
                                  "vote.sync.uni.pred",
                                  "agreeing_lanes.b32",
                                  "agreeing_lanes.b64",
                                  "elected_lane",
                                  "is_elected",
                                  "redux.sync.add.u32",
                                  "redux.sync.add.s32",
                                  "redux.sync.min.u32",
                                  "redux.sync.max.u32",
                                  "redux.sync.min.s32",
                                  "redux.sync.max.s32",
                                  "redux.sync.and.b32",
                                  "redux.sync.or.b32",
                                  "redux.sync.xor.b32",
                                  "redux.sync.min.f32",
                                  "redux.sync.max.f32",
                                  "set_rounding",  // by add.rz.f32 and the like
                                  "nothing",
                                  "whole_warp",  // matrix_test
                                  "bar.warp.sync",
                                  "match.any.sync.b32",
                                  "match.any.sync.b64",
                                  "read_timer",
                                  "begin_block",
                                  "branch",
                                  "branch_if",
                                  "leave",
                                  "leave_if",
                                  "run_off_the_end",
                                  "barrier",
                                  "guarded",
                                  "guarded_ffma",
                                  "nanosleep.u32",
                                  "call",
                                  "call_if",
                                  "return_to_caller",
                                  "print",
                                  "fail_assertion",
                                  "trap",
                                  "named_barrier",
                                  "keep_addresses",
                                  "release_by_memory",
                                  "acquire_by_memory"};
  for (const InstructionCase& instruction : instruction_cases()) {
    for (const std::string& name : words_of(instruction.names)) tested.insert(name);
  }
  const std::vector<TableEntry> table = table_of_instructions();
  CHECK(table.size() > 200);
  for (const TableEntry& entry : table) {
    if (entry.how == "memory" || entry.how == "generic" || entry.how == "atomic" ||
        entry.how == "argument")
      continue;
    for (const std::string& name : entry.names) {
      INFO(name << " is in src/simt/exec/interpreter/instructions.inc and in no test");
      const bool is_of_matrices = name.find("matri") != std::string::npos;  // matrix_test
      CHECK((tested.contains(name) || is_of_matrices));
    }
  }
}
