// The options that commands share, and how their values are read: strictly, and with an error
// (usage) that names the option and the value.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "course/kernel_run.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "view/style.hpp"

namespace gemm_tutor::cli {

inline constexpr std::int64_t largest_int = std::numeric_limits<int>::max();
inline constexpr int most_seconds = 86'400;  // a day, of whatever may take some

// "12" for --blocks; digits alone, so neither "1e3" nor "12 " nor "0x10".
std::int64_t whole_number(std::string_view option, std::string_view value, std::int64_t least,
                          std::int64_t most);

// What `value` stands for; the error names the words there are, and one that is near.
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

// --color, which the program and each of its commands take.
struct ColorOption {
  std::string name = "auto";

  void add_to(CLI::App& app);
  ColorChoice choice() const;
  Terminal terminal() const;  // of standard output
};

// --course, or GEMM_TUTOR_COURSE: lessons of a teacher's own, beside the program's. Every command
// takes it.
struct CourseOption {
  std::string directory;

  void add_to(CLI::App& app);
  void load() const;  // throws what load_course() throws
};

enum class Format { text, json };

struct FormatOption {
  std::string name = "text";

  void add_to(CLI::App& app);
  Format format() const;
};

// --size, or --m, --n and --k: each `fallback` where it is not given.
struct SizeOptions {
  std::optional<std::string> size = {}, m = {}, n = {}, k = {};
  int fallback = default_size;
  std::string fallback_text = std::to_string(fallback);  // in the help

  void add_to(CLI::App& app);
  bool is_given() const { return size || m || n || k; }
  Problem problem() const { return problem({fallback, fallback, fallback}); }
  Problem problem(const Problem& otherwise) const;
};

// --set: a kernel's template parameters.
struct SettingOptions {
  std::vector<std::string> assignments;

  void add_to(CLI::App& app);
  // Those of the kernel for that machine and size, with --set's values.
  Settings settings(const Kernel& kernel, const RunOptions& run) const;
};

// --backend, --gpu, --blocks, --seed, --no-check and --max-instructions: how a kernel is run.
struct RunSettings {
  std::string backend_name = "auto", seed = "1";
  std::optional<std::string> gpu, blocks, max_instructions;
  bool no_check = false;

  void add_to(CLI::App& app);
  void add_emulation_to(CLI::App& app);  // all but --backend and --blocks
  RunOptions run_options(const Problem& problem) const;
};

}  // namespace gemm_tutor::cli
