#include "run/block_trace.hpp"

#include "run/run.hpp"
#include "run/target.hpp"

namespace gemm_tutor {
namespace {

emulator::Options emulation_options(const PreparedKernel& kernel, const RunOptions& options,
                                    const TraceRequest& request, const Dim3& block) {
  emulator::Options result = emulator_options(kernel, options);
  result.threads = 1;
  result.trace = block;
  result.trace_warp = request.warp;
  return result;
}

// Of a grid that shares tiles, and may have more blocks than there are steps.
Dim3 block_with_work(const PreparedKernel& kernel, const Problem& problem, Dim3 block) {
  const auto is_idle = [&] { return block_regions(kernel.shape, problem, block).empty(); };
  while (block.x + 1 < kernel.launch.grid.x && is_idle()) ++block.x;
  return block;
}

}  // namespace

BlockTrace trace_block(const KernelSource& source, const PreparedKernel& kernel, Matrices& matrices,
                       const GpuSpec& gpu, const RunOptions& options) {
  const Problem& p = options.problem;
  const TraceRequest request = options.trace.value_or(TraceRequest());
  BlockTrace trace;
  trace.block = block_with_work(kernel, p, request.block);
  trace.result =
      emulate(kernel, matrices, emulation_options(kernel, options, request, trace.block));
  trace.gpu = gpu;
  trace.name = kernel.name;
  trace.source_file = source.file_name;
  trace.source = source.source;
  trace.warnings = kernel.compiled.warnings;
  trace.problem = p;
  trace.launch = kernel.launch;
  trace.shape = kernel.shape;
  trace.arguments = kernel.arguments;
  trace.matrices = {{"A", p.m, p.k}, {"B", p.k, p.n}, {"C", p.m, p.n}};
  if (kernel.second_pass) {
    const int columns = kernel.shape.tile_columns;
    trace.matrices.push_back({std::string(name_of(Role::workspace)),
                              static_cast<int>(kernel.workspace_floats / columns), columns});
    if (kernel.second_launch) trace.second_pass = kernel.second_pass->name;
  }
  return trace;
}

BlockTrace trace_cuda(const KernelSource& source, const RunOptions& options) {
  RunOptions on_emulator = options;
  on_emulator.backend = Backend::emulator;
  const GpuSpec gpu = choose_target(on_emulator).gpu;
  const PreparedKernel kernel = prepare(source, options.problem, gpu, options.activity);
  Matrices matrices = make_matrices(options.problem, options.seed, options.activity);
  return trace_block(source, kernel, matrices, gpu, options);
}

}  // namespace gemm_tutor
