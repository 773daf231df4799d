#include "course/tuning_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "simt/gpu_spec.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {

namespace fs = std::filesystem;

namespace {

using OrderedJson = nlohmann::ordered_json;  // settings keep their order

constexpr int format_version = 1;
constexpr std::uintmax_t most_bytes = 1 << 20;  // far more than all GPUs and sizes need

// --- As JSON

OrderedJson json_of(const Settings& settings) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, value] : settings) json[name] = value;
  return json;
}

OrderedJson json_of(const StoredTuning& tuning) {
  const Problem& p = tuning.problem;
  OrderedJson json{{"settings", json_of(tuning.settings)},
                   {"problem", {{"m", p.m}, {"n", p.n}, {"k", p.k}}},
                   {"median_ms", tuning.median_ms}};
  if (tuning.percent_of_cublas) json["percent_of_cublas"] = *tuning.percent_of_cublas;
  json["date"] = tuning.date;
  json["version"] = tuning.version;
  return json;
}

std::string text_of(const Tunings& tunings) {
  OrderedJson json{{"version", format_version}, {"gpus", OrderedJson::object()}};
  for (const auto& [gpu, kernels] : tunings) {
    for (const auto& [kernel, sizes] : kernels) {
      for (const auto& [size, tuning] : sizes) json["gpus"][gpu][kernel][size] = json_of(tuning);
    }
  }
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

// --- From JSON: a missing value or one of another type throws.

int positive(const OrderedJson& json) {
  if (!json.is_number_integer()) throw std::invalid_argument("no whole number");
  const auto number = json.get<std::int64_t>();
  if (number < 1 || number > std::numeric_limits<int>::max()) throw std::out_of_range("no size");
  return static_cast<int>(number);
}

double positive_real(const OrderedJson& json) {
  const double number = json.get<double>();
  if (!std::isfinite(number) || number <= 0) throw std::out_of_range("no time");
  return number;
}

const OrderedJson::object_t& object(const OrderedJson& json) {
  return json.get_ref<const OrderedJson::object_t&>();
}

Settings settings_of(const OrderedJson& json) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : object(json)) settings.push_back({name, positive(value)});
  return Settings(std::move(settings));
}

StoredTuning tuning_of(const OrderedJson& json) {
  const OrderedJson& problem = json.at("problem");
  StoredTuning tuning{
      .settings = settings_of(json.at("settings")),
      .problem = {positive(problem.at("m")), positive(problem.at("n")), positive(problem.at("k"))},
      .median_ms = positive_real(json.at("median_ms")),
      .percent_of_cublas = std::nullopt,
      .date = json.at("date").get<std::string>(),
      .version = json.at("version").get<std::string>()};
  if (json.contains("percent_of_cublas")) {
    tuning.percent_of_cublas = positive_real(json["percent_of_cublas"]);
  }
  return tuning;
}

// Calls `read` for each member of an object, and adds to `skipped` the names of those for which it
// throws.
template <class Read>
void read_each(const OrderedJson& json, const std::string& name, std::vector<std::string>& skipped,
               const Read& read) {
  for (const auto& [key, value] : object(json)) {
    const std::string full_name = name.empty() ? key : name + ", " + key;
    try {
      read(key, value, full_name);
    } catch (const std::exception&) {  // its value has another structure
      skipped.push_back(fmt::format("'{}'", shortened(full_name, 60)));
    }
  }
}

Tunings tunings_of(const OrderedJson& json, std::vector<std::string>& skipped) {
  Tunings tunings;
  read_each(json, "", skipped,
            [&](const auto& gpu, const OrderedJson& kernels, const auto& of_gpu) {
              read_each(kernels, of_gpu, skipped,
                        [&](const auto& kernel, const OrderedJson& sizes, const auto& of) {
                          read_each(sizes, of, skipped,
                                    [&](const auto& size, const OrderedJson& tuning, const auto&) {
                                      tunings[gpu][kernel][size] = tuning_of(tuning);
                                    });
                        });
            });
  return tunings;
}

constexpr std::string_view before_reason = "The stored tuning is ignored: ";

TuningFile unusable(const fs::path& path, std::string_view why, bool damaged) {
  return {.tunings = {},
          .note = fmt::format("{}{} {}.", before_reason, path.string(), why),
          .damaged = damaged,
          .skipped = {}};
}

