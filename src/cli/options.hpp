// Adds options to commands, defines the options that commands share, and parses values strictly. An
// Error (usage) names the option and the value.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "course/lesson_run.hpp"
#include "exercise/exercise.hpp"
#include "report/machine_section.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "view/style.hpp"

namespace CLI {
class App;
}

namespace gemm_tutor::cli {

// The groups of options in the help.
inline constexpr const char* own_group = "Options";  // CLI11's; always the first
inline constexpr const char* launch_group = "Launch of a file's kernel";
inline constexpr const char* size_group = "Size";
inline constexpr const char* run_group = "How it runs";
inline constexpr const char* general_group = "General";  // always the last

CLI::App& add_command(CLI::App& parent, const char* name, const char* summary);
CLI::App& add_hidden_command(CLI::App& parent, const char* name);
// Allows one of the command's subcommands.
void expect_command(CLI::App& app);

// `Value` is a std::string, an optional string, or a vector of strings. A vector is for an option
// that may be repeated, or an argument of several words. `shown` is the value's name in the help:
// "FILE.csv". `variable` is an environment variable that has the value if the option is not given.
template <class Value>
void add_option(CLI::App& app, const char* name, Value& value, const char* shown,
                const std::string& summary, const char* group = own_group,
                const char* variable = nullptr);
void add_flag(CLI::App& app, const char* name, bool& value, const char* summary,
              const char* group = own_group);
// Adds an option that has the value `alone` if it is given without a value. `shown` is the name of
// NAME=VALUE's value in the help.
void add_flag_with_value(CLI::App& app, const char* name, std::string& value, const char* alone,
                         const char* shown, const char* summary);
// Adds a positional argument. CLI11 accepts that it is missing, because our errors are more
// precise.
template <class Value>
void add_argument(CLI::App& app, const char* name, Value& value, const char* summary);

inline constexpr std::int64_t largest_int = std::numeric_limits<int>::max();
inline constexpr int most_seconds = 86'400;  // a day

// Parses "12". Only digits are accepted, not "1e3", "12 " or "0x10". Throws Error (usage), also if
// the number is out of range.
std::int64_t whole_number(std::string_view option, std::string_view value, std::int64_t least,
                          std::int64_t most);

// Returns the meaning of `value`. Throws Error (usage) with the possible words and a similar one.
template <class Meaning>
Meaning choice(std::string_view option, const std::string& value,
               const std::vector<std::pair<std::string, Meaning>>& meanings) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : meanings) {
    if (word == value) return meaning;
    words.push_back(word);
  }
  const std::string near = near_name(value, words);
  throw Error(ExitStatus::usage,
              fmt::format("{} '{}' is not one of {}", option, value, join(words)),
              near.empty() ? fmt::format("Give one of them, as in {} {}.", option, words.front())
                           : fmt::format("Did you mean {} {}?", option, near));
}

// --color
struct ColorOption {
  std::string name = "auto";

  void add_to(CLI::App& app);
  ColorChoice choice() const;
  Terminal terminal() const;  // of standard output
};

// --course, or GEMM_TUTOR_COURSE: a teacher's lessons, in addition to the program's.
struct CourseOption {
  std::string directory;

  void add_to(CLI::App& app);
  void load() const;  // throws what load_course() throws
};

// Options of the program and all its commands.
struct GeneralOptions {
  ColorOption color;
  CourseOption course;
  bool no_pager = false;

  void add_to(CLI::App& app);
  Terminal terminal() const { return color.terminal(); }
};

// --machine, or --machine=all
struct MachineOption {
  std::string value;  // empty if it is not given

  void add_to(CLI::App& app);
  std::optional<MachineDetail> detail() const;
};

enum class Format { text, json, gradescope, junit };

struct FormatOption {
  std::string name = "text";
  bool for_autograders = false;  // allows gradescope and junit, too

  void add_to(CLI::App& app);
  Format format() const;
};

// Parses the value of --size, M×N×K: "2048", "3000x5000x700" or "3000 5000 700". Errors name the
// option `name`.
Problem size_in(const std::string& text, std::int64_t most = largest_int,
                std::string_view name = "--size");

// --size, or --m, --n and --k, each with the default `fallback`.
struct SizeOptions {
  std::optional<std::string> size = {}, m = {}, n = {}, k = {};
  int fallback = default_size;
  std::string fallback_text = std::to_string(fallback);  // in the help

  void add_to(CLI::App& app);
  bool is_given() const { return size || m || n || k; }
  Problem problem() const { return problem({fallback, fallback, fallback}); }
  Problem problem(const Problem& otherwise) const;
  // `only` is that of a kernel that has one size alone.
  Problem problem_or_only(const std::optional<Problem>& only) const {
    return only && !is_given() ? *only : problem();
  }
};

// "3,7", each once. Throws what find_exercise() throws.
std::vector<const Exercise*> exercises_in(const std::string& list);

// --hide: parts of a mark that students do not see.
struct HideOption {
  std::optional<std::string> list;

  void add_to(CLI::App& app);
  std::set<std::string> parts() const;
};

// --seed of a check or a grading.
struct SeedOption {
  std::optional<std::string> text;

  void add_to(CLI::App& app, const std::string& otherwise);  // what it is if it is not given
  std::optional<std::uint64_t> seed() const;
};

// --set: a kernel's template parameters.
struct SettingOptions {
  std::vector<std::string> assignments;

  void add_to(CLI::App& app);
  // Returns the kernel's settings for that machine and size, with the values of --set.
  Settings settings(const Kernel& kernel, const RunOptions& run) const;
};

// The options of a run: --backend, --gpu, --blocks, --seed, --no-check and --max-instructions.
struct RunSettings {
  std::string backend_name = "auto", seed = "1";
  std::optional<std::string> gpu = std::nullopt, blocks = std::nullopt;
  std::optional<std::string> max_instructions = std::nullopt;
  bool no_check = false;
  bool takes_several_gpus = false;  // allows --gpu a100,h100

  void add_to(CLI::App& app);
  void add_emulation_to(CLI::App& app);  // all except --backend and --blocks
  // Returns the GPUs of --gpu, each once; empty without the option.
  std::vector<std::string> gpus() const;
  RunOptions run_options(const Problem& problem) const;  // for the first GPU
};

}  // namespace gemm_tutor::cli
