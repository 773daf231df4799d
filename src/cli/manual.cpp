// The manual page: the program's and its commands' options, with what their guides say.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

using Entries = std::vector<std::pair<const char*, const char*>>;

const Entries environment = {
    {"GEMM_TUTOR_COURSE", "A folder with more lessons, like --course."},
    {"GEMM_TUTOR_BLOCKS", "How many blocks the emulator runs, like --blocks."},
    {"GEMM_TUTOR_COMPILER",
     "nvrtc or clang: the compiler of the kernels. By default it is NVRTC if it can be loaded, "
     "otherwise clang. Reports name it."},
    {"GEMM_TUTOR_CLANG", "The path of the clang to use."},
    {"PATH", "Where clang is looked for otherwise."},
    {"CUDA_VISIBLE_DEVICES",
     "A variable of the CUDA driver: the GPUs that programs see. The first of them is used."},
    {"LD_LIBRARY_PATH", "Where else NVRTC, cuBLAS and the CUDA driver are looked for."},
    {"NO_COLOR", "If it is not empty, --color auto gives no colour."},
    {"FORCE_HYPERLINK",
     "0: names of files are not shown as links; 1: they are, also where the output is no terminal. "
     "Without it they are links on a terminal that says that it shows them."},
    {"TERM_PROGRAM", "The program that the terminal is in; in vscode a link opens a file there."},
    {"VTE_VERSION", "A terminal's version; from 5001 on it shows links."},
    {"VSCODE_IPC_HOOK_CLI", "Set where VS Code is on another machine: its links are not used."},
    {"PAGER",
     "What shows a report that is longer than the terminal (default: less -FRX); empty or cat: "
     "nothing does."},
    {"TERM", "The terminal's kind; dumb has no colour, no progress line and no pager."},
    {"LC_ALL, LC_CTYPE, LANG",
     "The first of these that is set decides: reports hold more than ASCII characters if it ends "
     "in UTF-8."},
    {"XDG_STATE_HOME", "Where your progress is kept, if it is an absolute path; see FILES."},
    {"XDG_CACHE_HOME", "Where compiled kernels are kept, if it is an absolute path; see FILES."},
    {"XDG_DATA_HOME",
     "Where the headers for your editor are written, if it is an absolute path; see FILES."},
    {"HOME", "Where these are kept otherwise."},
};

const Entries own_files = {
    {"$XDG_STATE_HOME/gemm-tutor/progress.json",
     "Your place in the course, your answers, your runs and your exercises. Without "
     "XDG_STATE_HOME it is in ~/.local/state/gemm-tutor."},
    {"$XDG_STATE_HOME/gemm-tutor/tuning.json", "What 'gemm-tutor tune' found for your GPU."},
    {"$XDG_CACHE_HOME/gemm-tutor",
     "Compiled kernels. It may be removed at any time. Without XDG_CACHE_HOME it is "
     "~/.cache/gemm-tutor."},
    {"$XDG_DATA_HOME/gemm-tutor/headers",
     "What clangd reads in place of the CUDA Toolkit's headers, as the files .clangd and "
     "compile_flags.txt beside an exercise say. Without XDG_DATA_HOME it is in "
     "~/.local/share/gemm-tutor."},
};

// --- roff

// One character, where it would not print as itself.
std::string escaped(char character) {
  switch (character) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return {character};
  }
}

// What is typed: each character as it is.
std::string typed(std::string_view text) {
  std::string result;
  for (const char character : text) result += escaped(character);
  return result.starts_with('.') ? "\\&" + result : result;
}

// A word of a sentence, in which a hyphen is one.
bool is_plain(std::string_view word) {
  return !word.starts_with('-') && word.find("--") == word.npos &&
         word.find("gemm-tutor") == word.npos;
}

// Of a sentence. What one would type keeps its hyphens as typed.
std::string roff_word(const std::string& word) {
  std::string roff = typed(word);
  while (is_plain(word) && roff.find("\\-") != roff.npos) roff.replace(roff.find("\\-"), 2, "-");
  return roff;
}

// A paragraph, in lines that fit a terminal as they are.
std::string prose(const std::string& text) {
  constexpr std::size_t most_columns = 79;
  std::string result, line;
  for (const std::string& word : split(text, ' ')) {
    const std::string next = roff_word(word);
    if (!line.empty() && line.size() + 1 + next.size() > most_columns) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + next;
  }
  return result + line + "\n";
}

std::string section(const char* name) { return fmt::format(".SH {}\n", name); }

