// For bash 3.2 (macOS) and later, whether its package of completions is installed or not.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/completion.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

// {0}: options with a value; {1}: commands; {2}: values of options; {3}: what a command takes.
constexpr const char* script = R"(# bash completion for gemm-tutor

# What of $1, words with blanks between, the word goes on as.
_gemm_tutor_words() {{
  COMPREPLY+=($(compgen -W "$1" -- "$word"))
  if [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}}

# Folders, and the files that end in $1 where it is given.
_gemm_tutor_files() {{
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -d -- "$word"))
  if [[ -n $1 ]]; then COMPREPLY+=($(compgen -f -X "!*$1" -- "$word")); fi
}}

_gemm_tutor() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command= i
  # Bash takes --option=value for three words.
  if [[ $word == '=' ]]; then
    word=
  elif [[ $before == '=' ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in
      {0})
        [[ ${{COMP_WORDS[i + 1]}} != '=' ]] || ((++i))
        ((++i))
        continue
        ;;
    esac
    case "$command ${{COMP_WORDS[i]}}" in
      {1})
        command="${{command:+$command }}${{COMP_WORDS[i]}}"
        ;;
    esac
  done

  case "$command:$before" in
{2}  esac
  if [[ ${{COMP_WORDS[COMP_CWORD]}} == '=' ]]; then return; fi

  case $command in
{3}  esac
}}
complete -F _gemm_tutor gemm-tutor
)";

std::vector<std::string> option_names(const std::vector<CompletedCommand>& commands,
                                      bool with_value) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) {
      if (option.value.empty() == with_value) continue;
      for (const std::string& name : option.names) {
        if (!std::ranges::count(names, name)) names.push_back(name);
      }
    }
  }
  return names;
}

std::string command_patterns(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> patterns;
  for (const CompletedCommand& command : commands) {
    if (command.path.empty()) continue;
    const bool is_behind = command.path.find(' ') != command.path.npos;
    patterns.push_back(single_quoted(is_behind ? command.path : " " + command.path));
  }
  return join(patterns, " | ");
}

std::string calls(const Candidates& candidates) {
  std::string result;
  if (!candidates.words.empty()) {
    result +=
        fmt::format("      _gemm_tutor_words {}\n", single_quoted(join(candidates.words, " ")));
  }
  if (candidates.folders || !candidates.ending.empty()) {
    result += fmt::format("      _gemm_tutor_files {}\n", candidates.ending);
  }
  return result;
}

// Options that take the same are one case.
std::string value_cases(const std::vector<CompletedCommand>& commands) {
  std::map<std::string, std::vector<std::string>> patterns;
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) {
      if (option.value.empty()) continue;
      for (const std::string& name : option.names) {
        patterns[calls(option.candidates)].push_back(
            single_quoted(fmt::format("{}:{}", command.path, name)));
      }
    }
  }
  std::string cases;
  for (const auto& [body, names] : patterns) {
    cases += fmt::format("    {})\n{}      return\n      ;;\n", join(names, " | "), body);
  }
  return cases;
}

std::string command_cases(const std::vector<CompletedCommand>& commands) {
  std::string cases;
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> options, behind;
    for (const CompletedOption& option : command.options) {
      for (const std::string& name : option.names) options.push_back(name);
    }
    for (const std::string& path : command.commands) behind.push_back(last_word(path));
    Candidates candidates = command.candidates;
    candidates.words.insert(candidates.words.end(), behind.begin(), behind.end());
    cases += fmt::format(
        "    {})\n      if [[ $word == -* ]]; then\n        _gemm_tutor_words {}\n        return\n"
        "      fi\n{}      ;;\n",
        single_quoted(command.path), single_quoted(join(options, " ")), calls(candidates));
  }
  return cases;
}

}  // namespace

std::string bash_script(const std::vector<CompletedCommand>& commands) {
  return fmt::format(fmt::runtime(script), join(option_names(commands, true), " | "),
                     command_patterns(commands), value_cases(commands), command_cases(commands));
}

}  // namespace gemm_tutor::cli
