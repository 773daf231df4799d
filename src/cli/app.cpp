#include "cli/app.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/version.hpp"
#include "report/list_report.hpp"
#include "support/text.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

constexpr const char* version = GEMM_TUTOR_VERSION;
// Of the program itself.
Guide program_guide() {
  return {
      .about =
          "A course on the command line. It shows how a single-precision matrix multiply goes from "
          "a loop on the CPU to a fast CUDA kernel, one idea per lesson. Each lesson's kernel is "
          "one ordinary CUDA file. It is compiled as you watch and runs on your NVIDIA GPU, or, "
          "if you have none, on a built-in emulator that runs the same compiled code on any "
          "CPU. Without a command, the course continues where you stopped. If the output is not a "
          "terminal, an overview is printed instead.",
      .examples = {{"gemm-tutor", "the course, from where you stopped"},
                   {"gemm-tutor lesson 3 --size 512", "one lesson in one report"},
                   {"gemm-tutor exercise start 3", "a kernel for you to complete"}},
      .statuses = {.done = "done, and what was run or checked is right",
                   .wrong = "a result is wrong, a fault was found, or an exercise is not solved",
                   .unavailable = cannot_run,
                   .compile_error = "the kernel does not compile"}};
}

struct CommandLine {
  CLI::App app{"How a CUDA matrix multiply is made fast, one idea per lesson.", "gemm-tutor"};
  GeneralOptions general;
  bool plain = false;
  std::vector<Command> commands;

  CommandLine() {
    app.set_help_flag("-h,--help", "this text; after a command, that command's");
    app.set_version_flag("--version", version_text, "the version, and what it was built from");
    general.add_to(app);
    add_flag(app, "--plain", plain, "the course in plain lines: for screen readers");
    expect_command(app);  // commands take this from the program
    commands = {add_learn(app), add_list(app),  add_lesson(app), add_compare(app),
                add_run(app),   add_trace(app), add_tune(app)};
    for (Command& command : add_exercises(app)) commands.push_back(std::move(command));
    commands.insert(commands.end(), {add_grade(app), add_grade_one(app)});
    for (Command& command : add_classroom(app)) commands.push_back(std::move(command));
    commands.insert(commands.end(), {add_device(app), add_explain(app)});
    for (Command& command : add_progress(app)) commands.push_back(std::move(command));
    commands.insert(commands.end(), {add_reset(app), add_write_lessons(app)});
    for (const Command& command : commands) {
      general.add_to(*command.app);
      describe(*command.app, command.guide);
    }
    describe(app, program_guide());
  }

 private:
  static void describe(CLI::App& command, const Guide& guide) {
    command.get_help_ptr()->group(general_group);
    command.formatter(std::make_shared<HelpFormatter>(guide));
  }
};

// "--block" for "--blok"; empty where there is no similar one.
std::string near_option(const std::string& option, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* known : app.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back(name);
  }
  const std::size_t dashes = option.find_first_not_of('-');
  const std::string near = dashes == option.npos ? "" : near_name(option.substr(dashes), names);
  return near.empty() ? "" : "--" + near;
}

// The command that was given: `exercise list`, not `exercise`.
const CLI::App& innermost(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : innermost(*named.front());
}

// What somebody may mean by a word that is no command of `app`; empty if nobody knows.
std::string near_command(const std::string& word, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : visible_commands(app)) {
    names.push_back(command->get_name());
    for (const CLI::App* inner : visible_commands(*command)) {
      if (inner->get_name() == word) return full_name(*inner);
    }
  }
  if (app.get_option_no_throw("--" + word)) return full_name(app) + " --" + word;
  if (app.get_name() == "exercise" && number_in<int>(word))
    return full_name(app) + " start " + word;
  const std::string near = near_name(word, names);
  return near.empty() ? "" : full_name(app) + " " + near;
}

