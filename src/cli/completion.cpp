#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cli/command.hpp"
#include "cli/embedded_texts.hpp"
#include "cli/help.hpp"
#include "course/course_directory.hpp"
#include "course/glossary.hpp"
#include "exercise/exercise.hpp"
#include "model/gpu_spec.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

// "folders:" and "files:.cu" are for the shell: it knows which files there are.
struct Candidate {
  std::string word;
  std::string summary = {};
  bool names_files = false;
};

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (!std::ranges::count(words, word)) words.push_back(word);
}

std::vector<std::string> lesson_words() {
  std::vector<std::string> words;
  for (const Lesson& lesson : lessons()) {
    words.push_back(lesson.key());
    add_once(words, lesson.slug);
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

// What a name in capitals may be.
std::vector<std::string> words_named(const std::string& name) {
  if (name == "L") return lesson_words();
  if (name == "E" || name == "E[,E]") return exercise_words();
  if (name == "GPU" || name == "GPU[,GPU]") return gpu_words();
  if (name == "KERNEL") return kernel_words();
  if (name == "NAME=VALUE") return setting_words();
  if (name == "WORD") return glossary_words();
  return {};
}

bool is_choice(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

// Of a value, by what the help shows: "auto|gpu|emulator", "L|FILE.cu".
std::vector<Candidate> candidates_for(const std::string& shown) {
  std::vector<Candidate> candidates;
  for (const std::string& part : split(shown, '|')) {
    if (is_choice(part)) candidates.push_back({part});
    if (part == "DIR") candidates.push_back({.word = "folders:", .names_files = true});
    if (part.starts_with("FILE.")) {
      const std::string ending = part.substr(part.find('.'));
      candidates.push_back({.word = "files:" + ending, .names_files = true});
    }
    for (const std::string& word : words_named(part)) candidates.push_back({word});
  }
  return candidates;
}

// A description up to where it says more.
std::string summary_of(const std::string& description) {
  std::size_t end = description.size();
  for (const char* more : {";", ": ", " (", ", as in", ", such as"}) {
    end = std::min(end, description.find(more));
  }
  return description.substr(0, end);
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  const auto commands = visible_commands(app);
  const auto found = std::ranges::find(commands, name, [](auto* c) { return c->get_name(); });
  return found == commands.end() ? nullptr : *found;
}

// Bash takes "--size=64" for three words, of which the last may be missing.
std::vector<std::string> joined_at_equals(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const bool goes_on = word == "=" || (!joined.empty() && joined.back().ends_with('='));
    if (goes_on && !joined.empty()) {
      joined.back() += word;
    } else {
      joined.push_back(word);
    }
  }
  return joined;
}

// What the words before the last one say.
struct Place {
  const CLI::App* command = nullptr;
  const CLI::Option* option = nullptr;  // whose value comes next; null for none
  std::string course = {};              // the folder that --course names
};

Place place_after(const CLI::App& program, const std::vector<std::string>& words) {
  Place place{.command = &program};
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (place.option) {
      if (place.option->check_lname("course")) place.course = word;
      place.option = nullptr;
    } else if (const CLI::App* command = command_named(*place.command, word)) {
      place.command = command;
    } else if (word.starts_with('-') && name == word) {
      const CLI::Option* option = place.command->get_option_no_throw(name);
      if (option && takes_value(*option)) place.option = option;
    } else if (name == "--course") {
      place.course = word.substr(name.size() + 1);
    }
  }
  return place;
}

std::vector<Candidate> options_of(const CLI::App& command) {
  std::vector<Candidate> candidates;
  for (const auto& [group, options] : option_groups(command)) {
    for (const CLI::Option* option : options) {
      const std::string summary = summary_of(option->get_description());
      for (const auto& name : option->get_snames()) candidates.push_back({"-" + name, summary});
      for (const auto& name : option->get_lnames()) candidates.push_back({"--" + name, summary});
    }
  }
  return candidates;
}

std::vector<Candidate> arguments_and_commands_of(const CLI::App& command) {
  std::vector<Candidate> candidates;
  for (const CLI::App* inner : visible_commands(command)) {
    candidates.push_back({inner->get_name(), inner->get_description()});
  }
  for (const CLI::Option* argument : arguments_of(command)) {
    const auto values = candidates_for(argument->get_name());
    candidates.insert(candidates.end(), values.begin(), values.end());
  }
  return candidates;
}

// Of "--size=64" the value is completed, after `prefix`, "--size=".
std::vector<Candidate> values_of(const CLI::App& command, const std::string& prefix) {
  const CLI::Option* option = command.get_option_no_throw(prefix.substr(0, prefix.size() - 1));
  if (!option) return {};
  std::vector<Candidate> candidates = candidates_for(option->get_type_name());
  for (Candidate& candidate : candidates) {
    if (!candidate.names_files) candidate.word.insert(0, prefix);
  }
  return candidates;
}

std::vector<Candidate> candidates_at(const Place& place, const std::string& word) {
  if (place.option) return candidates_for(place.option->get_type_name());
  if (!word.starts_with('-')) return arguments_and_commands_of(*place.command);
  const std::size_t equals = word.find('=');
  return equals == word.npos ? options_of(*place.command)
                             : values_of(*place.command, word.substr(0, equals + 1));
}

// A course that cannot be read is ignored, because completion must not print errors.
void load_course_of(const Place& place) try {
  const char* usual = std::getenv("GEMM_TUTOR_COURSE");
  const std::string directory = !place.course.empty() || !usual ? place.course : usual;
  if (!directory.empty()) load_course(directory);
} catch (const Error&) {
}

struct CompletionOptions {
  std::string shell;

  void add_to(CLI::App& app) { add_argument(app, "bash|zsh|fish", shell, "the shell"); }
};

Outcome script_for(const CompletionOptions& options, const GeneralOptions&) {
  if (options.shell.empty()) {
    throw Error(ExitStatus::usage, "completion: for which shell?",
                "Give bash, zsh or fish, as in 'gemm-tutor completion bash'.");
  }
  return {choice<const char*>(
      "completion", options.shell,
      {{"bash", completion_bash()}, {"zsh", completion_zsh()}, {"fish", completion_fish()}})};
}

}  // namespace

