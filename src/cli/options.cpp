#include "cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <limits>
#include <utility>

#include "cli/help.hpp"
#include "course/course_directory.hpp"
#include "run/target.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

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
  app.add_option("--color", name, "colour; auto: on a terminal (default: auto)")
      ->type_name("auto|always|never")
      ->group(general_group);
}

ColorChoice ColorOption::choice() const {
  return cli::choice<ColorChoice>("--color", name,
                                  {{"auto", ColorChoice::automatic},
                                   {"always", ColorChoice::always},
                                   {"never", ColorChoice::never}});
}

Terminal ColorOption::terminal() const { return detect_terminal(STDOUT_FILENO, choice()); }

void CourseOption::add_to(CLI::App& app) {
  app.add_option("--course", directory,
                 "a folder of further lessons (default: $GEMM_TUTOR_COURSE, or none)")
      ->type_name("DIR")
      ->group(general_group)
      ->envname("GEMM_TUTOR_COURSE");
}

void CourseOption::load() const {
  if (!directory.empty()) load_course(directory);
}

void FormatOption::add_to(CLI::App& app) {
  app.add_option("--format", name, "of what is printed (default: text)")
      ->type_name("text|json")
      ->group(general_group);
}

Format FormatOption::format() const {
  return choice<Format>("--format", name, {{"text", Format::text}, {"json", Format::json}});
}

void SizeOptions::add_to(CLI::App& app) {
  const auto add = [&](const char* option, std::optional<std::string>& value, const char* type,
                       std::string_view what) {
    app.add_option(option, value, fmt::format("{} (default: {})", what, fallback_text))
        ->type_name(type)
        ->group(size_group);
  };
  add("--size", size, "S", "M = N = K = S, in elements; not with --m, --n or --k");
  add("--m", m, "M", "rows of A and C");
  add("--n", n, "N", "columns of B and C");
  add("--k", k, "K", "columns of A, rows of B");
}

Problem SizeOptions::problem(const Problem& otherwise) const {
  if (!size)
    return {size_value("--m", m, otherwise.m), size_value("--n", n, otherwise.n),
            size_value("--k", k, otherwise.k)};
  for (const auto& [name, value] : {std::pair{"--m", m}, {"--n", n}, {"--k", k}}) {
    if (!value) continue;
    throw usage(fmt::format("--size {} and {} {} cannot go together", *size, name, *value),
                "Give --size for square matrices, or --m, --n and --k for others.");
  }
  const int side = size_value("--size", size, default_size);
  return {side, side, side};
}

void SettingOptions::add_to(CLI::App& app) {
  app.add_option("--set", assignments,
                 "a template parameter of the kernel, as in --set BM=16; may be given for each "
                 "(default: the lesson's values, or those that 'tune' found)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

Settings SettingOptions::settings(const Kernel& kernel, const RunOptions& run) const {
  Settings settings = effective_settings(kernel, run);
  for (const std::string& assignment : assignments) apply_setting(settings, assignment);
  return settings;
}

void RunSettings::add_to(CLI::App& app) {
  app.add_option("--backend", backend_name,
                 "where the kernel runs; auto: on the GPU if there is one (default: auto)")
      ->type_name("auto|gpu|emulator")
      ->group(run_group);
  app.add_option("--blocks", blocks,
                 "blocks to emulate: all, or COUNT but at least one of each kind: inside, right "
                 "edge, bottom edge, corner (default: about two seconds' worth)")
      ->type_name("all|COUNT")
      ->group(run_group);
  add_emulation_to(app);
}

void RunSettings::add_emulation_to(CLI::App& app) {
  app.add_option(
         "--gpu", gpu,
         "the GPU whose limits the emulator assumes, such as a100 (default: this machine's, "
         "else h200)")
      ->type_name("GPU")
      ->group(run_group);
  app.add_option("--seed", seed, "of the random numbers in A and B (default: 1)")
      ->type_name("SEED")
      ->group(run_group);
  app.add_flag("--no-check", no_check,
               "look for no races, values never written or barriers that some threads miss")
      ->disable_flag_override()
      ->group(run_group);
  app.add_option("--max-instructions", max_instructions,
                 "instructions of a warp after which a loop is taken to be endless (default: by "
                 "the size of the problem)")
      ->type_name("COUNT")
      ->group(run_group);
}

RunOptions RunSettings::run_options(const Problem& problem) const {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  RunOptions options;
  options.problem = problem;
  options.seed = static_cast<std::uint64_t>(whole_number("--seed", seed, 0, most));
  options.backend = choice<std::optional<Backend>>(
      "--backend", backend_name,
      {{"auto", std::nullopt}, {"gpu", Backend::gpu}, {"emulator", Backend::emulator}});
  if (gpu) options.gpu = find_gpu(*gpu).name;
  if (blocks == "all") {
    options.blocks = AllBlocks{};
  } else if (blocks) {
    options.blocks = whole_number("--blocks", *blocks, 1, most);
  }
  options.check = !no_check;
  if (max_instructions)
    options.max_instructions = whole_number("--max-instructions", *max_instructions, 1, most);
  return options;
}

}  // namespace gemm_tutor::cli
