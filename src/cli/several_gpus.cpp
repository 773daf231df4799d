#include "cli/several_gpus.hpp"

#include "documents/run_sections.hpp"

namespace gemm_tutor::cli {

void estimate_on_each(KernelRun& run, const std::vector<std::string>& gpus, RunOptions options,
                      const std::function<KernelRun(const RunOptions&)>& run_on) {
  if (gpus.size() < 2 || !run.launch || !is_clean(run)) return;
  run.estimates = {{*run.gpu, run.estimate}};
  options.backend = Backend::emulator;
  options.one_of_many = true;
  options.check = false;  // the first run has already checked the kernel
  options.trace.reset();
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    options.gpu = gpus[i];
    const KernelRun other = run_on(options);
    run.estimates.push_back({*other.gpu, other.estimate});
  }
}

}  // namespace gemm_tutor::cli
