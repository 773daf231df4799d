#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/command.hpp"
#include "run/target.hpp"
#include "walkthrough/steps.hpp"
#include "walkthrough/walkthrough.hpp"

namespace gemm_tutor::cli {
namespace {

struct LearnOptions {
  std::string lesson;
  SizeOptions size{.fallback_text = fmt::format("as before, at first {}", default_size)};
  RunSettings run;
  bool plain = false;

  void add_to(CLI::App& app) {
    add_argument(app, "L", lesson,
                 "the lesson to begin with, by number or name (default: where you stopped)");
    add_flag(app, "--plain", plain, "plain lines: for screen readers, and without a terminal");
    size.add_to(app);
    run.add_to(app);
  }
};

bool is_interactive() { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

std::unique_ptr<Screen> screen_for(bool plain, const GeneralOptions& general) {
  Terminal terminal = general.terminal();
  terminal.spoken = plain;
  if (plain || !is_interactive()) return plain_screen(terminal);
  if (std::unique_ptr<Screen> screen = curses_screen(general.color.choice())) return screen;
  terminal.color = general.color.choice() == ColorChoice::always;  // it may not support colour
  return plain_screen(terminal);
}

Outcome learn(const LearnOptions& options, const GeneralOptions& general) {
  WalkthroughRequest request;
  request.run = options.run.run_options(options.size.problem());
  // Else the first step that runs something would say that it cannot.
  if (request.run.backend == Backend::gpu) choose_target(request.run);
  if (options.lesson == name_of(Step::machine)) {
    request.lesson = &lessons().front();
    request.step = options.lesson;
  } else if (!options.lesson.empty()) {
    request.lesson = &find_lesson(options.lesson);
  }

  ProgressFile file(progress_path());
  if (options.size.is_given()) request.problem = options.size.problem(file.progress.problem);
  const std::unique_ptr<Screen> screen = screen_for(options.plain, general);
  return {walk_through(*screen, file, request)};
}

}  // namespace

std::optional<Outcome> learn_by_default(bool plain, const GeneralOptions& general) {
  if (!plain && !is_interactive()) return {};
  LearnOptions options;
  options.plain = plain;
  return learn(options, general);
}

Command add_learn(CLI::App& parent) {
  return add_command(
      parent, "learn", "The course, step by step, as 'gemm-tutor' alone", learn,
      {.about = "Goes through the lessons with you: the idea, a question about what the kernel "
                "asks of memory, a run, and the counts beside your answers. One key is "
                "one step; the last line of the screen shows the keys. Your "
                "place, your answers and your runs are kept for the next time. If standard input "
                "is not a terminal, the steps are read from it as lines.",
       .examples = {{"gemm-tutor learn", "go on where you were"},
                    {"gemm-tutor learn machine", "the chapter before the lessons: what a GPU is"},
                    {"gemm-tutor learn 3 --plain", "lesson 3 in plain lines, for a screen reader"}},
       .statuses = {
           .done = "you left, or the course is at its end",
           .unavailable = "the output cannot be written, or --backend gpu and there is no GPU"}});
}

}  // namespace gemm_tutor::cli
