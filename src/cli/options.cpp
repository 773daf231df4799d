#include "cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>
#include <utility>

#include "classroom/marks.hpp"
#include "course/lesson_folder.hpp"
#include "gemm/problem.hpp"
#include "run/target.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

constexpr std::int64_t largest_number = std::numeric_limits<std::int64_t>::max();

std::uint64_t seed_in(const std::string& text) {
  return static_cast<std::uint64_t>(whole_number("--seed", text, 0, largest_number));
}

Error usage(const std::string& message, std::string help) {
  return {ExitStatus::usage, message, std::move(help)};
}

int size_value(std::string_view option, const std::optional<std::string>& value, int fallback) {
  return value ? static_cast<int>(whole_number(option, *value, 1, largest_int)) : fallback;
}

template <class Value>
constexpr bool is_list = std::is_same_v<Value, std::vector<std::string>>;

}  // namespace

CLI::App& add_command(CLI::App& parent, const char* name, const char* summary) {
  return *parent.add_subcommand(name, summary);
}

CLI::App& add_hidden_command(CLI::App& parent, const char* name) {
  return *parent.add_subcommand(name)->group("");
}

void expect_command(CLI::App& app) {
  app.require_subcommand(0, 1);
  app.allow_extras();  // for an error that names the nearest
}

template <class Value>
void add_option(CLI::App& app, const char* name, Value& value, const char* shown,
                const std::string& summary, const char* group, const char* variable) {
  CLI::Option* option = app.add_option(name, value, summary)->type_name(shown)->group(group);
  if (is_list<Value>) option->allow_extra_args(false);  // one each time
  if (variable) option->envname(variable);
}

void add_flag(CLI::App& app, const char* name, bool& value, const char* summary,
              const char* group) {
  app.add_flag(name, value, summary)->disable_flag_override()->group(group);
}

void add_flag_with_value(CLI::App& app, const char* name, std::string& value, const char* alone,
                         const char* shown, const char* summary) {
  const std::string with_default = fmt::format("{}{{{}}}", name, alone);
  app.add_flag(with_default, value, summary)->type_name(shown)->group(own_group);
}

template <class Value>
void add_argument(CLI::App& app, const char* name, Value& value, const char* summary) {
  app.add_option(name, value, summary)->type_name("");
}

template void add_option(CLI::App&, const char*, std::string&, const char*, const std::string&,
                         const char*, const char*);
template void add_option(CLI::App&, const char*, std::optional<std::string>&, const char*,
                         const std::string&, const char*, const char*);
template void add_option(CLI::App&, const char*, std::vector<std::string>&, const char*,
                         const std::string&, const char*, const char*);
template void add_argument(CLI::App&, const char*, std::string&, const char*);
template void add_argument(CLI::App&, const char*, std::optional<std::string>&, const char*);
template void add_argument(CLI::App&, const char*, std::vector<std::string>&, const char*);

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
  add_option(app, "--color", name, "auto|always|never",
             "colour; auto: on a terminal (default: auto)", general_group);
}

ColorChoice ColorOption::choice() const {
  return cli::choice<ColorChoice>("--color", name,
                                  {{"auto", ColorChoice::automatic},
                                   {"always", ColorChoice::always},
                                   {"never", ColorChoice::never}});
}

Terminal ColorOption::terminal() const { return detect_terminal(STDOUT_FILENO, choice()); }

void CourseOption::add_to(CLI::App& app) {
  add_option(app, "--course", directory, "DIR",
             "a folder with more lessons (default: $GEMM_TUTOR_COURSE, or none)", general_group,
             "GEMM_TUTOR_COURSE");
}

void CourseOption::load() const {
  if (!directory.empty()) load_course(directory);
}

void GeneralOptions::add_to(CLI::App& app) {
  color.add_to(app);
  course.add_to(app);
  add_flag(app, "--no-pager", no_pager, "a report longer than the terminal is not paged",
           general_group);
}

void MachineOption::add_to(CLI::App& app) {
  add_flag_with_value(app, "--machine", value, "hot", "all",
                      "the machine code below each line of the source: of the hot loop, with =all "
                      "of all loops (default: none)");
}

std::optional<MachineDetail> MachineOption::detail() const {
  if (value.empty()) return {};
  return choice<MachineDetail>("--machine", value,
                               {{"all", MachineDetail::all}, {"hot", MachineDetail::hot_loop}});
}

void FormatOption::add_to(CLI::App& app) {
  add_option(app, "--format", name, for_autograders ? "text|json|gradescope|junit" : "text|json",
             "the format of the output (default: text)");
}

Format FormatOption::format() const {
  std::vector<std::pair<std::string, Format>> formats = {{"text", Format::text},
                                                         {"json", Format::json}};
  if (for_autograders) {
    formats.insert(formats.end(), {{"gradescope", Format::gradescope}, {"junit", Format::junit}});
  }
  return choice<Format>("--format", name, formats);
}

std::vector<const Exercise*> exercises_in(const std::string& list) {
  std::vector<const Exercise*> result;
  for (const std::string& part : split(list, ',')) {
    const Exercise* exercise = &find_exercise(trimmed(part));
    if (!std::ranges::count(result, exercise)) result.push_back(exercise);
  }
  return result;
}

