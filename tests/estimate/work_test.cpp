#include "estimate/work.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

namespace {

machine::Instruction instruction(std::string_view name, machine::Kind kind) {
  machine::Instruction result;
  result.name = name;
  result.kind = kind;
  result.stall = 1;
  return result;
}

machine::Instruction branch(std::uint32_t target, int predicate) {
  machine::Instruction result = instruction("BRA", machine::Kind::control);
  result.opcode = 0x947;
  result.target = target * 16;
  result.predicate = predicate;
  return result;
}

// MOV; loop: FFMA, BRA loop; EXIT.
machine::Code small_loop() {
  std::vector<machine::Instruction> code = {instruction("MOV", machine::Kind::move),
                                            instruction("FFMA", machine::Kind::ffma), branch(1, 0),
                                            instruction("EXIT", machine::Kind::control)};
  for (std::size_t i = 0; i < code.size(); ++i) {
    code[i].address = static_cast<std::uint32_t>(16 * i);
  }
  return machine::structured(90, std::move(code));
}

std::uint64_t issued(const CountedCode& counted, double most_iterations) {
  return simulate(work_of(counted, most_iterations), SmTimes()).issued;
}

}  // namespace

TEST_CASE("how often a way is gone follows from how often its blocks are executed") {
  const machine::Code code = small_loop();
  const Ways ways = ways_of(code, {4, 400, 400, 4});
  CHECK(ways.at({0, 1}) == 4);
  CHECK(ways.at({1, 1}) == 396);
  CHECK(ways.at({1, 2}) == 4);
}

TEST_CASE("a warp of the work goes the ways that were counted, or fewer iterations") {
  const machine::Code code = small_loop();
  CountedCode counted{&code, {4, 400, 400, 4}, {0, 0, 0, 0}, {0, 0, 0, 0}, {}};  // of four warps
  CHECK(issued(counted, 1e9) == 1 + 2 * 100 + 1);
  CHECK(issued(counted, 20) == 1 + 2 * 20 + 1);
  CHECK(issued(counted, 1) == 1 + 2 * 2 + 1);  // two at least
}
