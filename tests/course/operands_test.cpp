// What the lines of the lessons' kernels ask of each operand.
#include <algorithm>

#include "course_checks.hpp"
#include "emulator/same_counters.hpp"
#include "sample.hpp"

namespace gemm_tutor {
namespace {

using simt::MemorySpace;
using simt::OperandCounters;

// Of the line that has `code`.
const std::vector<OperandCounters>& operands_of(const LessonRun& run, const std::string& code) {
  const auto source = std::ranges::find_if(
      run.excerpt, [&](const SourceLine& line) { return line.text.find(code) != line.text.npos; });
  REQUIRE(source != run.excerpt.end());
  const auto line =
      std::ranges::find(run.emulation->lines, source->number, &simt::LineCounters::line);
  REQUIRE(line != run.emulation->lines.end());
  return line->operands;
}

OperandCounters sum_of(const std::vector<OperandCounters>& operands, MemorySpace space) {
  OperandCounters sum{"", space};
  for (const OperandCounters& operand : operands) {
    if (operand.space != space) continue;
    sum.requests += operand.requests;
    sum.cost += operand.cost;
    sum.conflicts += operand.conflicts;
  }
  return sum;
}

void check_sums(const LessonRun& run) {
  for (const simt::LineCounters& line : run.emulation->lines) {
    INFO("line " << line.line);
    const simt::Counters& c = line.counters;
    CHECK(sum_of(line.operands, MemorySpace::global) ==
          OperandCounters{"", MemorySpace::global, c.global_load_requests + c.global_store_requests,
                          c.global_load_sectors + c.global_store_sectors});
    CHECK(sum_of(line.operands, MemorySpace::shared) ==
          OperandCounters{"", MemorySpace::shared, c.shared_load_requests + c.shared_store_requests,
                          c.shared_load_wavefronts + c.shared_store_wavefronts,
                          c.shared_load_conflicts + c.shared_store_conflicts});
    for (const OperandCounters& operand : line.operands) CHECK_FALSE(operand.name.empty());
  }
}

}  // namespace

TEST_CASE("lesson 1 asks for 32 sectors of A and for 1 of B") {
  const LessonRun run = run_lesson(1, {256, 256, 256});
  constexpr std::uint64_t requests = 256 * 256 * 256 / 32;
  CHECK(operands_of(run, "sum += ") ==
        std::vector<OperandCounters>{{"A", MemorySpace::global, requests, 32 * requests},
                                     {"B", MemorySpace::global, requests, requests}});
}

TEST_CASE("lesson 3 asks for more wavefronts of a_tile than of b_tile") {
  const LessonRun run = run_lesson(3, {256, 256, 256});
  if (run.emulation->machine.empty()) SKIP_BECAUSE("there is no machine code");
  // The assembler joins four loads of a_tile.
  constexpr std::uint64_t requests = 256 * 256 * 256 / 32;
  CHECK(operands_of(run, "sum += ") ==
        std::vector<OperandCounters>{{"a_tile", MemorySpace::shared, requests / 4, requests / 2},
                                     {"b_tile", MemorySpace::shared, requests, requests}});
}

TEST_CASE("the operands of each line of every lesson have its counts together", "[long]") {
  for (const Lesson& lesson : sample_of(lessons(), 4)) {
    for (const Kernel& kernel : lesson.kernels) {
      if (!kernel.is_cuda()) continue;
      for (const Problem& size : {Problem{128, 128, 64}, Problem{37, 45, 19}}) {
        INFO(kernel.name << " at " << text(size));
        check_sums(run_kernel(lesson, kernel, kernel.settings, on_emulator(size)));
      }
    }
  }
}

}  // namespace gemm_tutor
