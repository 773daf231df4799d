#include "course/launch_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "course/question.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

double value_of(const std::string& expression, const Values& values) {
  return Expression::parse(expression).value(values);
}

Error broken(const Settings& settings, const std::string& rule, const std::string& help) {
  const std::string another = "Change another setting with it, by a second --set.";
  return {ExitStatus::usage,
          settings.empty() ? rule : fmt::format("{}: {}", join(assignments(settings)), rule),
          help.empty() ? another : help};
}

// "BM is not a multiple of TM" of "BM % TM == 0".
std::string default_text(const std::string& holds, const Settings& settings) {
  constexpr std::string_view divides = " % ", without_rest = " == 0";
  const std::size_t middle = holds.find(divides);
  if (middle != holds.npos && holds.ends_with(without_rest)) {
    const std::string whole = holds.substr(0, middle);
    std::string part = holds.substr(middle + divides.size());
    part.resize(part.size() - without_rest.size());
    if (settings.contains(whole) && settings.contains(part)) {
      return fmt::format("{} is not a multiple of {}", whole, part);
    }
  }
  return holds + " does not hold";
}

std::int64_t floats_of(const std::string& expression, const Settings& settings) {
  constexpr double most = 1e18;  // far more than there is, and less than an int64 holds
  return static_cast<std::int64_t>(
      std::clamp(value_of(expression, values_of(settings)), 0.0, most));
}

}  // namespace

void LaunchRule::check(const Constraint& constraint, const Settings& settings) const {
  if (value_of(constraint.holds, values_with_threads(settings)) != 0) return;
  throw broken(settings, text_of(constraint, settings), constraint.help);
}

std::string LaunchRule::text_of(const Constraint& constraint, const Settings& settings) const {
  if (constraint.text.empty()) return default_text(constraint.holds, settings);
  return filled_in(constraint.text, values_with_threads(settings));
}

Values LaunchRule::values_with_threads(const Settings& settings) const {
  Values values = values_of(settings);
  double threads = 1;
  for (const std::string& expression : block) threads *= value_of(expression, values);
  values["threads"] = threads;
  return values;
}

int LaunchRule::extent(const std::string& expression, const Settings& settings) const {
  const double value = value_of(expression, values_of(settings));
  if (value > std::numeric_limits<int>::max()) {
    throw broken(settings, expression + " is more than an int holds", "");
  }
  if (value >= 1 && value == std::floor(value)) return static_cast<int>(value);
  throw broken(settings,
               fmt::format("{} = {} is not a whole number from 1", expression, number_text(value)),
               "");
}

LaunchShape LaunchRule::operator()(const Settings& settings) const {
  for (const Constraint& constraint : constraints) check(constraint, settings);
  const auto value = [&](const std::vector<std::string>& list, std::size_t i) {
    return i < list.size() ? extent(list[i], settings) : 1;
  };
  LaunchShape shape;
  shape.block = {static_cast<std::uint32_t>(value(block, 0)),
                 static_cast<std::uint32_t>(value(block, 1))};
  shape.tile_rows = value(tile, 0);
  shape.tile_columns = value(tile, 1);
  shape.tile_depth = value(tile, 2);
  shape.grid_x_along_rows = grid_x_along_rows;
  shape.blocks_of_tile = static_cast<std::uint32_t>(extent(grid_z, settings));
  shape.static_shared_floats = floats_of(shared_floats, settings);
  shape.dynamic_shared = std::to_string(dynamic_shared_bytes);
  if (!stream_k_blocks.empty()) {
    shape.stream_k =
        StreamK{extent(stream_k_blocks, settings), extent(stream_k_group_rows, settings)};
  }
  return shape;
}

}  // namespace gemm_tutor
