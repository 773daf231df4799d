#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>

#include "cli/command.hpp"
#include "course/progress.hpp"
#include "report/list_report.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

std::string paragraph(const std::string& text, const Terminal& terminal) {
  return terminal_text({.parts = {Paragraph{{{text}}}}}, terminal);
}

bool is_yes(std::string_view answer) {
  std::string word(trimmed(answer));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word == "y" || word == "yes";
}

// No answer is no.
bool confirms() {
  write_all(stdout, "Forget it? [y/N] ");
  std::string answer;
  const bool has_answered = static_cast<bool>(std::getline(std::cin, answer));
  // A line typed at a terminal has moved to the next one already.
  if (!has_answered || !isatty(STDIN_FILENO)) write_all(stdout, "\n");
  return is_yes(answer);
}

std::string move_to_old(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path old = move_progress_aside(path, ".old", error);
  if (!old.empty()) return fmt::format("It is forgotten. The file is kept as {}.", old.string());
  throw Error(ExitStatus::unavailable,
              fmt::format("'{}' cannot be moved: {}", path.string(), error.message()),
              "Move or delete it yourself; without it the course begins again.");
}

struct ResetOptions {
  bool is_confirmed = false;

  void add_to(CLI::App& app) { add_flag(app, "--yes", is_confirmed, "do not ask first"); }
};

Outcome reset(const ResetOptions& options, const GeneralOptions& general) {
  const Terminal terminal = general.terminal();
  const StoredProgress stored = read_progress(progress_path());
  if (stored.state == StoredProgress::State::missing) {
    return {"There is no progress to forget.\n"};
  }
  write_all(stdout, paragraph(description_of(stored), terminal));
  if (!options.is_confirmed && !confirms()) return {"Nothing was changed.\n"};
  return {paragraph(move_to_old(stored.path), terminal)};
}

}  // namespace

Command add_reset(CLI::App& parent) {
  return add_command(
      parent, "reset", "Forget your progress: the course begins again", reset,
      {.about = "Forgets which lessons and exercises you have done, the hints you took, your "
                "answers and your runs, once you say yes. The file is kept beside the old place as "
                "progress.json.old.",
       .examples = {{"gemm-tutor reset", "says what there is to forget, and asks"},
                    {"gemm-tutor reset --yes", "forgets it without asking"}},
       .statuses = {.done = "it is forgotten, or you said no, or there was nothing",
                    .unavailable = "the file cannot be moved, or the output cannot be written"}});
}

}  // namespace gemm_tutor::cli
