// What scripts/calibrate measures is in the machine code, and nothing of it was left out or joined.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/calibrate/kernels.hpp"
#include "benchmarks/calibrate/machine_code.hpp"
#include "catch.hpp"
#include "compile/compiler.hpp"
#include "machine/code.hpp"
#include "support/file.hpp"

namespace gemm_tutor::machine {
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

}  // namespace

TEST_CASE("each loop that calibrate times has the instructions that it is to time") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  for (const std::string architecture : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
    const CompiledKernel compiled = calibration_kernels(architecture);
    for (const calibration::TimedLoop& loop : calibration::timed_loops) {
      const Code code = read_code(compiled.cubin, loop.kernel);
      const std::vector<int> counts = counts_in_loops(code, loop.instruction);
      INFO(architecture << " " << loop.kernel << " " << loop.instruction);
      CAPTURE(counts);
      CHECK(std::ranges::count(counts, loop.count) == 1);
    }
  }
}

TEST_CASE("the clock is read after each load that is to fill the queue") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  for (const std::string architecture : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
    const Code code = read_code(calibration_kernels(architecture).cubin, "queue");
    CHECK(loads_before_clocks(code) == std::vector<int>(calibration::queue_repeats, 1));
  }
}

TEST_CASE("the loops of FFMAs differ in their conflicts over register banks") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const CompiledKernel compiled = calibration_kernels("sm_90");
  std::vector<double> found;
  for (const char* kernel : calibration::ffma_kernels) {
    found.push_back(calibration::conflicts_per_ffma(read_code(compiled.cubin, kernel)));
  }
  CAPTURE(found);
  CHECK(std::ranges::min(found) < 0.1);
  CHECK(std::ranges::max(found) > 0.9);
}

}  // namespace gemm_tutor::machine
