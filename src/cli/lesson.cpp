#include "course/lesson.hpp"

#include <fmt/format.h>

#include <string>

#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_options.hpp"
#include "report/chapters.hpp"
#include "run/target.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

struct LessonOptions {
  std::string lesson, kernel;
  SettingOptions set;
  ReportOptions report;
  bool brief = false;

  void add_to(CLI::App& app) {
    // Not required(): its absence has an error that says more than CLI11's.
    add_argument(app, "L|machine|profiler", lesson,
                 "the lesson's number or name; or the chapter before the lessons, or after them");
    add_option(app, "--kernel", kernel, "KERNEL",
               "one of the lesson's kernels, as 'list' names them (default: its first)");
    add_option(app, "--html", report.html, "FILE.html",
               "write the lesson as a page too, to read or to print");
    add_flag(app, "--brief", brief, "the idea in short, without the lesson's text");
    report.machine.add_to(app);
    report.size.add_to(app);
    set.add_to(app);
    report.run.add_to(app);
    report.format.add_to(app);
  }
};

Outcome show_chapter(const Chapter& chapter, const ReportOptions& options,
                     const GeneralOptions& general) {
  if (options.format.format() == Format::json) {
    throw Error(ExitStatus::usage, fmt::format("lesson {}: this chapter has no JSON", chapter.name),
                "Leave out --format; its numbers are in the files of gpus and docs/results.");
  }
  const std::vector<std::string> gpus = options.run.gpus();
  const Document document =
      chapter.document(simt::find_gpu(gpus.empty() ? default_gpu : gpus.front()));
  check_writable("--html", options.html, "chapter.html");
  if (options.html) write_output("--html", *options.html, html_page(document));
  return {terminal_text(document, general.terminal())};
}

Outcome run_lesson(const LessonOptions& options, const GeneralOptions& general) {
  if (options.lesson.empty()) {
    throw Error(
        ExitStatus::usage, "lesson: which one?",
        "Give its number or name, as in 'gemm-tutor lesson 3'; 'gemm-tutor list' shows them.");
  }
  if (const Chapter* chapter = find_chapter(options.lesson)) {
    return show_chapter(*chapter, options.report, general);
  }
  const Lesson& lesson = find_lesson(options.lesson);
  const Kernel& kernel = find_kernel(lesson, options.kernel);
  Activity activity;
  const ReportRequest request = options.report.request(activity, "lesson.html");
  if (request.machine) check_has_machine_code(lesson, kernel);
  const auto run = [&](const RunOptions& on) {
    return run_kernel(lesson, kernel, options.set.settings(kernel, on), on);
  };
  const Terminal terminal = general.terminal();
  const LessonReport report = [&] {
    const ProgressLine line(activity);
    return lesson_report(request, run, !options.brief);
  }();
  return options.report.shown(report, lesson_document(report), terminal);
}

}  // namespace

Command add_lesson(CLI::App& parent) {
  return add_command(
      parent, "lesson", "One lesson: idea, kernel, counts, time and result", run_lesson,
      {.about = "Compiles the lesson's kernel, runs it on the GPU or the emulator, and prints its "
                "text, its source with what was counted beside each line, its launch, its traffic "
                "by formula and as counted, its time, and whether its result is right.",
       .examples =
           {{"gemm-tutor lesson 3 --brief", "the numbers without the text"},
            {"gemm-tutor lesson machine", "what a GPU is made of, and a whole program"},
            {"gemm-tutor lesson profiler", "the same numbers with Nsight Compute, on a GPU"},
            {"gemm-tutor lesson 3 --size 512", "a tile in shared memory, at M = N = K = 512"},
            {"gemm-tutor lesson 5 --machine", "the machine code of its hot loop below the source"},
            {"gemm-tutor lesson register-tile --set BM=64 --m 500 --n 300 --k 200",
             "another tile, and a size that no tile divides"}},
       .statuses = {.done = "done, and the result is right",
                    .wrong = "the result is wrong, or something was found in the kernel",
                    .unavailable = cannot_run,
                    .compile_error = "the kernel does not compile"}});
}

}  // namespace gemm_tutor::cli
