#include "course/lesson.hpp"

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/progress_line.hpp"
#include "gpu/gpu.hpp"
#include "report/lesson_json.hpp"
#include "report/lesson_report.hpp"

namespace gemm_tutor::cli {
namespace {

struct LessonOptions {
  std::string lesson, kernel;
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

Outcome run_lesson(const LessonOptions& options, const ColorOption& color) {
  if (options.lesson.empty()) {
    throw Error(
        ExitStatus::usage, "lesson: which one?",
        "Give its number or name, as in 'gemm-tutor lesson 3'; 'gemm-tutor list' shows them.");
  }
  const Lesson& lesson = find_lesson(options.lesson);
  const Kernel& kernel = find_kernel(lesson, options.kernel);
  const Settings settings = options.set.settings(kernel);
  Activity activity;
  RunOptions run_options = options.run.run_options(options.size.problem());
  run_options.activity = &activity;
  const Format format = options.format.format();
  const Terminal terminal = color.terminal();

  const KernelRun run = [&] {
    const ProgressLine line(activity);
    return run_kernel(lesson, kernel, settings, run_options);
  }();
  const bool gpu_missing = run.backend == "emulator" && !gpu::status().available;
  return {format == Format::json ? lesson_json(run)
                                 : lesson_text({run, lesson_after(lesson), gpu_missing}, terminal),
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
  options->size.add_to(*app);
  options->set.add_to(*app);
  options->run.add_to(*app);
  options->format.add_to(*app);
  color.add_to(*app);
  return {app, [options, &color] { return run_lesson(*options, color); }};
}

}  // namespace gemm_tutor::cli
