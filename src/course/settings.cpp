#include "course/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "course/lesson.hpp"
#include "course/tuning_file.hpp"
#include "run/target.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::string known_names(const Settings& settings) {
  if (settings.empty()) return "This kernel has no settings: leave --set out.";
  std::vector<std::string> words;
  for (const auto& [name, value] : settings)
    words.push_back(fmt::format("{} (now {})", name, value));
  return fmt::format("Settings of this kernel: {}; each a whole number from 1.", join(words));
}

Error wrong(std::string_view assignment, std::string_view why, const Settings& settings) {
  return {ExitStatus::usage, fmt::format("--set '{}': {}", assignment, why), known_names(settings)};
}

// "<32, 32, 32>".
std::string template_arguments(const Kernel& kernel, const Settings& values,
                               const Problem& problem) {
  if (values.empty() && kernel.flags.empty()) return "";
  std::vector<std::string> arguments;
  for (const Setting& setting : values) arguments.push_back(std::to_string(setting.value));
  const Values known = values_of(values, problem);
  for (const Flag& flag : kernel.flags) {
    arguments.emplace_back(evaluated(flag.holds, known) != 0 ? "true" : "false");
  }
  return fmt::format("<{}>", join(arguments));
}

}  // namespace

int Settings::operator[](std::string_view name) const {
  const auto found = std::ranges::find(settings_, name, &Setting::name);
  if (found == settings_.end()) throw std::out_of_range(fmt::format("no setting '{}'", name));
  return found->value;
}

int Settings::value_or(std::string_view name, int otherwise) const {
  return contains(name) ? (*this)[name] : otherwise;
}

bool Settings::contains(std::string_view name) const {
  return std::ranges::find(settings_, name, &Setting::name) != settings_.end();
}

void Settings::set(std::string_view name, int value) {
  const auto found = std::ranges::find(settings_, name, &Setting::name);
  if (found == settings_.end()) throw std::out_of_range(fmt::format("no setting '{}'", name));
  found->value = value;
}

void apply_setting(Settings& settings, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) throw wrong(assignment, "not NAME=VALUE", settings);
  const std::string_view name = assignment.substr(0, equals);
  const std::string_view text = assignment.substr(equals + 1);
  if (!settings.contains(name)) {
    throw wrong(assignment, fmt::format("there is no setting '{}'", name), settings);
  }

  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) throw wrong(assignment, "out of range", settings);
  if (error != std::errc() || stop != end) {
    throw wrong(assignment, fmt::format("'{}' is not a whole number", text), settings);
  }
  if (value < 1) throw wrong(assignment, fmt::format("{} is less than 1", value), settings);
  settings.set(name, value);
}

Values values_of(const Settings& settings) {
  Values values;
  for (const auto& [name, value] : settings) values[name] = value;
  return values;
}

Values values_of(const Settings& settings, const Problem& problem) {
  Values values = values_of(settings);
  values["M"] = problem.m;
  values["N"] = problem.n;
  values["K"] = problem.k;
  return values;
}

std::vector<std::string> assignments(const Settings& settings) {
  std::vector<std::string> result;
  for (const auto& [name, value] : settings) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::string Kernel::name_expression(const Settings& values, const Problem& problem) const {
  return function + template_arguments(*this, values, problem);
}

std::string Kernel::second_name_expression(const Settings& values, const Problem& problem) const {
  return second_pass.empty() ? "" : second_pass + template_arguments(*this, values, problem);
}

KernelSource kernel_source(const Kernel& kernel, const Settings& settings, const Problem& problem) {
  KernelSource result;
  result.name_expression = kernel.name_expression(settings, problem);
  result.second_name_expression = kernel.second_name_expression(settings, problem);
  result.shape = kernel.shape(settings);
  result.compute_capability = kernel.compute_capability;
  result.arguments = kernel.arguments;
  result.c_before = kernel.c_before;
  result.transposed = kernel.transposed;
  result.precision = kernel.precision;
  if (!kernel.second_pass.empty()) result.arguments.push_back({Role::workspace});
  if (kernel.before.empty()) return result;
  const std::string arguments = template_arguments(kernel, settings, problem);
  for (const Kernel::Earlier& earlier : kernel.before)
    result.before.push_back({earlier.function + arguments, earlier.shape});
  result.workspace_floats = kernel.workspace_floats;
  result.arguments.push_back({Role::workspace, kernel.workspace});
  return result;
}

Settings untuned_settings(const Kernel& kernel, const simt::GpuSpec& gpu, const Problem& problem) {
  return kernel.choose ? kernel.choose(gpu, problem) : kernel.settings;
}

Settings effective_settings(const Kernel& kernel, const simt::GpuSpec& gpu,
                            const Problem& problem) {
  if (kernel.configurations) {
    const StoredChoice stored = stored_settings(kernel, gpu, problem);
    if (stored.tuning) return stored.tuning->settings;
  }
  return untuned_settings(kernel, gpu, problem);
}

Settings effective_settings(const Kernel& kernel, const RunOptions& options) {
  if (!kernel.choose && !kernel.configurations) return kernel.settings;
  return effective_settings(kernel, choose_target(options).gpu, options.problem);
}

}  // namespace gemm_tutor