std::string bold(std::string_view text) { return "\\fB" + typed(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + typed(text) + "\\fR"; }

std::string entry(const std::string& name, const std::string& text) {
  return fmt::format(".TP\n{}\n{}", name, prose(text));
}

std::string entries(const Entries& all) {
  std::string result;
  for (const auto& [name, text] : all) result += entry(bold(name), text);
  return result;
}

std::string usage_line(const CLI::App& app) {
  const std::string name = full_name(app), usage = usage_of(app);
  return bold(name) + typed(usage.substr(name.size())) + "\n";
}

// --- Options, examples, statuses

std::string option_entry(const CLI::Option& option) {
  const std::string name = shown_name(option);
  const std::size_t value = name.rfind("--") == name.npos ? 0 : name.find(' ', name.rfind("--"));
  const std::string label =
      value == name.npos ? bold(name)
      : value == 0       ? italic(name)
                         : bold(name.substr(0, value)) + " " + italic(name.substr(value + 1));
  return entry(label, option.get_description());
}

// The program has the same, and describes it.
bool is_the_programs(const CLI::App& program, const CLI::Option& option) {
  const auto own = program.get_options([&](const CLI::Option* known) {
    return known->nonpositional() && known->get_name() == option.get_name() &&
           known->get_description() == option.get_description();
  });
  return !own.empty();
}

std::string option_entries(const CLI::App& program, const CLI::App& app) {
  std::string result;
  for (const CLI::Option* argument : arguments_of(app)) result += option_entry(*argument);
  for (const auto& [name, options] : option_groups(app)) {
    for (const CLI::Option* option : options) {
      const bool is_told = &app != &program && is_the_programs(program, *option);
      if (!is_told) result += option_entry(*option);
    }
  }
  return result;
}

std::string example_entries(const Guide& guide) {
  std::string result;
  for (const auto& [command, purpose] : guide.examples) result += entry(bold(command), purpose);
  return result;
}

std::string status_entries(const Guide& guide) {
  std::string result;
  for (const auto& [status, words] : listed(guide.statuses)) {
    result += entry(bold(std::to_string(status)), words);
  }
  return result;
}

// "Exit status: 0 done; 2 the command line is wrong."
std::string status_sentence(const Guide& guide) {
  std::vector<std::string> parts;
  for (const auto& [status, words] : listed(guide.statuses)) {
    parts.push_back(fmt::format("{} {}", status, words));
  }
  return ".PP\n" + prose("Exit status: " + join(parts, "; ") + ".");
}

std::string sentence(const std::string& text) {
  return text.ends_with('?') || text.ends_with('.') ? text : text + ".";
}

// --- Commands

// `exercise check` is `check`: the one directly after the program's name, or null.
const CLI::App* same_command(const CLI::App& program, const CLI::App& app) {
  if (app.get_parent() == &program) return nullptr;
  for (const CLI::App* other : visible_commands(program)) {
    const bool is_same =
        other->get_name() == app.get_name() && other->get_description() == app.get_description();
    if (is_same) return other;
  }
  return nullptr;
}

std::string command_section(const CLI::App& program, const Command& command) {
  const CLI::App& app = *command.app;
  const std::string heading = ".SS " + typed(full_name(app)) + "\n" + usage_line(app) + ".PP\n";
  if (const CLI::App* same = same_command(program, app)) {
    return heading + prose(fmt::format("The same as '{}'.", full_name(*same)));
  }
  return heading + prose(sentence(app.get_description())) + prose(command.guide.about) +
         option_entries(program, app) + ".PP\nExamples:\n" + example_entries(command.guide) +
         status_sentence(command.guide);
}

// In roff, with the `man` macros, in ASCII. `guide` is the program's own.
std::string manual_page(const CLI::App& program, const Guide& guide,
                        const std::vector<Command>& commands) {
  // No date: the page is a version's, and the same whenever it is built.
  std::string page = fmt::format(".TH GEMM\\-TUTOR 1 \"\" \"gemm\\-tutor {}\" \"User Commands\"\n",
                                 typed(GEMM_TUTOR_VERSION));
  page += ".nh\n";
  page += section("NAME") + "gemm\\-tutor \\- learn how a CUDA matrix multiply is made fast\n";
  page += section("SYNOPSIS") + usage_line(program);
  page += section("DESCRIPTION") + prose(guide.about);
  page += section("OPTIONS") + prose("Commands take these too, except --version and --plain.");
  page += option_entries(program, program);
  page += section("COMMANDS");
  for (const Command& command : commands) {
    if (!command.app->get_group().empty()) page += command_section(program, command);
  }
  page += section("EXIT STATUS") + status_entries(guide);
  page +=
      ".PP\n" + prose("After Ctrl-C the program ends by that signal, which a shell shows as 130.");
  page += section("ENVIRONMENT") + entries(environment);
  page += section("FILES") + entries(own_files);
  page += section("EXAMPLES") + example_entries(guide);
  page += section("SEE ALSO") + bold("nvcc") + "(1),\n" + bold("clang") + "(1),\n" + bold("ncu") +
          "(1),\n" + bold("nvidia-smi") + "(1)\n";
  return page;
}

}  // namespace

Command add_manual(CLI::App& program, const Guide& guide, const std::vector<Command>& commands) {
  CLI::App& app = add_hidden_command(program, "manual");
  return {&app, [&program, guide, &commands](const GeneralOptions&) {
            return Outcome{manual_page(program, guide, commands)};
          }};
}

}  // namespace gemm_tutor::cli
