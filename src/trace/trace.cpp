#include "trace/trace.hpp"

#include <fmt/format.h>

#include "gemm/matrices.hpp"
#include "run/prepared_kernel.hpp"
#include "run/target.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

emulator::Options emulation_options(const PreparedKernel& kernel, const TraceOptions& options,
                                    const Dim3& block) {
  emulator::Options result;
  result.threads = 1;
  result.check = options.check;
  result.max_instructions =
      options.max_instructions.value_or(most_instructions(kernel, options.problem));
  result.activity = options.activity;
  result.trace = block;
  result.trace_warp = options.warp;
  return result;
}

// Of a grid that shares tiles, and may have more blocks than there are steps.
Dim3 block_with_work(const PreparedKernel& kernel, const Problem& problem, Dim3 block) {
  const auto is_idle = [&] { return block_regions(kernel.shape, problem, block).empty(); };
  while (block.x + 1 < kernel.launch.grid.x && is_idle()) ++block.x;
  return block;
}

}  // namespace

TraceOptions trace_options(const RunOptions& options) {
  return {.problem = options.problem,
          .seed = options.seed,
          .gpu = options.gpu,
          .check = options.check,
          .max_instructions = options.max_instructions,
          .activity = options.activity};
}

Trace trace_kernel(const KernelSource& source, const TraceOptions& options) {
  const Problem& p = options.problem;
  check_size(p);
  RunOptions target;
  target.backend = Backend::emulator;
  target.gpu = options.gpu;
  const GpuSpec gpu = choose_target(target).gpu;
  const PreparedKernel kernel = prepare(source, p, gpu, options.activity);
  Matrices matrices = make_matrices(p, options.seed, options.activity);

  Trace trace;
  trace.block = block_with_work(kernel, p, options.block);
  trace.result = emulate(kernel, matrices, emulation_options(kernel, options, trace.block));
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
    if (kernel.second_pass->launch) trace.second_pass = kernel.second_pass->name;
  }
  return trace;
}

Trace trace_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                   const TraceOptions& options) {
  if (!kernel.is_cuda()) {
    throw Error(ExitStatus::usage,
                fmt::format("lesson {} has no warps to trace: it {}", lesson.number,
                            kernel.from_library ? "calls a library" : "runs on the CPU"),
                "Trace a kernel in CUDA C++, as in 'gemm-tutor trace 1'.");
  }
  check_size(options.problem);
  Trace trace = trace_kernel(kernel_source(lesson, kernel, settings, options.problem), options);
  trace.lesson = &lesson;
  trace.kernel = &kernel;
  trace.settings = settings;
  return trace;
}

}  // namespace gemm_tutor
