// For fish: a line for each thing that can be completed.
#include <fmt/format.h>

#include <algorithm>

#include "cli/completion.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

// {0}: options with a value; {1}: commands, as words of fish.
constexpr const char* fish_helpers = R"(# fish completion for gemm-tutor

# Whether the command typed so far is the one of the arguments.
function __gemm_tutor_at
    set -l command
    set -l is_value no
    for word in (commandline -opc)[2..-1]
        if test $is_value = yes
            set is_value no
        else if contains -- $word {0}
            set is_value yes
        else if contains -- "$command $word" {1}
            set command (string trim "$command $word")
        end
    end
    test "$command" = "$argv"
end

complete -c gemm-tutor -f
)";

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    if (character == '\'' || character == '\\') result += '\\';
    result += character;
  }
  return result + "'";
}

std::string candidate_part(const Candidates& candidates) {
  std::string list = join(candidates.words, " ");
  const auto add = [&](const std::string& call) { list += (list.empty() ? "" : " ") + call; };
  if (candidates.folders) add("(__fish_complete_directories)");
  if (!candidates.ending.empty())
    add(fmt::format("(__fish_complete_suffix {})", candidates.ending));
  return list.empty() ? "" : " -a " + fish_quoted(list);
}

std::string start_of_line(const CompletedCommand& command) {
  return "complete -c gemm-tutor -n " +
         fish_quoted(command.path.empty() ? "__gemm_tutor_at" : "__gemm_tutor_at " + command.path);
}

std::string option_line(const CompletedCommand& command, const CompletedOption& option) {
  std::string line = start_of_line(command);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value.empty()) line += " -x" + candidate_part(option.candidates);
  return line + " -d " + fish_quoted(option.summary) + "\n";
}

std::string lines_of(const CompletedCommand& command, const std::vector<CompletedCommand>& all) {
  std::string lines = "\n";
  for (const std::string& path : command.commands) {
    const auto behind = std::ranges::find(all, path, &CompletedCommand::path);
    lines += fmt::format("{} -a {} -d {}\n", start_of_line(command), last_word(path),
                         fish_quoted(behind->summary));
  }
  for (const CompletedOption& option : command.options) lines += option_line(command, option);
  if (!command.candidates.empty()) {
    lines += start_of_line(command) + candidate_part(command.candidates) + "\n";
  }
  return lines;
}

}  // namespace

std::string fish_script(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> with_value, paths;
  for (const CompletedCommand& command : commands) {
    if (!command.path.empty()) {
      const bool is_behind = command.path.find(' ') != command.path.npos;
      paths.push_back(fish_quoted(is_behind ? command.path : " " + command.path));
    }
    for (const CompletedOption& option : command.options) {
      const std::string& name = option.names.back();
      if (!option.value.empty() && !std::ranges::count(with_value, name))
        with_value.push_back(name);
    }
  }
  std::string text =
      fmt::format(fmt::runtime(fish_helpers), join(with_value, " "), join(paths, " "));
  for (const CompletedCommand& command : commands) text += lines_of(command, commands);
  return text;
}

}  // namespace gemm_tutor::cli