// Of entries that cannot be read.
std::string words_for(const fs::path& path, std::vector<std::string> skipped) {
  constexpr std::size_t most = 3;
  std::string more;
  if (skipped.size() > most) more = fmt::format(" and {} more", skipped.size() - most);
  skipped.resize(std::min(skipped.size(), most));
  return fmt::format("The stored tuning in {} of {}{} cannot be read and is ignored.",
                     path.string(), join(skipped), more);
}

TuningFile parse(const fs::path& path, const std::string& contents) try {
  const OrderedJson json = OrderedJson::parse(contents);
  const int written_version = positive(json.at("version"));
  if (written_version > format_version) {
    return unusable(path, "was written by a newer gemm-tutor", true);
  }
  TuningFile file;
  std::vector<std::string> skipped;
  file.tunings = tunings_of(json.at("gpus"), skipped);
  if (!skipped.empty()) file.skipped = words_for(path, skipped);
  return file;
} catch (const std::exception&) {  // it is not JSON, or has another structure
  return unusable(path, "is damaged", true);
}

// --- Whether a stored entry can be used

bool has_the_names(const Settings& stored, const Settings& own) {
  const auto name = &Setting::name;
  return std::ranges::is_permutation(stored, own, {}, name, name);
}

// In the kernel's order, which is its template's.
Settings in_order(const Settings& stored, Settings own) {
  for (const auto& [name, value] : stored) own.set(name, value);
  return own;
}

// Returns nothing if the kernel and the GPU accept them, as far as known without compiling;
// otherwise the reason.
std::string refusal(const Kernel& kernel, const Settings& settings, const simt::GpuSpec& gpu,
                    const Problem& problem) try {
  const LaunchShape shape = kernel.shape(settings);
  simt::KernelResources resources;
  resources.static_shared_bytes =
      static_cast<int>(std::min<std::int64_t>(shape.static_shared_floats, 1 << 24) * 4);
  simt::check_launch(gpu, resources, launch_for(shape, problem));
  return "";
} catch (const Error& error) {
  return error.what();
}

StoredChoice ignored(const Kernel& kernel, std::string_view why) {
  return {.tuning = std::nullopt,
          .note = fmt::format("The stored tuning of {} is ignored: {}.", kernel.name, why)};
}

std::string gpus_in(const Tunings& tunings) {
  std::vector<std::string> names;
  for (const auto& [gpu, kernels] : tunings) names.push_back(gpu);
  return join(names);
}

StoredChoice choice_of(const Tunings& tunings, const Kernel& kernel, const simt::GpuSpec& gpu,
                       const Problem& problem) {
  const auto of_gpu = tunings.find(gpu.full_name);
  if (of_gpu == tunings.end()) {
    if (tunings.empty()) return {};
    return ignored(kernel, fmt::format("it is of {}, not of {}", gpus_in(tunings), gpu.full_name));
  }
  const auto of_kernel = of_gpu->second.find(kernel.name);
  if (of_kernel == of_gpu->second.end()) return {};
  const auto found = of_kernel->second.find(key_of(size_class(problem)));
  if (found == of_kernel->second.end()) return {};

  StoredTuning tuning = found->second;
  if (!has_the_names(tuning.settings, kernel.settings)) {
    return ignored(kernel, "it has other settings than the kernel");
  }
  tuning.settings = in_order(tuning.settings, kernel.settings);
  const std::string why = refusal(kernel, tuning.settings, gpu, problem);
  if (!why.empty()) return ignored(kernel, why);
  return {.tuning = std::move(tuning), .note = {}};
}

// Two texts of sentences, each of which may be empty.
std::string in_one_text(const std::string& one, const std::string& other) {
  return one + (one.empty() || other.empty() ? "" : " ") + other;
}

// Renames a file that cannot be read completely. Returns a sentence for the user; sets `error` on
// failure.
std::string keep_aside(const fs::path& path, bool all, std::error_code& error) {
  const fs::path kept = move_aside(without_links(path), ".damaged", error);
  return fmt::format(" {} could not be read; the old file is kept as {}.",
                     all ? "What was there" : "Part of what was there", kept.string());
}

