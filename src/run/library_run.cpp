#include "run/library_run.hpp"

#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"
#include "run/gpu_timing.hpp"
#include "run/target.hpp"

namespace gemm_tutor {
namespace {

// C[0][0] of A·B and of B·A, which needs square matrices.
std::optional<OperandOrder> operand_order(const Matrices& matrices) {
  const Problem& p = matrices.problem;
  if (p.m != p.n || p.n != p.k) return {};
  const auto size = static_cast<std::size_t>(p.n);
  OperandOrder order;
  for (std::size_t k = 0; k < size; ++k) {
    order.right += static_cast<double>(matrices.a[k]) * matrices.b[k * size];
    order.exchanged += static_cast<double>(matrices.b[k]) * matrices.a[k * size];
  }
  return order;
}

void execute(RunResult& run, const Matrices& matrices, Activity* activity) {
  gpu::Session session(run.problem, matrices.a, matrices.b);
  or_unwatched(activity).begin("running on the GPU");
  const std::vector<float> c = session.run_cublas();
  run.verification = verify(run.problem, matrices.a, matrices.b, c, {}, {}, activity);
  run.timing = gpu_timing(session.time_cublas(activity), run.problem);
}

}  // namespace

RunResult plan_library(const RunOptions& options) {
  const Target target = choose_target(options);
  const bool on_gpu = target.on_gpu && gpu::status().cublas_available;
  RunResult run;
  run.problem = options.problem;
  run.backend = on_gpu ? Backend::gpu : Backend::none;
  run.device = on_gpu ? target.gpu.full_name : "no GPU with cuBLAS here";
  return run;
}

RunResult run_library(const RunOptions& options) {
  RunResult run = plan_library(options);
  const Matrices matrices = make_matrices(run.problem, options.seed, options.activity);
  run.operand_order = operand_order(matrices);
  if (run.can_run_here()) execute(run, matrices, options.activity);
  return run;
}

}  // namespace gemm_tutor
