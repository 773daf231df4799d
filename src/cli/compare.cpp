#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "course/ladder.hpp"
#include "report/compare_report.hpp"
#include "report/run_sections.hpp"
#include "run/target.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> lessons;
  std::optional<std::string> sizes, csv, html;
  RunSettings run;
  FormatOption format;

  void add_to(CLI::App& app) {
    add_argument(app, "L", lessons, "lessons, by number or name (default: all that are CUDA C++)");
    add_option(app, "--size", sizes, "S[,S]",
               "M = N = K, or MxNxK, in elements; several: 1024,3000x5000x700 (default: 4096, on "
               "a GPU also 1024 and 2048)");
    add_option(app, "--csv", csv, "FILE.csv", "write the table as CSV too");
    add_option(app, "--html", html, "FILE.html", "write a page with bars and the roofline too");
    run.add_to(app);
    format.add_to(app);
  }
};

std::vector<const Lesson*> chosen_lessons(const std::vector<std::string>& names) {
  std::vector<const Lesson*> chosen;
  for (const Lesson& lesson : lessons()) {
    const bool named = std::ranges::any_of(
        names, [&](const std::string& name) { return &find_lesson(name) == &lesson; });
    const Kernel& kernel = lesson.kernels.front();
    if (named && !kernel.is_cuda()) {
      throw Error(
          ExitStatus::usage,
          fmt::format("{} {}, and has no place on the ladder of kernels", lesson.name(),
                      kernel.from_library ? "is what all are compared with" : "runs on the CPU"),
          fmt::format("'gemm-tutor lesson {}' times it.", lesson.key()));
    }
    if (named || (names.empty() && lesson.number && kernel.is_cuda())) chosen.push_back(&lesson);
  }
  return chosen;
}

Problem cube(int size) { return {size, size, size}; }

std::vector<Problem> default_problems(const RunOptions& options) {
  if (choose_target(options).on_gpu) return {cube(1024), cube(2048), cube(4096)};
  return {cube(4096)};
}

std::vector<Problem> problems_in(const std::string& list) {
  std::vector<Problem> problems;
  for (const std::string& part : split(list, ',')) {
    const Problem problem = size_in(part, 65536);
    if (!std::ranges::count(problems, problem)) problems.push_back(problem);
  }
  return problems;
}

Outcome run_compare(const CompareOptions& options, const GeneralOptions& general) {
  Activity activity;
  LadderRequest request;
  request.lessons = chosen_lessons(options.lessons);
  request.options = options.run.run_options({1, 1, 1});
  request.options.activity = &activity;
  request.problems =
      options.sizes ? problems_in(*options.sizes) : default_problems(request.options);
  const Format format = options.format.format();
  const Terminal terminal = general.terminal();
  check_writable("--csv", options.csv, "ladder.csv");
  check_writable("--html", options.html, "ladder.html");
  check_different({{"--csv", options.csv}, {"--html", options.html}});
  check_not_read({{"--csv", options.csv}, {"--html", options.html}});

  const Ladder ladder = [&] {
    ProgressLine line(activity);
    return run_ladder(request, [&](int done, int all, const std::string& next) {
      line.set_where(fmt::format("{} of {} · {}", done + 1, all, next));
    });
  }();
  const Document document = compare_document(ladder);
  if (options.csv) write_output("--csv", *options.csv, compare_csv(ladder));
  if (options.html) write_output("--html", *options.html, html_page(document));
  const bool clean = std::ranges::all_of(ladder.runs, is_clean);
  return {format == Format::json ? compare_json(ladder) : terminal_text(document, terminal),
          clean ? ExitStatus::ok : ExitStatus::wrong_result};
}

}  // namespace

Command add_compare(CLI::App& parent) {
  return add_command(
      parent, "compare", "The lessons side by side, with cuBLAS", run_compare,
      {.about = "Runs the lessons' kernels at the same sizes and shows them side by side: on a GPU "
                "their times, beside cuBLAS in the same run; on the emulator what each asks of "
                "memory. The last columns place each kernel on the roofline.",
       .examples = {{"gemm-tutor compare 1 2 3 --size 256",
                     "the first three kernels, what each asks of memory"},
                    {"gemm-tutor compare --size 128 --html ladder.html",
                     "all of them, and as a page"}},
       .statuses = {.done = "done, and every result is right",
                    .wrong = "a result is wrong, or something was found in a kernel",
                    .unavailable = cannot_run,
                    .compile_error = "a kernel does not compile"}});
}

}  // namespace gemm_tutor::cli
