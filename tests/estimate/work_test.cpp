#include "catch.hpp"
#include "machine_role.hpp"
#include "simt/estimate/estimator.hpp"
#include "simt/gpus/gpu_file.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

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

using Ways = std::map<std::pair<int, int>, double>;

// Of code without unreachable blocks.
Result counted(const machine::Code& code, const std::vector<std::uint64_t>& executions, Ways ways) {
  Result result;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    MachineInstruction& each = result.machine.emplace_back();
    each.kind = code.instructions[i].kind;
    each.address = code.instructions[i].address;
    each.executions = executions[i];
  }
  result.ways = std::move(ways);
  return result;
}

}  // namespace

TEST_CASE("a warp of the work goes the ways that were counted, or fewer iterations") {
  const machine::Code code = small_loop();
  const Result four_warps =
      counted(code, {4, 400, 400, 4}, {{{0, 1}, 4}, {{1, 1}, 396}, {{1, 2}, 4}, {{2, 3}, 4}});
  const auto issued = [&](double most_iterations) {
    const LaunchedCode launched{code, four_warps, {}, {}};
    return simulate(work_of(launched, most_iterations), SmTimes()).issued;
  };
  CHECK(issued(1e9) == 1 + 2 * 100 + 1);
  CHECK(issued(20) == 1 + 2 * 20 + 1);
  CHECK(issued(1) == 1 + 2 * 2 + 1);  // two at least
}

TEST_CASE("a load whose predicate is never true asks for nothing") {
  std::vector<machine::Instruction> code = {instruction("LDS", machine::Kind::shared_load),
                                            instruction("LDS", machine::Kind::shared_load),
                                            instruction("EXIT", machine::Kind::control)};
  for (std::size_t i = 0; i < code.size(); ++i) {
    code[i].address = static_cast<std::uint32_t>(16 * i);
    if (i < 2) code[i].unit = machine::Unit::memory;
  }
  code[0].is_negated = true;  // @!PT
  CHECK(code[0].is_never_executed());
  CHECK_FALSE(code[1].is_never_executed());
  const machine::Code structured = machine::structured(90, std::move(code));
  Result four_warps = counted(structured, {4, 4, 4}, {});
  for (const std::size_t load : {0, 1}) four_warps.machine[load].cost = 4;
  const SmWork work = work_of({structured, four_warps, {}, {}}, 1);
  CHECK(work.requests.size() == 1);
  CHECK(work.operations[0].unit == UnitKind::other);
  CHECK(work.operations[0].request == -1);
  CHECK(work.operations[1].request == 0);
}

TEST_CASE("a product of matrices reads all its registers, half of them from each bank") {
  std::vector<machine::Instruction> code = {instruction("HMMA", machine::Kind::tensor),
                                            instruction("EXIT", machine::Kind::control)};
  code[0].unit = machine::Unit::tensor;
  code[0].sources = {machine::Registers{4, 4}, machine::Registers{8, 2}, machine::Registers{12, 4}};
  code[1].address = 16;
  const machine::Code structured = machine::structured(90, std::move(code));
  const Result four_warps = counted(structured, {4, 4}, {});
  const SmWork work = work_of({structured, four_warps, {}, {}}, 1);
  for (const int bank : {0, 1}) {
    CHECK(work.operations[0].bank_reads[bank] == 5);
    CHECK(work.operations[0].reads_without_reuse[bank] == 5);
  }
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
  const auto estimate = [&](std::uint64_t iterations) {
    const std::uint64_t loop = 4 * iterations;  // of four warps
    const Ways ways = {{{0, 1}, 4}, {{1, 1}, static_cast<double>(loop - 4)}, {{1, 2}, 4}};
    const Result four_warps = counted(structured, {4, 4, loop, loop, 4}, ways);
    const Launch launch{.grid = {1, 1, 1}, .block = {128, 1, 1}};
    return estimate_time({structured, four_warps, {}, launch}, find_gpu("h200"));
  };
  const Estimate few = estimate(1000);
  CHECK(few.is_reliable());
  CHECK(few.unknown_share == Approx(4.0 / (12 + 8000)));
  CHECK(few.high_ms / few.median_ms > 1.22);
  CHECK(few.low_ms / few.median_ms == Approx(0.87));
  CHECK(estimate(20).doubts == std::vector<std::string>{"instructions that are not known"});
}

TEST_CASE("tensor cores limit a kernel of products, and without their rate there is no estimate") {
  std::vector<machine::Instruction> code = {
      instruction("MOV", machine::Kind::move), instruction("HMMA", machine::Kind::tensor),
      branch(1, 0), instruction("EXIT", machine::Kind::control)};
  code[1].unit = machine::Unit::tensor;
  code[1].product = Product::tf32;
  code[1].fmas = 16 * 8 * 8;
  for (std::size_t i = 0; i < code.size(); ++i) {
    code[i].address = static_cast<std::uint32_t>(16 * i);
  }
  const machine::Code structured = machine::structured(80, std::move(code));
  const auto estimate = [&](const char* gpu) {
    const Result eight_warps =
        counted(structured, {8, 8000, 8000, 8}, {{{0, 1}, 8}, {{1, 1}, 7992}, {{1, 2}, 8}});
    const Launch launch{.grid = {1, 1, 1}, .block = {256, 1, 1}};
    return estimate_time({structured, eight_warps, {}, launch}, find_gpu(gpu));
  };
  const Estimate a100 = estimate("a100");
  CHECK(a100.is_reliable());
  CHECK(a100.limited_by() == Limit::tensor);
  CHECK(a100.of(Limit::tensor) == Approx(2 * 1000 * 8));  // two warps of each scheduler
  CHECK(estimate("h200").of(Limit::tensor) == Approx(2 * 1000 * 6).epsilon(0.001));
  CHECK(estimate("rtx4090").of(Limit::tensor) == Approx(2 * 1000 * 32));
  CHECK(estimate("jetson-orin").doubts ==
        std::vector<std::string>{"the rate of its tensor cores for TF32 is not known"});
}
