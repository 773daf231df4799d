#include "cli/completion.hpp"

#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "course/glossary.hpp"
#include "exercise/exercise.hpp"
#include "model/gpu_spec.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (!std::ranges::count(words, word)) words.push_back(word);
}

std::vector<std::string> lesson_words() {
  std::vector<std::string> words;
  for (const Lesson& lesson : lessons()) {
    words.push_back(std::to_string(lesson.number));
    words.push_back(lesson.slug);
  }
  return words;
}

std::vector<std::string> exercise_words() {
  std::vector<std::string> words;
  for (const Exercise& exercise : exercises()) {
    add_once(words, short_name(exercise));
    add_once(words, exercise.slug);
  }
  return words;
}

std::vector<std::string> gpu_words() {
  std::vector<std::string> words;
  for (const GpuSpec& gpu : known_gpus()) words.push_back(gpu.name);
  return words;
}

std::vector<std::string> kernel_words() {
  std::vector<std::string> words;
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) add_once(words, kernel.name);
  }
  return words;
}

std::vector<std::string> setting_words() {
  std::vector<std::string> words;
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      for (const Setting& setting : kernel.settings) add_once(words, setting.name + "=");
    }
  }
  return words;
}

// "bank-conflict": `explain` takes a hyphen for a blank.
std::vector<std::string> glossary_words() {
  std::vector<std::string> words;
  for (const Term& term : glossary()) {
    std::string word = term.name;
    std::ranges::replace(word, ' ', '-');
    words.push_back(word);
  }
  return words;
}

// A name in capitals stands for one of many.
std::vector<std::string> words_named(const std::string& name) {
  if (name == "L") return lesson_words();
  if (name == "E" || name == "E[,E]") return exercise_words();
  if (name == "GPU") return gpu_words();
  if (name == "KERNEL") return kernel_words();
  if (name == "NAME=VALUE") return setting_words();
  if (name == "WORD") return glossary_words();
  return {};
}

bool is_typed_so(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

// By what the help shows: "auto|gpu|emulator", "L|FILE.cu".
Candidates candidates_for(const std::string& shown) {
  Candidates result;
  for (const std::string& part : split(shown, '|')) {
    if (is_typed_so(part)) result.words.push_back(part);
    if (part.starts_with("FILE.")) result.ending = part.substr(part.find('.'));
    if (part == "DIR") result.folders = true;
    for (const std::string& word : words_named(part)) result.words.push_back(word);
  }
  return result;
}

// A description up to where it says more.
std::string summary_of(const std::string& description) {
  std::size_t end = description.size();
  for (const char* more : {";", ": ", " (", ", as in", ", such as"}) {
    end = std::min(end, description.find(more));
  }
  return description.substr(0, end);
}

bool is_list(const CLI::Option& option) {
  return option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
}

CompletedOption completed(const CLI::Option& option) {
  CompletedOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  result.summary = summary_of(option.get_description());
  if (takes_value(option)) {
    result.value = option.get_type_name();
    result.candidates = candidates_for(result.value);
    result.repeats = is_list(option);
  }
  return result;
}

CompletedCommand completed(const CLI::App& app, const std::string& path) {
  CompletedCommand command;
  command.path = path;
  command.summary = app.get_description();
  for (const auto& [name, options] : option_groups(app)) {
    for (const CLI::Option* option : options) command.options.push_back(completed(*option));
  }
  for (const CLI::Option* argument : arguments_of(app)) {  // at most one
    command.argument = argument->get_name();
    command.candidates = candidates_for(command.argument);
    command.many_arguments = is_list(*argument);
  }
  return command;
}

void add_commands(std::vector<CompletedCommand>& all, const CLI::App& app,
                  const std::string& path) {
  const std::size_t place = all.size();
  all.push_back(completed(app, path));
  for (const CLI::App* behind : visible_commands(app)) {
    const std::string name = path.empty() ? behind->get_name() : path + " " + behind->get_name();
    all[place].commands.push_back(name);
    add_commands(all, *behind, name);
  }
}

using Script = std::string (*)(const std::vector<CompletedCommand>&);

}  // namespace

std::vector<CompletedCommand> completed_commands(const CLI::App& program) {
  std::vector<CompletedCommand> commands;
  add_commands(commands, program, "");
  return commands;
}

std::string last_word(const std::string& path) { return split(path, ' ').back(); }

std::string single_quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    if (character == '\'') {
      result += "'\\''";
    } else {
      result += character;
    }
  }
  return result + "'";
}

Command add_completion(CLI::App& program, ColorOption& color) {
  CLI::App* app =
      program.add_subcommand("completion", "A script that has your shell complete these commands");
  const auto shell = std::make_shared<std::string>();
  app->add_option("bash|zsh|fish", *shell, "the shell")->type_name("");
  color.add_to(*app);
  return {app,
          [&program, shell] {
            if (shell->empty()) {
              throw Error(ExitStatus::usage, "completion: for which shell?",
                          "Give bash, zsh or fish, as in 'gemm-tutor completion bash'.");
            }
            const Script script =
                choice<Script>("completion", *shell,
                               {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}});
            return Outcome{script(completed_commands(program))};
          },
          {.about = "Prints a script by which the shell completes commands, options, lessons, "
                    "exercises, words and files when you press the Tab key. An installed program "
                    "has brought these scripts along, and needs no such command.",
           .examples = {{"source <(gemm-tutor completion bash)",
                         "for this bash; as a line of ~/.bashrc, for each"},
                        {"gemm-tutor completion zsh > _gemm-tutor",
                         "for zsh: move the file to a folder of its fpath"},
                        {"gemm-tutor completion fish > gemm-tutor.fish",
                         "for fish: move it to ~/.config/fish/completions"}}}};
}

}  // namespace gemm_tutor::cli
