#include "catch.hpp"
#include "machine_role.hpp"
#include "simt/estimate/estimator.hpp"
#include "simt/gpus/gpu_file.hpp"

using namespace gemm_tutor;

namespace {

machine::Instruction instruction(std::string_view name, machine::Kind kind) {
  machine::Instruction result;
  result.name = name;
  result.role = machine::role_by_name(name);
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

TEST_CASE("a few instructions that are not known widen the range, and many leave no estimate") {
  std::vector<machine::Instruction> code = {instruction("MOV", machine::Kind::move),
                                            instruction("", machine::Kind::unknown),
                                            instruction("FFMA", machine::Kind::ffma), branch(2, 0),
                                            instruction("EXIT", machine::Kind::control)};
  for (std::size_t i = 0; i < code.size(); ++i) {
    code[i].address = static_cast<std::uint32_t>(16 * i);
  }
  const machine::Code structured = machine::structured(90, std::move(code));
  const auto estimate = [&](double iterations) {
    const double loop = 4 * iterations;  // of four warps
    LaunchedCode launched{
        {&structured, {4, 4, loop, loop, 4}, std::vector<int>(5), std::vector<double>(5), {}},
        {.grid = {1, 1, 1}, .block = {128, 1, 1}}};
    return estimate_time(launched, find_gpu("h200"));
  };
  const Estimate few = estimate(1000);
  CHECK(few.is_reliable());
  CHECK(few.unknown_share == Approx(4.0 / (12 + 8000)));
  CHECK(few.high_ms / few.median_ms > 1.22);
  CHECK(few.low_ms / few.median_ms == Approx(0.87));
  CHECK(estimate(20).doubts == std::vector<std::string>{"instructions that are not known"});
}