void SeedOption::add_to(CLI::App& app, const std::string& otherwise) {
  add_option(app, "--seed", text, "SEED",
             "of the random numbers in A and B, and of the sizes that are checked beside the "
             "exercise's own (default: " +
                 otherwise + ")");
}

std::optional<std::uint64_t> SeedOption::seed() const {
  if (!text) return {};
  return seed_in(*text);
}

void HideOption::add_to(CLI::App& app) {
  add_option(app, "--hide", list, "PART[,PART]",
             "what students do not see of an autograder's results: compile, published, hidden, "
             "safety, traffic (default: nothing)");
}

std::set<std::string> HideOption::parts() const {
  std::vector<std::pair<std::string, std::string>> known;
  for (const char* name : part_names) known.emplace_back(name, name);
  std::set<std::string> result;
  if (!list) return result;
  for (const std::string& part : split(*list, ',')) {
    result.insert(choice<std::string>("--hide", std::string(trimmed(part)), known));
  }
  return result;
}

void SizeOptions::add_to(CLI::App& app) {
  const auto add = [&](const char* option, std::optional<std::string>& value, const char* type,
                       std::string_view what) {
    add_option(app, option, value, type, fmt::format("{} (default: {})", what, fallback_text),
               size_group);
  };
  add("--size", size, "S", "M = N = K = S, or MxNxK, in elements; not with --m, --n or --k");
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
  return size_in(*size);
}

Problem size_in(const std::string& text, std::int64_t most, std::string_view name) {
  const auto extents = extents_in(text);
  if (!extents) {
    throw usage(fmt::format("{} '{}': neither one number nor three", name, text),
                "Give M = N = K as in 2048, or M, N and K as in 3000x5000x700.");
  }
  const bool is_one = extents->front() == text;
  const std::string option = is_one ? std::string(name) : fmt::format("{} {}:", name, text);
  const auto extent = [&](const std::string& word) {
    return static_cast<int>(whole_number(option, word, 1, most));
  };
  return {extent((*extents)[0]), extent((*extents)[1]), extent((*extents)[2])};
}

void SettingOptions::add_to(CLI::App& app) {
  add_option(app, "--set", assignments, "NAME=VALUE",
             "a template parameter of the kernel, as in --set BM=16; once for each parameter "
             "(default: the lesson's values, or those that 'tune' found)");
}

Settings SettingOptions::settings(const Kernel& kernel, const RunOptions& run) const {
  Settings settings = effective_settings(kernel, run);
  for (const std::string& assignment : assignments) apply_setting(settings, assignment);
  return settings;
}

void RunSettings::add_to(CLI::App& app) {
  add_option(app, "--backend", backend_name, "auto|gpu|emulator",
             "where the kernel runs; auto: on the GPU if there is one (default: auto)", run_group);
  add_option(app, "--blocks", blocks, "all|COUNT",
             "blocks to emulate: all, or COUNT but at least one of each kind: inside, right "
             "edge, bottom edge, corner (default: $GEMM_TUTOR_BLOCKS, or about two seconds' worth)",
             run_group, "GEMM_TUTOR_BLOCKS");
  add_emulation_to(app);
}

void RunSettings::add_emulation_to(CLI::App& app) {
  const std::string which =
      "the GPU whose limits the emulator assumes, such as a100, or a file of your own";
  add_option(
      app, "--gpu", gpu, takes_several_gpus ? "GPU[,GPU]" : "GPU",
      which +
          (takes_several_gpus ? "; of several the first, and the others' estimated times" : "") +
          " (default: this machine's, else h200)",
      run_group);
  add_option(app, "--seed", seed, "SEED", "of the random numbers in A and B (default: 1)",
             run_group);
  add_flag(app, "--no-check", no_check,
           "do not look for races, values never written or barriers that some threads miss",
           run_group);
  add_option(app, "--max-instructions", max_instructions, "COUNT",
             "instructions of a warp after which a loop counts as endless (default: by "
             "the size of the problem)",
             run_group);
}

std::vector<std::string> RunSettings::gpus() const {
  std::vector<std::string> names;
  if (!gpu) return names;
  const std::vector<std::string> parts = split(*gpu, ',');
  if (parts.size() > 1 && !takes_several_gpus) {
    throw usage(fmt::format("--gpu '{}' names several GPUs, and only one can be used here", *gpu),
                fmt::format("Give one, as in --gpu {}; 'lesson' and 'run' take several.",
                            simt::find_gpu(parts.front()).name));
  }
  for (const std::string& part : parts) {
    const std::string& name = simt::find_gpu(part).name;
    if (!std::ranges::count(names, name)) names.push_back(name);
  }
  return names;
}

RunOptions RunSettings::run_options(const Problem& problem) const {
  RunOptions options;
  options.problem = problem;
  options.seed = seed_in(seed);
  options.backend = choice<std::optional<Backend>>(
      "--backend", backend_name,
      {{"auto", std::nullopt}, {"gpu", Backend::gpu}, {"emulator", Backend::emulator}});
  if (gpu) options.gpu = gpus().front();
  if (blocks == "all") {
    options.blocks = AllBlocks{};
  } else if (blocks) {
    options.blocks = whole_number("--blocks", *blocks, 1, largest_number);
  }
  options.check = !no_check;
  if (max_instructions)
    options.max_instructions =
        whole_number("--max-instructions", *max_instructions, 1, largest_number);
  return options;
}

}  // namespace gemm_tutor::cli
