#include "course/library_run.hpp"

#include "course/gpu_timing.hpp"
#include "course/recorded.hpp"
#include "course/target.hpp"
#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"

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

void execute(KernelRun& run, const Matrices& matrices, Activity* activity) {
  gpu::Session session(run.problem, matrices.a, matrices.b);
  or_unwatched(activity).begin("running on the GPU");
  const std::vector<float> c = session.run_cublas();
  run.verification = verify(run.problem, matrices.a, matrices.b, c, {}, {}, activity);
  run.timing = gpu_timing(session.time_cublas(activity), run.problem);
}

}  // namespace

Target plan_library(KernelRun& run, const RunOptions& options) {
  Target target = choose_target(options);
  target.on_gpu = target.on_gpu && gpu::status().cublas_available;
  run.backend = target.on_gpu ? Backend::gpu : Backend::none;
  run.device = target.on_gpu ? target.gpu.full_name : "no GPU with cuBLAS here";
  return target;
}

void run_library(KernelRun& run, const RunOptions& options) {
  const Target target = plan_library(run, options);
  const Matrices matrices = make_matrices(run.problem, options.seed, options.activity);
  run.operand_order = operand_order(matrices);
  if (target.on_gpu) {
    execute(run, matrices, options.activity);
  } else {
    run.recorded = recorded_cublas_timing(run.problem, target.gpu.full_name);
  }
}

}  // namespace gemm_tutor