std::string completions(const CLI::App& program, const std::vector<std::string>& typed) {
  std::vector<std::string> words = joined_at_equals(typed);
  const std::string word = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  // What bash leaves of the word.
  const bool is_cut = !typed.empty() && typed.back().size() < word.size();
  const std::size_t cut = is_cut ? word.find('=') + 1 : 0;

  const Place place = place_after(program, words);
  load_course_of(place);
  std::string lines;
  for (const Candidate& candidate : candidates_at(place, word)) {
    if (candidate.names_files) {
      lines += candidate.word + "\t\n";
    } else if (candidate.word.starts_with(word) && candidate.word.size() > cut) {
      lines += fmt::format("{}\t{}\n", candidate.word.substr(cut), candidate.summary);
    }
  }
  return lines;
}

Command add_completion(CLI::App& program) {
  return add_command(
      program, "completion", "A script with which your shell completes these commands", script_for,
      {.about = "Prints a script with which the shell completes commands, options, lessons, "
                "exercises, words and files when you press the Tab key. An installed program "
                "includes these scripts, and needs no such command.",
       .examples = {{"source <(gemm-tutor completion bash)",
                     "for this bash; as a line of ~/.bashrc, for each"},
                    {"gemm-tutor completion zsh > _gemm-tutor",
                     "for zsh: move the file to a folder of its fpath"},
                    {"gemm-tutor completion fish > gemm-tutor.fish",
                     "for fish: move it to ~/.config/fish/completions"}}});
}

}  // namespace gemm_tutor::cli
