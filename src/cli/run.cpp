#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/own_kernel.hpp"
#include "cli/progress_line.hpp"
#include "cli/several_gpus.hpp"
#include "documents/lesson_document.hpp"
#include "documents/lesson_json.hpp"
#include "gpu/gpu.hpp"
#include "trace/selection.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

struct RunCommandOptions {
  std::string file;
  OwnKernelOptions kernel;
  SizeOptions size;
  RunSettings run{.takes_several_gpus = true};
  MachineOption machine;
  FormatOption format;
  std::optional<std::string> sizes = std::nullopt, html = std::nullopt;

  void add_to(CLI::App& app) {
    add_argument(app, "FILE.cu", file, "a CUDA C++ file with a kernel");
    kernel.add_block_to(app);
    kernel.add_to(app);
    machine.add_to(app);
    size.add_to(app);
    add_option(app, "--sizes", sizes, "S[,S]",
               "further sizes, each as for --size, that decide about the exit status too (default: "
               "two small ones, which do not: whole tiles with an odd number of steps along K, and "
               "97x130x65 or the like)",
               size_group);
    run.add_to(app);
    format.add_to(app);
    add_option(app, "--html", html, "FILE.html",
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

Outcome run_own_kernel(const RunCommandOptions& options, const GeneralOptions& general) {
  Activity activity;
  RunOptions run_options = options.run.run_options(options.size.problem());
  run_options.activity = &activity;
  run_options.further = options.further_sizes();
  const Format format = options.format.format();
  const std::optional<MachineDetail> machine = options.machine.detail();
  run_options.trace = trace_request(options.html.has_value(), format);
  check_writable("--html", options.html, "kernel.html");
  check_not_read({{"--html", options.html}}, options.file);
  const Terminal terminal = general.terminal();

  KernelRun run;
  std::vector<SelectedLine> requests;
  {
    const ProgressLine line(activity);
    const KernelSource kernel = options.kernel.kernel(options.file, "run", run_options);
    run_options.problem = options.size.problem_or_only(kernel.found.only_size);
    run = run_kernel(kernel, run_options);
    const auto& [m, n, k] = run_options.problem;
    if (kernel.found.takes_one_size && !run.verification.passed && !(m == n && n == k)) {
      throw Error(ExitStatus::usage,
                  fmt::format("{} takes one size, and so it multiplies square matrices, not {}×{} "
                              "by {}×{}",
                              kernel.name_expression, m, k, k, n),
                  fmt::format("Give it one: --size {}.", n));
    }
    const bool is_wrong =
        !run.verification.passed || (is_clean(run) && !run.further.empty() &&
                                     std::ranges::none_of(run.further, &FurtherSize::is_right));
    const bool is_explained = run.wrong.kind || !run.findings().empty();
    if (!is_explained && !kernel.found.note_of_unknown.empty())
      run.source.found.notes.push_back(kernel.found.note_of_unknown);
    run.wrong.right_options = kernel.found.right_options;
    if (kernel.found.right_options.empty() && is_wrong &&
        (options.kernel.fixes_arguments(kernel) || kernel.found.is_guess))
      run.wrong.right_options = right_options(kernel, *run.gpu, &activity);
    run_options.further.reset();
    estimate_on_each(run, options.run.gpus(), run_options,
                     [&](const RunOptions& other) { return run_kernel(kernel, other); });
    if (format == Format::text && !machine) requests = first_requests(run);
  }
  const bool gpu_missing = run.backend == Backend::emulator && !gpu::status().available;
  const LessonReport report{run, nullptr, gpu_missing, requests, machine};
  const Document document = lesson_document(report, trace_of(run));
  if (options.html) write_output("--html", *options.html, html_page(document));
  return {
      format == Format::json ? lesson_json(run, machine.has_value())
                             : terminal_text(document, terminal),
      is_clean(run) && (!options.sizes || std::ranges::all_of(run.further, &FurtherSize::is_right))
          ? ExitStatus::ok
          : ExitStatus::wrong_result};
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
