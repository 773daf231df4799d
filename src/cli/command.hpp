// A subcommand: its options as CLI11 parses them, and what it does with them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/guide.hpp"
#include "cli/options.hpp"
#include "support/error.hpp"

namespace gemm_tutor::cli {

struct Outcome {
  std::string report;
  ExitStatus status = ExitStatus::ok;
};

struct Command {
  CLI::App* app;  // owned by its parent
  std::function<Outcome(const GeneralOptions&)> run;
  Guide guide = {};  // empty for a hidden command
};

// A command that runs with the options that its `Options`, by a member add_to(), adds to it.
template <class Options>
Command add_command(CLI::App& parent, const char* name, const char* summary,
                    Outcome (*run)(const Options&, const GeneralOptions&), Guide guide = {}) {
  const bool is_hidden = guide.about.empty();
  CLI::App& app = is_hidden ? add_hidden_command(parent, name) : add_command(parent, name, summary);
  const auto options = std::make_shared<Options>();
  options->add_to(app);
  return {&app, [options, run](const GeneralOptions& general) { return run(*options, general); },
          std::move(guide)};
}

// One in each file of the same name.
Command add_learn(CLI::App& parent);
Command add_list(CLI::App& parent);
Command add_lesson(CLI::App& parent);
Command add_compare(CLI::App& parent);
Command add_run(CLI::App& parent);
Command add_trace(CLI::App& parent);
Command add_tune(CLI::App& parent);
Command add_device(CLI::App& parent);
Command add_explain(CLI::App& parent);
Command add_reset(CLI::App& parent);
// `exercise` and its own commands, and the short forms: check, hint, solution, watch.
std::vector<Command> add_exercises(CLI::App& parent);
Command add_grade(CLI::App& parent);
// What `grade` runs the program as for each submission; hidden.
Command add_grade_one(CLI::App& parent);
// Writes docs/lessons; hidden, as only scripts/write-lessons needs it.
Command add_write_lessons(CLI::App& parent);

// The script by which a shell completes what is typed: it asks the program, as
// 'gemm-tutor complete WORDS…'.
Command add_completion(CLI::App& program);
// What fits the last of the words that were typed after "gemm-tutor", which may be empty. A line
// each: a word, a tab and a summary; "folders:"; or "files:.cu" for folders and files that end so.
std::string completions(const CLI::App& program, const std::vector<std::string>& words);
// Prints the manual page; hidden: the build runs it. `commands` outlive the command.
Command add_manual(CLI::App& program, const Guide& guide, const std::vector<Command>& commands);

// What the program does without a command: the walkthrough on a terminal, or as lines where that is
// asked for; nothing where neither.
std::optional<Outcome> learn_by_default(bool plain, const GeneralOptions& general);

}  // namespace gemm_tutor::cli
