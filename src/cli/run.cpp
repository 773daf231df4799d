#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/own_kernel.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_options.hpp"
#include "run/cuda_run.hpp"

namespace gemm_tutor::cli {
namespace {

struct RunCommandOptions {
  std::string file;
  OwnKernelOptions kernel;
  ReportOptions report;
  std::optional<std::string> sizes = std::nullopt;

  void add_to(CLI::App& app) {
    add_argument(app, "FILE.cu", file, "a CUDA C++ file with a kernel");
    kernel.add_block_to(app);
    kernel.add_to(app);
    report.machine.add_to(app);
    report.size.add_to(app);
    add_option(app, "--sizes", sizes, "S[,S]",
               "further sizes, each as for --size, that decide about the exit status too (default: "
               "two small ones, which do not: whole tiles with an odd number of steps along K, and "
               "97x130x65 or the like)",
               size_group);
    report.run.add_to(app);
    report.format.add_to(app);
    add_option(app, "--html", report.html, "FILE.html",
               "write it as a page too, with pictures of its requests");
  }

  std::vector<Problem> further_sizes() const {
    std::vector<Problem> result;
    if (!sizes) return result;
    for (const std::string& one : split(*sizes, ','))
      result.push_back(size_in(one, largest_int, "--sizes"));
    return result;
  }
};

void check_square(const KernelRun& run, const KernelSource& kernel) {
  const auto& [m, n, k] = run.problem;
  if (!kernel.found.takes_one_size || run.verification.passed || (m == n && n == k)) return;
  throw Error(ExitStatus::usage,
              fmt::format("{} takes one size, and so it multiplies square matrices, not {}×{} by "
                          "{}×{}",
                          kernel.name_expression, m, k, k, n),
              fmt::format("Give it one: --size {}.", n));
}

// Adds what is known of the launch if the result is wrong.
void explain(KernelRun& run, const KernelSource& kernel, bool may_try, Activity* activity) {
  const bool is_wrong =
      !run.verification.passed || (is_clean(run) && !run.further.empty() &&
                                   std::ranges::none_of(run.further, &FurtherSize::is_right));
  FoundLaunch& found = run.source.found;
  const bool is_explained = run.wrong.kind || !run.findings().empty();
  if (!is_explained && !found.note_of_unknown.empty()) found.notes.push_back(found.note_of_unknown);
  run.wrong.right_options = found.right_options;
  if (found.right_options.empty() && is_wrong && may_try)
    run.wrong.right_options = right_options(kernel, *run.gpu, activity);
}

Outcome run_own_kernel(const RunCommandOptions& options, const GeneralOptions& general) {
  Activity activity;
  ReportRequest request = options.report.request(activity, "kernel.html", options.file);
  request.options.further = options.further_sizes();
  const Terminal terminal = general.terminal();
  const KernelReport report = [&] {
    const ProgressLine line(activity);
    const KernelSource kernel = options.kernel.kernel(options.file, "run", request.options);
    request.options.problem = options.report.size.problem_or_only(kernel.found.only_size);
    const auto run_on = [&](const RunOptions& on) {
      KernelRun run = run_kernel(kernel, on);
      if (!on.further) return run;
      check_square(run, kernel);
      explain(run, kernel, options.kernel.fixes_arguments(kernel) || kernel.found.is_guess,
              &activity);
      return run;
    };
    return kernel_report(request, run_on);
  }();
  Outcome outcome = options.report.shown(report, kernel_document(report), terminal);
  if (options.sizes && !std::ranges::all_of(report.run.further, &FurtherSize::is_right))
    outcome.status = ExitStatus::wrong_result;
  return outcome;
}

}  // namespace

Command add_run(CLI::App& parent) {
  return add_command(
      parent, "run", "A kernel of your own: faults, counts, time and result", run_own_kernel,
      {.about =
           "Compiles a CUDA C++ file, runs its kernel on the emulator, and then, if nothing "
           "was found and there is a GPU, on that too. The report is like a lesson's. For "
           "each fault it names the line, the thread and the element: reads and writes "
           "outside an array, races, values that nothing wrote, barriers that not every "
           "thread reaches, loops without an end. No option is needed: block, grid, template "
           "arguments and the order of the arguments are read from the host code that launches "
           "the kernel, or found by trying on a small problem, and the report shows the whole "
           "command. With --tile, the grid is N over the tile's columns by M over its rows, "
           "rounded up. Host code in the file is left out.",
       .examples = {{"gemm-tutor solution 2 --anyway > naive.cu",
                     "a file with a kernel, to try it on"},
                    {"gemm-tutor run naive.cu --size 256", "with the launch that is found"},
                    {"gemm-tutor run naive.cu --block 256 --tile 1x256 --size 200",
                     "another shape: one row of C for a block"}},
       .statuses = {.done = "done, and the result is right",
                    .wrong = "the result is wrong, or something was found in the kernel",
                    .unavailable = cannot_run,
                    .compile_error = "the kernel does not compile"}});
}

}  // namespace gemm_tutor::cli
