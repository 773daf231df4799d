#include "run/block_trace.hpp"

#include <utility>

#include "run/run.hpp"

namespace gemm_tutor {
namespace {

Trace described(const PreparedKernel& kernel, const RunOptions& options) {
  const Problem& p = options.problem;
  const int columns = kernel.source.shape.tile_columns;
  Trace trace;
  trace.block = traced_block(kernel, options);
  trace.gpu = kernel.gpu;
  trace.name = kernel.name;
  trace.kernel = kernel.source;
  trace.warnings = kernel.compiled.warnings;
  trace.problem = p;
  trace.launch = kernel.launch;
  trace.arguments = kernel.arguments;
  const Types& types = kernel.update.types;
  TracedMatrix a{"A", p.m, p.k, bytes_of(types.a)}, b{"B", p.k, p.n, bytes_of(types.b)};
  if (kernel.source.transposed.a) std::swap(a.rows, a.columns);
  if (kernel.source.transposed.b) std::swap(b.rows, b.columns);
  trace.matrices = {a, b, {"C", p.m, p.n, bytes_of(types.c)}};
  if (kernel.update.reads_another_c)
    trace.matrices.push_back({std::string(name_of(Role::read_c)), p.m, p.n, bytes_of(types.c)});
  if (kernel.second_pass) {
    trace.matrices.push_back({std::string(name_of(Role::workspace)),
                              static_cast<int>(kernel.workspace_floats / columns), columns});
    if (kernel.second_launch) trace.second_pass = kernel.second_pass->name;
  }
  return trace;
}

}  // namespace

simt::Dim3 traced_block(const PreparedKernel& kernel, const RunOptions& options) {
  simt::Dim3 block = options.trace.value_or(TraceRequest()).block;
  const auto is_idle = [&] {
    return block_regions(kernel.source.shape, options.problem, block).empty();
  };
  while (block.x + 1 < kernel.launch.grid.x && is_idle()) ++block.x;
  return block;
}

Trace block_trace(const PreparedKernel& kernel, const RunOptions& options,
                  simt::Recording recording) {
  Trace trace = described(kernel, options);
  trace.result = std::move(recording);
  return trace;
}

Trace trace_block(const PreparedKernel& kernel, Matrices& matrices, const RunOptions& options) {
  RunOptions traced = options;
  if (!traced.trace) traced.trace = TraceRequest();
  simt::Options of_emulator = emulator_options(kernel, traced);
  of_emulator.threads = 1;
  of_emulator.only_traced = true;
  simt::Result result = emulate(kernel, matrices, of_emulator);
  Trace trace = block_trace(kernel, options, std::move(*result.recording));
  trace.findings = std::move(result.findings);
  return trace;
}

Trace trace_cuda(const PreparedKernel& kernel, const RunOptions& options) {
  Matrices matrices = make_matrices(options.problem, options.seed, options.activity, kernel.update);
  return trace_block(kernel, matrices, options);
}

Trace trace_kernel(const KernelSource& kernel, const RunOptions& options) {
  check_size(options.problem);
  RunOptions on_emulator = options;
  on_emulator.backend = Backend::emulator;
  return trace_cuda(prepare(kernel, on_emulator), options);
}

}  // namespace gemm_tutor
