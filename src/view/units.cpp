#include "view/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/text.hpp"
#include "view/style.hpp"

namespace gemm_tutor {
namespace {

std::string with_unit(double value, int decimals, std::string_view unit) {
  return unbreakable(fmt::format("{:.{}f} {}", value, decimals, unit));
}

int decimals_of_three_digits(double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; }

int decimals_of_a_rate(double value) { return value < 99.95 ? 1 : 0; }

// The power of 1,000 that leaves one to three digits before the point, limited by the prefixes.
int thousands(double value) {
  return value > 0 ? std::clamp(static_cast<int>(std::floor(std::log10(value) / 3)), -3, 4) : 0;
}

std::string prefixed(double value, std::string_view unit, int (*decimals)(double)) {
  static constexpr std::array<std::string_view, 8> prefixes = {"n", "µ", "m", "",
                                                               "k", "M", "G", "T"};
  const int power = thousands(value);
  const double scaled = value / std::pow(1000.0, power);
  return with_unit(scaled, decimals(scaled), fmt::format("{}{}", prefixes[power + 3], unit));
}

}  // namespace

std::string duration_text(double milliseconds) {
  const double seconds = milliseconds / 1000;
  return seconds < 1 ? prefixed(seconds, "s", decimals_of_three_digits)
                     : with_unit(seconds, decimals_of_three_digits(seconds), "s");
}

std::string flop_rate_text(double flops_per_second) {
  return prefixed(flops_per_second, "FLOP/s", decimals_of_a_rate);
}

std::string bandwidth_text(double bytes_per_second) {
  return prefixed(bytes_per_second, "B/s", decimals_of_a_rate);
}

std::string percent_text(double percent) {
  constexpr double shown_as_zero = 0.05;
  if (percent > 0 && percent < shown_as_zero) return unbreakable("< 0.1 %");
  return with_unit(percent, percent < 10 ? 1 : 0, "%");
}

std::string short_count(double count) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T"};
  std::size_t power = 0;
  for (; count >= 999.5 && power + 1 < std::size(prefixes); ++power) count /= 1000;
  return power == 0 ? fmt::format("{:.0f}", count)
                    : with_unit(count, count < 9.95 ? 1 : 0, prefixes[power]);
}

std::string factor_text(double factor) { return fmt::format("{:.1f}×", factor); }

std::string intensity_text(double flops_a_byte) {
  return with_unit(flops_a_byte, flops_a_byte < 1 ? 2 : 1, "FLOP per byte");
}

std::string cell_text(int rows, int columns) {
  if (rows * columns == 1) return "one element";
  return unbreakable(counted(rows, "row") + " × " + counted(columns, "column"));
}

}  // namespace gemm_tutor
