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

void execute(KernelRun& run, const Matrices& matrices) {
  gpu::Session session(run.problem, matrices.a, matrices.b);
  run.verification = verify(run.problem, matrices.a, matrices.b, session.run_cublas());
  run.timing = gpu_timing(session.time_cublas(), run.problem);
}

}  // namespace

void run_library(KernelRun& run, const RunOptions& options) {
  const Target target = choose_target(options);
  const Matrices matrices = make_matrices(run.problem, options.seed);
  run.operand_order = operand_order(matrices);
  if (target.on_gpu && gpu::status().cublas_available) {
    run.backend = "gpu";
    run.device = target.gpu.full_name;
    execute(run, matrices);
  } else {
    run.executed = false;
    run.backend = "none";
    run.device = "no GPU with cuBLAS here";
    run.recorded = recorded_cublas_timing(run.problem, target.gpu.full_name);
  }
}

}  // namespace gemm_tutor
