// A subcommand: its options for CLI11, and the function that runs it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "support/error.hpp"

namespace gemm_tutor::cli {

// Texts of the help, in addition to a command's options. They are plain ASCII without line breaks,
// and are wrapped when printed.
struct Example {
  std::string command;  // as typed in a shell; a command's examples work in this order
  std::string purpose;  // what it shows: "lesson 3 at M = N = K = 512"
};

// The meanings of a command's exit statuses; empty if it does not have that status. Any command can
// end with 2: the command line is wrong.
struct StatusMeanings {
  std::string done = "done";                                 // 0
  std::string wrong = {};                                    // 1
  std::string unavailable = "the output cannot be written";  // 3
  std::string compile_error = {};                            // 4
};

// Status 3 of a command that runs kernels on the GPU or the emulator.
inline constexpr const char* cannot_run =
    "this machine cannot do it: no GPU for --backend gpu, no CUDA compiler, too little memory, a "
    "file that cannot be written, or an instruction that the emulator does not know";

struct Guide {
  std::string about;  // what it does, a paragraph
  std::vector<Example> examples;
  StatusMeanings statuses = {};
};

struct Outcome {
  std::string report;
  ExitStatus status = ExitStatus::ok;
  bool may_be_paged = false;  // set by the command line, which knows what the report is for
};

struct Command {
  CLI::App* app;  // owned by its parent
  std::function<Outcome(const GeneralOptions&)> run;
  Guide guide = {};  // empty for a hidden command
};

// Adds a command. `Options` has a member function add_to(), which adds its options.
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

// Each is defined in the file of the same name.
Command add_learn(CLI::App& parent);
Command add_list(CLI::App& parent);
Command add_lesson(CLI::App& parent);
Command add_compare(CLI::App& parent);
Command add_run(CLI::App& parent);
Command add_trace(CLI::App& parent);
Command add_tune(CLI::App& parent);
Command add_device(CLI::App& parent);
Command add_explain(CLI::App& parent);
// `progress` with its subcommands.
std::vector<Command> add_progress(CLI::App& parent);
Command add_reset(CLI::App& parent);
// `exercise` with its subcommands, and the short forms: check, hint, solution, watch.
std::vector<Command> add_exercises(CLI::App& parent);
Command add_grade(CLI::App& parent);
// `classroom` with its subcommands.
std::vector<Command> add_classroom(CLI::App& parent);
// The hidden command that `grade` runs for each submission.
Command add_grade_one(CLI::App& parent);
// Writes docs/lessons. Hidden, because only scripts/write-lessons needs it.
Command add_write_lessons(CLI::App& parent);

// Runs the program without a command: the walkthrough on a terminal, or as lines with --plain.
// Returns nothing if neither is possible.
std::optional<Outcome> learn_by_default(bool plain, const GeneralOptions& general);

}  // namespace gemm_tutor::cli
