#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/own_kernel.hpp"
#include "cli/progress_line.hpp"
#include "gpu/gpu.hpp"
#include "report/lesson_json.hpp"
#include "report/lesson_report.hpp"
#include "trace/first_requests.hpp"

namespace gemm_tutor::cli {
namespace {

struct RunCommandOptions {
  std::string file;
  OwnKernelOptions kernel;
  SizeOptions size;
  RunSettings run;
  FormatOption format;
};

Outcome run_own_kernel(const RunCommandOptions& options, const ColorOption& color) {
  const KernelSource kernel = options.kernel.kernel(options.file, "run");
  Activity activity;
  RunOptions run_options = options.run.run_options(options.size.problem());
  run_options.activity = &activity;
  const Format format = options.format.format();
  const Terminal terminal = color.terminal();

  KernelRun run;
  std::vector<SelectedLine> requests;
  {
    const ProgressLine line(activity);
    run = run_kernel(kernel, run_options);
    if (format == Format::text) requests = first_requests(kernel, run, run_options);
  }
  const bool gpu_missing = run.backend == "emulator" && !gpu::status().available;
  return {format == Format::json ? lesson_json(run)
                                 : lesson_text({run, nullptr, gpu_missing, requests}, terminal),
          is_clean(run) ? ExitStatus::ok : ExitStatus::wrong_result};
}

}  // namespace

Command add_run(CLI::App& parent, ColorOption& color) {
  CLI::App* app = parent.add_subcommand("run", "A kernel of your own: counts, findings, time");
  const auto options = std::make_shared<RunCommandOptions>();
  app->add_option("FILE.cu", options->file, "a CUDA C++ file with a kernel")->type_name("");
  options->kernel.add_block_to(*app);
  options->kernel.add_to(*app);
  options->size.add_to(*app);
  options->run.add_to(*app);
  options->format.add_to(*app);
  color.add_to(*app);
  return {app, [options, &color] { return run_own_kernel(*options, color); }};
}

}  // namespace gemm_tutor::cli
