#include "course/lesson.hpp"

#include <memory>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "gpu/gpu.hpp"
#include "pages/lesson_page.hpp"
#include "report/lesson_json.hpp"
#include "report/lesson_report.hpp"
#include "trace/first_requests.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor::cli {
namespace {

struct LessonOptions {
  std::string lesson, kernel;
  std::optional<std::string> html;
  SizeOptions size;
  SettingOptions set;
  RunSettings run;
  FormatOption format;
};

const Lesson* lesson_after(const Lesson& lesson) {
  for (const Lesson& other : lessons()) {
    if (other.number > lesson.number) return &other;
  }
  return nullptr;
}

// The first block of a run's kernel; none of what is not CUDA C++.
std::optional<Trace> trace_of(const KernelRun& run, const RunOptions& options) {
  if (!run.kernel->is_cuda()) return {};
  return trace_kernel(*run.lesson, *run.kernel, run.settings, trace_options(options));
}

Outcome run_lesson(const LessonOptions& options, const ColorOption& color) {
  if (options.lesson.empty()) {
    throw Error(
        ExitStatus::usage, "lesson: which one?",
        "Give its number or name, as in 'gemm-tutor lesson 3'; 'gemm-tutor list' shows them.");
  }
  const Lesson& lesson = find_lesson(options.lesson);
  const Kernel& kernel = find_kernel(lesson, options.kernel);
  Activity activity;
  RunOptions run_options = options.run.run_options(options.size.problem());
  run_options.activity = &activity;
  const Settings settings = options.set.settings(kernel, run_options);
  const Format format = options.format.format();
  const Terminal terminal = color.terminal();
  check_writable("--html", options.html, "lesson.html");
  check_not_read({{"--html", options.html}});

  KernelRun run;
  std::vector<SelectedLine> requests;
  std::optional<Trace> trace;
  {
    const ProgressLine line(activity);
    run = run_kernel(lesson, kernel, settings, run_options);
    if (options.html) trace = trace_of(run, run_options);
    if (format == Format::text) {
      requests = trace ? first_requests(run, *trace) : first_requests(run, run_options);
    }
  }
  const bool gpu_missing = run.backend == "emulator" && !gpu::status().available;
  const LessonReport report{run, lesson_after(lesson), gpu_missing, requests};
  if (options.html) write_output("--html", *options.html, lesson_html(report, trace));
  return {format == Format::json ? lesson_json(run) : lesson_text(report, terminal),
          is_clean(run) ? ExitStatus::ok : ExitStatus::wrong_result};
}

}  // namespace

Command add_lesson(CLI::App& parent, ColorOption& color) {
  CLI::App* app = parent.add_subcommand("lesson", "One lesson: idea, kernel, counts, time, result");
  const auto options = std::make_shared<LessonOptions>();
  // Not required(): its absence has an error that says more than CLI11's.
  app->add_option("L", options->lesson, "the lesson's number or name")->type_name("");
  app->add_option("--kernel", options->kernel, "one of the lesson's kernels (default: its own)")
      ->type_name("NAME");
  app->add_option("--html", options->html,
                  "write the lesson as a page, to read or print,\nto FILE, too")
      ->type_name("FILE");
  options->size.add_to(*app);
  options->set.add_to(*app);
  options->run.add_to(*app);
  options->format.add_to(*app);
  color.add_to(*app);
  return {app, [options, &color] { return run_lesson(*options, color); }};
}

}  // namespace gemm_tutor::cli
