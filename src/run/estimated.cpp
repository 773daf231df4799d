#include "run/estimated.hpp"

#include <cstddef>
#include <utility>

#include "simt/estimate.hpp"

namespace gemm_tutor {
namespace {

using Buffers = std::vector<emulator::Buffer>;

std::optional<Estimate> estimate_of(const Pass& pass, const Launch& launch, const GpuSpec& gpu,
                                    const Buffers& buffers, const Problem& problem,
                                    const emulator::Result& counted) {
  if (!pass.program) return {};
  return estimate_time({*pass.program, launch, buffers, arguments_of(pass.parameters, problem),
                        pass.compiled.resources, counted},
                       gpu);
}

// The counts of machine code are only of the first launch.
std::optional<Estimate> estimate_of_second(const PreparedKernel& kernel, const Buffers& buffers,
                                           const Problem& problem) {
  const Pass& pass = *kernel.second_pass;
  emulator::Options options;
  options.blocks = 1;
  options.check = false;
  const emulator::Result counted = pass.program->run(
      *kernel.second_launch, buffers, arguments_of(pass.parameters, problem), options);
  return estimate_of(pass, *kernel.second_launch, kernel.gpu, buffers, problem, counted);
}

// The limit of both launches is that of the first.
void add(Estimate& estimate, const Estimate& second) {
  estimate.median_ms += second.median_ms;
  estimate.low_ms += second.low_ms;
  estimate.high_ms += second.high_ms;
  for (std::size_t i = 0; i < limit_count; ++i) estimate.cycles[i] += second.cycles[i];
  for (Change& change : estimate.changes) change.median_ms += second.median_ms;
  for (const std::string& doubt : second.doubts) estimate.doubts.push_back(doubt);
}

}  // namespace

std::optional<Estimate> estimated(const PreparedKernel& kernel, Matrices& matrices,
                                  const emulator::Result& counted) {
  const EmulatedMemory memory(kernel, matrices);
  const Buffers& buffers = memory.buffers();
  const Problem& problem = matrices.problem;
  std::optional<Estimate> estimate =
      estimate_of(kernel, kernel.launch, kernel.gpu, buffers, problem, counted);
  if (!estimate || !kernel.second_launch) return estimate;
  if (const auto second = estimate_of_second(kernel, buffers, problem)) add(*estimate, *second);
  return estimate;
}

}  // namespace gemm_tutor
