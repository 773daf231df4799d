// For zsh: a function a command, of specifications for its _arguments.
#include <fmt/format.h>

#include <algorithm>

#include "cli/completion.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

constexpr const char* zsh_helpers = R"(#compdef gemm-tutor
# zsh completion for gemm-tutor

# Words that are gone on with, such as BM=
_gemm_tutor_settings() { compadd -S '' -- "$@" }

# Files that end in $1, and words
_gemm_tutor_words_or_files() {
  compadd -- "${@:2}"
  _files -g "*$1"
}

)";

constexpr const char* footer = R"(
if [[ $funcstack[1] == _gemm-tutor ]]; then
  _gemm-tutor "$@"
else
  compdef _gemm-tutor gemm-tutor
fi
)";

// Inside of a specification.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (std::string_view("[]:\\").find(character) != std::string_view::npos) result += '\\';
    result += character;
  }
  return result;
}

std::string function_of(const std::string& path) {
  if (path.empty()) return "_gemm-tutor";
  std::string name = "_gemm_tutor_" + path;
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string action(const Candidates& candidates) {
  const std::string words = join(candidates.words, " ");
  if (candidates.folders) return "_files -/";
  if (!candidates.ending.empty() && !words.empty()) {
    return fmt::format(" _gemm_tutor_words_or_files {} {}", candidates.ending, words);
  }
  if (!candidates.ending.empty()) return fmt::format("_files -g \"*{}\"", candidates.ending);
  if (words.empty()) return " ";
  return words.ends_with('=') ? " _gemm_tutor_settings " + words : fmt::format("({})", words);
}

// ":S: ", what a value is called and how it is completed.
std::string value_part(const std::string& name, const Candidates& candidates) {
  return fmt::format(":{}:{}", escaped(name), action(candidates));
}

std::string option_specification(const CompletedOption& option) {
  const std::string summary = fmt::format("[{}]", escaped(option.summary));
  if (option.names.size() > 1) {  // -h and --help: flags
    return fmt::format("{}{{{}}}{}", single_quoted(fmt::format("({})", join(option.names, " "))),
                       join(option.names, ","), single_quoted(summary));
  }
  const std::string& name = option.names.front();
  if (option.value.empty()) return single_quoted(name + summary);
  return single_quoted((option.repeats ? "*" : "") + name + "=" + summary +
                       value_part(option.value, option.candidates));
}

std::string specifications(const CompletedCommand& command) {
  std::string result;
  for (const CompletedOption& option : command.options) {
    result += " \\\n    " + option_specification(option);
  }
  if (!command.argument.empty()) {
    const char* place = command.many_arguments ? "*" : "1";
    result += " \\\n    " + single_quoted(place + value_part(command.argument, command.candidates));
  }
  return result;
}

const CompletedCommand& named(const std::vector<CompletedCommand>& commands,
                              const std::string& path) {
  return *std::ranges::find(commands, path, &CompletedCommand::path);
}

// One that has others behind it.
std::string group_function(const CompletedCommand& command,
                           const std::vector<CompletedCommand>& all) {
  std::string described, cases;
  for (const std::string& path : command.commands) {
    const std::string name = last_word(path);
    described +=
        "\n    " + single_quoted(fmt::format("{}:{}", name, escaped(named(all, path).summary)));
    cases += fmt::format("        {}) {} ;;\n", name, function_of(path));
  }
  return fmt::format(
      "{}() {{\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n"
      "  local -a commands=({})\n"
      "  _arguments -C -s{} \\\n    '1: :->command' '*:: :->behind'\n"
      "  case $state in\n    command) _describe command commands ;;\n"
      "    behind)\n      case $line[1] in\n{}      esac\n      ;;\n  esac\n}}\n\n",
      function_of(command.path), described, specifications(command), cases);
}

std::string leaf_function(const CompletedCommand& command) {
  return fmt::format("{}() {{\n  _arguments -s{}\n}}\n\n", function_of(command.path),
                     specifications(command));
}

}  // namespace

std::string zsh_script(const std::vector<CompletedCommand>& commands) {
  std::string text = zsh_helpers;
  for (const CompletedCommand& command : commands) {
    text += command.commands.empty() ? leaf_function(command) : group_function(command, commands);
  }
  text.pop_back();
  return text + footer;
}

}  // namespace gemm_tutor::cli