Error unknown_argument(const CLI::App& app, const std::string& argument) {
  const std::string see_help = fmt::format("'{} --help' shows what there is.", full_name(app));
  const auto suggestion = [](const std::string& format, const std::string& near) {
    return near.empty() ? "" : fmt::format(fmt::runtime(format), near);
  };
  if (argument.starts_with('-')) {
    const std::string option = argument.substr(0, argument.find('='));
    return {ExitStatus::usage, fmt::format("unknown option '{}'", option),
            suggestion("Did you mean {}? ", near_option(option, app)) + see_help};
  }
  if (!visible_commands(app).empty()) {
    return {ExitStatus::usage, fmt::format("unknown command '{}'", argument),
            suggestion("Did you mean '{}'? ", near_command(argument, app)) + see_help};
  }
  const bool is_setting = app.get_option_no_throw("--set") && argument.find('=') != argument.npos;
  return {ExitStatus::usage,
          fmt::format("'{}' is one argument too many for {}", argument, full_name(app)),
          is_setting ? fmt::format("Each setting has a --set of its own: --set {}.", argument)
                     : see_help};
}

// The first argument that neither `app` nor a command of it took, if there is one, is an error; but
// "--", which ends the options.
void check_unknown(const CLI::App& app) {
  for (const std::string& argument : app.remaining()) {
    if (argument != "--") throw unknown_argument(app, argument);
  }
  for (const CLI::App* command : app.get_subcommands()) check_unknown(*command);
}

Error usage(const CommandLine& line, const std::string& message) {
  return {ExitStatus::usage, message,
          fmt::format("'{} --help' shows what it takes.", full_name(innermost(line.app)))};
}

// The arguments, as the program knows them: "help lesson" is "lesson --help", and "3" is "lesson
// 3". No command begins with a digit.
std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool asks_for_help = !arguments.empty() && arguments.front() == "help";
  if (asks_for_help) arguments.erase(arguments.begin());
  if (!arguments.empty() && is_digit((arguments.front() + " ").front())) {
    arguments.insert(arguments.begin(), "lesson");
  }
  if (asks_for_help) arguments.emplace_back("--help");
  return arguments;
}

void parse(CommandLine& line, int argc, const char* const* argv) {
  try {
    std::vector<std::string> arguments = words_of(argc, argv);
    std::ranges::reverse(arguments);  // as CLI11 takes them
    line.app.parse(std::move(arguments));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message =
        error.what();  // "--size: …", "no-check was given a … flag override"
    const std::string option = message.substr(0, message.find_first_of(": "));
    if (message.find("flag override") != message.npos) {
      throw usage(line, fmt::format("--{} takes no value", option));
    }
    throw usage(line, fmt::format("{} takes exactly one value", option));
  } catch (const CLI::ParseError& error) {
    throw usage(line, error.what());
  }
}

// A report for somebody who reads it on a terminal, not for a program or a file.
bool may_be_paged(const CLI::App& command, const GeneralOptions& general) {
  const CLI::Option* format = command.get_option_no_throw("--format");
  const CLI::Option* page = command.get_option_no_throw("--html");
  const bool is_data = format && format->count() > 0 && format->results().back() != "text";
  return !general.no_pager && !is_data && !(page && page->count() > 0) &&
         command.get_name() != "learn";
}

Outcome execute(CommandLine& line, int argc, const char* const* argv) try {
  parse(line, argc, argv);
  check_unknown(line.app);
  line.general.course.load();
  for (const Command& command : line.commands) {
    if (command.app != &innermost(line.app)) continue;
    Outcome outcome = command.run(line.general);
    outcome.may_be_paged = may_be_paged(*command.app, line.general);
    return outcome;
  }
  if (const auto outcome = learn_by_default(line.plain, line.general)) return *outcome;
  return {terminal_text(overview_document(version, lessons(), read_progress(progress_path())),
                        line.general.terminal())};
} catch (const CLI::CallForVersion& asked) {
  return {std::string(asked.what()) + "\n"};
} catch (const CLI::CallForHelp&) {
  check_unknown(line.app);
  return {line.app.help()};
}

}  // namespace

int run(int argc, const char* const* argv) noexcept try {
  CommandLine line;
  const Outcome outcome = execute(line, argc, argv);
  outcome.may_be_paged ? write_paged(outcome.report) : write_all(stdout, outcome.report);
  return static_cast<int>(outcome.status);
} catch (const std::exception& exception) {
  const DescribedError failure =
      describe(exception, detect_terminal(STDERR_FILENO, ColorChoice::automatic));
  std::fputs(failure.text.c_str(), stderr);
  return static_cast<int>(failure.status);
}

}  // namespace gemm_tutor::cli
