// What scripts/calibrate measures is in the machine code, and nothing of it was left out or joined.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/calibrate/kernels.hpp"
#include "benchmarks/calibrate/machine_code.hpp"
#include "catch.hpp"
#include "simt/compiler.hpp"
#include "simt/machine/code.hpp"
#include "support/file.hpp"

namespace gemm_tutor::simt::machine {
namespace {

CompiledKernel calibration_kernels(const std::string& architecture) {
  CompileRequest request;
  request.source = *read_file(PROJECT_SOURCE_DIR "/tests/benchmarks/calibrate/kernels.cu");
  request.file_name = "kernels.cu";
  request.architecture = architecture;
  return compile(request, {});
}

// In each loop.
std::vector<int> counts_in_loops(const Code& code, const std::string& text) {
  std::vector<int> counts;
  for (const Loop& loop : code.loops) {
    int count = 0;
    for (const int block : loop.blocks) {
      for (std::size_t i = code.blocks[block].begin; i < code.blocks[block].end; ++i) {
        if (text_of(code.instructions[i]) == text) ++count;
      }
    }
    counts.push_back(count);
  }
  return counts;
}

// Of each read of the clock: the loads from shared memory since the read before. A read that waits
// for such a load is none.
std::vector<int> loads_before_clocks(const Code& code) {
  std::vector<int> result;
  int loads = 0, barriers = 0;  // that the loads set
  for (const Instruction& instruction : code.instructions) {
    if (instruction.kind == Kind::shared_load) {
      ++loads;
      barriers |= 1 << instruction.write_barrier;
    }
    if (instruction.name != "CS2R" || (instruction.wait_mask & barriers) != 0) continue;
    result.push_back(std::exchange(loads, 0));
    barriers = 0;
  }
  return result;
}

// Each loop has what it is to time, and the clock is read after each load that is to fill the
// queue.
void check_timed_instructions(const CompiledKernel& compiled, int capability) {
  for (const calibration::TimedLoop& loop : calibration::timed_loops) {
    if (!loop.is_for(capability)) continue;
    const std::vector<int> counts =
        counts_in_loops(read_code(compiled.cubin, loop.kernel), loop.instruction);
    INFO(loop.kernel << " " << loop.instruction);
    CAPTURE(counts);
    CHECK(std::ranges::count(counts, loop.count) == 1);
  }
  CHECK(loads_before_clocks(read_code(compiled.cubin, "queue")) ==
        std::vector<int>(calibration::queue_repeats, 1));
}

}  // namespace

TEST_CASE("what calibrate times on an H200 is in the machine code", "[long]") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const CompiledKernel compiled = calibration_kernels("sm_90");
  check_timed_instructions(compiled, 90);
  std::vector<double> conflicts;
  for (const char* kernel : calibration::ffma_kernels) {
    conflicts.push_back(calibration::conflicts_per_ffma(read_code(compiled.cubin, kernel)));
  }
  CAPTURE(conflicts);
  CHECK(std::ranges::min(conflicts) < 0.1);
  CHECK(std::ranges::max(conflicts) > 0.9);
}

TEST_CASE("what calibrate times on other GPUs is in the machine code", "[nightly]") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  for (const int capability : {75, 80, 89, 120}) {
    const std::string architecture = fmt::format("sm_{}", capability);
    INFO(architecture);
    check_timed_instructions(calibration_kernels(architecture), capability);
  }
}

}  // namespace gemm_tutor::simt::machine
