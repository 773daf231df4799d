#include "cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <limits>
#include <utility>

#include "course/course_directory.hpp"
#include "course/target.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

Error usage(const std::string& message, std::string help) {
  return {ExitStatus::usage, message, std::move(help)};
}

int size_value(std::string_view option, const std::optional<std::string>& value, int fallback) {
  return value ? static_cast<int>(whole_number(option, *value, 1, largest_int)) : fallback;
}

}  // namespace

std::int64_t whole_number(std::string_view option, std::string_view value, std::int64_t least,
                          std::int64_t most) {
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const std::string help =
      fmt::format("Give a whole number from {} to {}, in digits.", least, most);
  if (error == std::errc::invalid_argument || stop != end) {
    throw usage(fmt::format("{} '{}' is not a whole number", option, value), help);
  }
  const bool overflows = error == std::errc::result_out_of_range;
  if (overflows || number < least || number > most) {
    const bool is_small = overflows ? value.starts_with('-') : number < least;
    throw usage(fmt::format("{} {} is too {}", option, value, is_small ? "small" : "large"), help);
  }
  return number;
}

void ColorOption::add_to(CLI::App& app) {
  app.add_option("--color", name, "auto, always or never (default: auto)")->type_name("WHEN");
}

ColorChoice ColorOption::choice() const {
  return cli::choice<ColorChoice>("--color", name,
                                  {{"auto", ColorChoice::automatic},
                                   {"always", ColorChoice::always},
                                   {"never", ColorChoice::never}});
}

Terminal ColorOption::terminal() const { return detect_terminal(STDOUT_FILENO, choice()); }

void CourseOption::add_to(CLI::App& app) {
  app.add_option("--course", directory, "a folder of further lessons")
      ->type_name("DIR")
      ->envname("GEMM_TUTOR_COURSE");
}

void CourseOption::load() const {
  if (!directory.empty()) load_course(directory);
}

void FormatOption::add_to(CLI::App& app) {
  app.add_option("--format", name, "text or json (default: text)")->type_name("FORMAT");
}

Format FormatOption::format() const {
  return choice<Format>("--format", name, {{"text", Format::text}, {"json", Format::json}});
}

void SizeOptions::add_to(CLI::App& app) {
  app.add_option("--size", size, "M = N = K = S; not with --m, --n or --k")->type_name("S");
  const auto with_default = [this](std::string_view what) {
    return fmt::format("{} (default: {})", what, fallback);
  };
  app.add_option("--m", m, with_default("rows of A and C"))->type_name("M");
  app.add_option("--n", n, with_default("columns of B and C"))->type_name("N");
  app.add_option("--k", k, with_default("columns of A, rows of B"))->type_name("K");
}

Problem SizeOptions::problem() const {
  if (!size)
    return {size_value("--m", m, fallback), size_value("--n", n, fallback),
            size_value("--k", k, fallback)};
  for (const auto& [name, value] : {std::pair{"--m", m}, {"--n", n}, {"--k", k}}) {
    if (!value) continue;
    throw usage(fmt::format("--size {} and {} {} cannot go together", *size, name, *value),
                "Give --size for square matrices, or --m, --n and --k for others.");
  }
  const int side = size_value("--size", size, fallback);
  return {side, side, side};
}

void SettingOptions::add_to(CLI::App& app) {
  app.add_option("--set", assignments, "a template parameter: --set BM=16; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

Settings SettingOptions::settings(const Kernel& kernel, const RunOptions& run) const {
  Settings settings = default_settings(kernel, run);
  for (const std::string& assignment : assignments) apply_setting(settings, assignment);
  return settings;
}

void RunSettings::add_to(CLI::App& app) {
  app.add_option("--backend", backend_name,
                 "auto, gpu or emulator; auto takes the GPU\nif there is one")
      ->type_name("WHERE");
  app.add_option("--blocks", blocks,
                 "blocks to emulate: all, or COUNT but at least one\nof each kind: inside, right "
                 "edge, bottom "
                 "edge,\ncorner (default: about two seconds' worth)")
      ->type_name("COUNT");
  add_emulation_to(app);
}

void RunSettings::add_emulation_to(CLI::App& app) {
  app.add_option("--gpu", gpu, "whose limits the emulator assumes, such as h200")
      ->type_name("NAME");
  app.add_option("--seed", seed, "of the random matrices (default: 1)")->type_name("SEED");
  app.add_flag("--no-check", no_check,
               "look for no races, values never written or\nbarriers that some threads miss")
      ->disable_flag_override();
  app.add_option("--max-instructions", max_instructions,
                 "of a warp, after which a loop is taken to be\nendless (default: by the size of "
                 "the problem)")
      ->type_name("COUNT");
}

RunOptions RunSettings::run_options(const Problem& problem) const {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  RunOptions options;
  options.problem = problem;
  options.seed = static_cast<std::uint64_t>(whole_number("--seed", seed, 0, most));
  options.backend = choice<Backend>(
      "--backend", backend_name,
      {{"auto", Backend::automatic}, {"gpu", Backend::gpu}, {"emulator", Backend::emulator}});
  if (gpu) options.gpu = find_gpu(*gpu).name;
  if (blocks)
    options.blocks = *blocks == "all" ? all_blocks : whole_number("--blocks", *blocks, 1, most);
  options.check = !no_check;
  if (max_instructions)
    options.max_instructions = whole_number("--max-instructions", *max_instructions, 1, most);
  return options;
}

}  // namespace gemm_tutor::cli
