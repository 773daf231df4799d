#include "run/estimated.hpp"

#include <cstddef>
#include <utility>

#include "simt/estimate.hpp"

namespace gemm_tutor {
namespace {

using Buffers = std::vector<simt::Buffer>;

std::optional<simt::Estimate> estimate_of(const Pass& pass, const simt::Launch& launch,
                                          const simt::GpuSpec& gpu, const Buffers& buffers,
                                          const Problem& problem, const simt::Result& counted) {
  if (!pass.program) return {};
  return simt::estimate_time(*pass.program, launch, buffers, arguments_of(pass.parameters, problem),
                             pass.compiled.resources, counted, gpu);
}

// The counts of machine code are only of the main launch. `blocks` is how many are counted.
std::optional<simt::Estimate> estimate_of_other(const Pass& pass, const simt::Launch& launch,
                                                const simt::GpuSpec& gpu, const Buffers& buffers,
                                                const Problem& problem, std::int64_t blocks) {
  simt::Options options;
  options.blocks = blocks;
  options.check = false;
  const simt::Result counted =
      pass.program->run(launch, buffers, arguments_of(pass.parameters, problem), options);
  return estimate_of(pass, launch, gpu, buffers, problem, counted);
}

// The limit of all launches is that of the main one.
void add(simt::Estimate& estimate, const std::optional<simt::Estimate>& other) {
  if (!other) return;
  estimate.median_ms += other->median_ms;
  estimate.low_ms += other->low_ms;
  estimate.high_ms += other->high_ms;
  for (std::size_t i = 0; i < simt::limit_count; ++i) estimate.cycles[i] += other->cycles[i];
  for (simt::Change& change : estimate.changes) change.median_ms += other->median_ms;
  for (const std::string& doubt : other->doubts) estimate.doubts.push_back(doubt);
}

}  // namespace

std::optional<simt::Estimate> estimated(const PreparedKernel& kernel, Matrices& matrices,
                                        const simt::Result& counted) {
  const EmulatedMemory memory(kernel, matrices);
  const Buffers& buffers = memory.buffers();
  const Problem& problem = matrices.problem;
  std::optional<simt::Estimate> estimate =
      estimate_of(kernel, kernel.launch, kernel.gpu, buffers, problem, counted);
  if (!estimate) return estimate;
  // Different blocks of an earlier pass may do different work; those of a second pass do the same.
  constexpr std::int64_t many = 256;
  for (const EarlierPass& one : kernel.before)
    add(*estimate, estimate_of_other(one, one.launch, kernel.gpu, buffers, problem, many));
  if (kernel.second_launch)
    add(*estimate, estimate_of_other(*kernel.second_pass, *kernel.second_launch, kernel.gpu,
                                     buffers, problem, 1));
  return estimate;
}

}  // namespace gemm_tutor
