#include "course/kernel_run.hpp"

#include <cmath>

#include "course/cpu_run.hpp"
#include "course/cuda_run.hpp"
#include "gemm/matrices.hpp"

namespace gemm_tutor {

KernelRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options) {
  check_size(options.problem);
  KernelRun run;
  run.lesson = &lesson;
  run.kernel = &kernel;
  run.settings = settings;
  run.problem = options.problem;
  run.traffic.predicted_loads = std::llround(kernel.traffic.load_floats(options.problem, settings));
  run.traffic.predicted_stores =
      std::llround(kernel.traffic.store_floats(options.problem, settings));
  kernel.on_gpu() ? run_cuda(run, options) : run_on_cpu(run, options);
  return run;
}

}  // namespace gemm_tutor