TuningFileChange changed(const fs::path& path, const TuningFile& file, std::string words) {
  std::error_code error;
  if (file.damaged || !file.skipped.empty()) words += keep_aside(path, file.damaged, error);
  if (error) {
    return {.done = false,
            .words = fmt::format("{} is damaged and cannot be moved aside: {}.", path.string(),
                                 error.message())};
  }
  if (write_file_atomically(without_links(path), text_of(file.tunings), error)) {
    return {.done = true, .words = std::move(words)};
  }
  return {.done = false,
          .words = fmt::format("{} cannot be written: {}.", path.string(), error.message())};
}

constexpr const char* nowhere = "Neither XDG_STATE_HOME nor HOME says where it could be stored.";

}  // namespace

fs::path tuning_path() {
  const fs::path directory = state_directory();
  return directory.empty() ? fs::path() : directory / "tuning.json";
}

// Checks the kind of file before it opens it, because a pipe may never end.
TuningFile read_tunings(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (path.empty() || type == fs::file_type::not_found) return {};
  if (error) return unusable(path, "cannot be read", false);
  if (type != fs::file_type::regular) return unusable(path, "is no file", false);
  const bool is_large = fs::file_size(path, error) > most_bytes;
  if (is_large || error) return unusable(path, "is damaged", true);
  const std::optional<std::string> contents = read_file(path);
  return contents ? parse(path, *contents) : unusable(path, "cannot be read", false);
}

StoredChoice stored_settings(const Kernel& kernel, const simt::GpuSpec& gpu,
                             const Problem& problem) {
  return stored_settings(kernel, gpu, problem, tuning_path());
}

StoredChoice stored_settings(const Kernel& kernel, const simt::GpuSpec& gpu, const Problem& problem,
                             const fs::path& path) {
  const TuningFile file = read_tunings(path);
  if (!file.note.empty()) return {.tuning = std::nullopt, .note = file.note};
  StoredChoice choice = choice_of(file.tunings, kernel, gpu, problem);
  choice.note = in_one_text(choice.note, file.skipped);
  return choice;
}

std::string tuning_words(const Kernel& kernel, const Settings& settings, const simt::GpuSpec& gpu,
                         const Problem& problem) {
  return tuning_words(kernel, settings, gpu, problem, tuning_path());
}

std::string tuning_words(const Kernel& kernel, const Settings& settings, const simt::GpuSpec& gpu,
                         const Problem& problem, const fs::path& path) {
  if (!kernel.configurations) return "";
  const StoredChoice stored = stored_settings(kernel, gpu, problem, path);
  if (!stored.tuning || stored.tuning->settings != settings) return stored.note;
  const Problem& at = stored.tuning->problem;
  const std::string found = fmt::format(
      "These settings are the fastest that 'gemm-tutor tune' found on {}, at {} × "
      "{} × {}.",
      stored.tuning->date, with_thousands(at.m), with_thousands(at.n), with_thousands(at.k));
  return in_one_text(found, stored.note);
}

TuningFileChange store_tuning(const fs::path& path, const std::string& gpu_full_name,
                              const std::string& kernel, const StoredTuning& tuning) {
  if (path.empty()) return {.done = false, .words = nowhere};
  TuningFile file = read_tunings(path);
  if (!file.note.empty() && !file.damaged) return {.done = false, .words = file.note};
  file.tunings[gpu_full_name][kernel][key_of(size_class(tuning.problem))] = tuning;
  return changed(path, file, fmt::format("Stored in {}.", path.string()));
}

TuningFileChange forget_tunings(const fs::path& path, const std::string& gpu_full_name) {
  TuningFile file = read_tunings(path);
  if (!file.note.empty()) {
    return {.done = false, .words = file.note.substr(before_reason.size())};
  }
  if (file.tunings.erase(gpu_full_name) == 0) {
    return {.done = true, .words = fmt::format("Nothing is stored for {}.", gpu_full_name)};
  }
  return changed(path, file, fmt::format("What was stored for {} is forgotten.", gpu_full_name));
}

SizeClass size_class(const Problem& problem) {
  const double power = std::log2(problem.multiply_adds()) / 3;
  return {.size = std::int64_t{1} << std::lround(power), .aligned = problem.n % 4 == 0};
}

std::string key_of(const SizeClass& size) {
  return fmt::format("{}{}", size.size, size.aligned ? "" : "-unaligned");
}

std::string words_for(const SizeClass& size) {
  return fmt::format("sizes near {} with N {} multiple of 4", with_thousands(size.size),
                     size.aligned ? "a" : "no");
}

}  // namespace gemm_tutor
