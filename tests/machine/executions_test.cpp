#include "simt/machine/executions.hpp"

#include "catch.hpp"
#include "machine_role.hpp"

namespace gemm_tutor::simt::machine {
namespace {

// Code written down as it is executed: each call adds an instruction.
class Assembly {
 public:
  Assembly& ffma(int ptx_line, int copies = 1) { return add("FFMA", Kind::ffma, ptx_line, copies); }
  Assembly& product(int ptx_line, int fmas, int copies) {
    add("HMMA", Kind::tensor, ptx_line, copies);
    for (int copy = 0; copy < copies; ++copy) {
      instructions_[instructions_.size() - 1 - static_cast<std::size_t>(copy)].fmas = fmas;
    }
    return *this;
  }
  Assembly& load(int ptx_line, int copies) {
    return add("LDS", Kind::shared_load, ptx_line, copies);
  }
  Assembly& integer(int ptx_line) { return add("IADD3", Kind::integer, ptx_line); }
  // If predicate 1 holds.
  Assembly& conditional_integer(int ptx_line) {
    integer(ptx_line).instructions_.back().predicate = 1;
    return *this;
  }
  Assembly& barrier(int ptx_line) { return add("BAR", Kind::synchronisation, ptx_line); }
  // To the instruction with that place, if predicate 0 holds.
  Assembly& branch(int ptx_line, std::size_t place) {
    add("BRA", Kind::control, ptx_line);
    instructions_.back().predicate = 0;
    instructions_.back().target = static_cast<std::uint32_t>(place) * 16;
    return *this;
  }
  Code exit(int ptx_line) {
    add("EXIT", Kind::control, ptx_line);
    return structured(90, instructions_);
  }

 private:
  Assembly& add(std::string_view name, Kind kind, int ptx_line, int copies = 1) {
    for (int copy = 0; copy < copies; ++copy) {
      Instruction& instruction = instructions_.emplace_back();
      instruction.address = static_cast<std::uint32_t>(instructions_.size() - 1) * 16;
      instruction.name = name;
      instruction.role = role_by_name(name);
      instruction.kind = kind;
      instruction.ptx_line = ptx_line;
    }
    return *this;
  }

  std::vector<Instruction> instructions_;
};

using Counts = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("an instruction that stays is executed as often as its PTX, and so is its block") {
  const Code code = Assembly().integer(1).ffma(3).integer(1).branch(4, 1).barrier(5).exit(6);
  const PtxProfile profile{{{1, 2}, {3, 20}, {4, 20}, {5, 2}, {6, 2}}, {{3, 4, {{10, 2}}}}};
  CHECK(executions(code, profile).of_instructions == Counts{2, 20, 20, 20, 2, 2});
}

TEST_CASE("a product of matrices that became several instructions is no unrolled loop") {
  // wmma.load and wmma.mma of 16 × 16 × 8, as three loads and four products of 16 × 8 × 4
  constexpr int all = 16 * 16 * 8, part = 16 * 8 * 4;
  const Code code = Assembly().integer(1).load(2, 3).product(3, part, 4).branch(4, 1).exit(5);
  const PtxProfile profile{
      {{1, 2}, {2, 20}, {3, 20}, {4, 20}, {5, 2}}, {{2, 4, {{10, 2}}}}, {{2, 0}, {3, all}}};
  CHECK(executions(code, profile).of_instructions == Counts{2, 20, 20, 20, 20, 20, 20, 20, 20, 2});
  // Twice in each iteration of the code.
  const Code twice = Assembly().integer(1).load(2, 6).product(3, part, 8).branch(4, 1).exit(5);
  CHECK(executions(twice, profile).of_instructions[8] == 10);
}

TEST_CASE("the copies of an unrolled loop share its iterations") {
  // All copies of line 3 in one block: 20 executions are five of each.
  const Code whole = Assembly().integer(1).ffma(3, 4).barrier(5).exit(6);
  CHECK(executions(whole, {{{1, 5}, {3, 20}, {4, 20}, {5, 5}, {6, 5}}, {{3, 4, {{4, 5}}}}})
            .of_instructions == Counts{5, 5, 5, 5, 5, 5, 5});

  // A loop of four copies and a remainder of one: warps that enter it for 10 iterations take the
  // first twice and the second twice.
  const Code stages = Assembly()
                          .integer(1)
                          .branch(4, 7)
                          .ffma(3, 4)
                          .branch(4, 2)
                          .branch(4, 10)
                          .ffma(3)
                          .branch(4, 8)
                          .barrier(5)
                          .exit(6);
  const Counts counted =
      executions(stages, {{{1, 5}, {3, 50}, {4, 50}, {5, 5}, {6, 5}}, {{3, 4, {{10, 5}}}}})
          .of_instructions;
  CHECK(counted[2] == 10);
  CHECK(counted[8] == 10);
  CHECK(counted[10] == 5);
}

TEST_CASE("a block without anything that stays is counted by the ways that lead to it") {
  // Half of the warps jump over line 2.
  const Code code = Assembly().ffma(1).branch(1, 3).integer(2).ffma(3).exit(4);
  const PtxProfile profile{{{1, 8}, {2, 4}, {3, 8}, {4, 8}}, {}};
  CHECK(executions(code, profile).of_instructions == Counts{8, 8, 4, 8, 8});
}

TEST_CASE("a block of nothing but conditional instructions is executed as often as their PTX") {
  // Half of the warps jump over lines 2 and 3. Some of the others skip line 3.
  const Code code =
      Assembly().ffma(1).branch(1, 4).conditional_integer(2).conditional_integer(3).ffma(4).exit(5);
  const PtxProfile profile{{{1, 8}, {2, 4}, {3, 1}, {4, 8}, {5, 8}}, {}};
  CHECK(executions(code, profile).of_instructions == Counts{8, 8, 4, 4, 8, 8});
}

TEST_CASE("what nothing leads to is not executed") {
  Assembly assembly;
  Code code = assembly.ffma(1).exit(2);
  code = assembly.integer(2).exit(2);
  CHECK(executions(code, {{{1, 3}, {2, 3}}, {}}).of_instructions == Counts{3, 3, 0, 0});
}

using Ways = std::map<std::pair<int, int>, double>;

TEST_CASE("how often a way is gone follows from how often its blocks are executed") {
  const Code code = Assembly().integer(1).ffma(3).branch(4, 1).exit(5);
  const PtxProfile profile{{{1, 4}, {3, 400}, {4, 400}, {5, 4}}, {}};
  CHECK(executions(code, profile).ways ==
        Ways{{{0, 1}, 4}, {{1, 1}, 396}, {{1, 2}, 4}, {{2, 3}, 4}});
}

TEST_CASE("what does not follow is known of a loop of the PTX, and assumed of others") {
  // A loop that may be left out.
  const Code code = Assembly().ffma(1).branch(1, 4).ffma(3).branch(4, 2).ffma(5).exit(6);
  const std::map<int, std::uint64_t> times = {{1, 8}, {3, 400}, {4, 400}, {5, 8}, {6, 8}};
  CHECK(executions(code, {times, {{3, 4, {{100, 4}}}}}).ways ==
        Ways{{{0, 1}, 4}, {{0, 2}, 4}, {{1, 1}, 396}, {{1, 2}, 4}, {{2, 3}, 8}});
  CHECK(executions(code, {times, {}}).ways ==  // entered as often as possible
        Ways{{{0, 1}, 8}, {{0, 2}, 0}, {{1, 1}, 392}, {{1, 2}, 8}, {{2, 3}, 8}});
}

}  // namespace gemm_tutor::simt::machine
