#include <fmt/format.h>

#include "exercise/evidence.hpp"

namespace gemm_tutor {
namespace {

// What holds for every wrong element may hold for all.
template <typename Holds>
const char* place_of(const Evidence& evidence, const Holds& holds) {
  return evidence.every(holds) ? "" : " there";
}

std::string zero(const Evidence& evidence) {
  if (!evidence.every_wrong([](const WrongElement& sample) { return sample.value == 0; }))
    return "";
  return "C is 0 there.";
}

std::string not_finite(const Evidence& evidence) {
  const auto holds = [](const WrongElement& sample) { return !std::isfinite(sample.value); };
  if (!evidence.every_wrong(holds)) return "";
  return "C is infinite or not a number there, which no product of A and B is.";
}

std::string whole_number(const Evidence& evidence) {
  const auto holds = [](const WrongElement& sample) {
    return std::isfinite(sample.value) && sample.value == std::trunc(sample.value);
  };
  return evidence.every_wrong(holds) ? "C is a whole number there." : "";
}

std::string multiple(const Evidence& evidence) {
  const auto reference = [](const WrongElement& sample) { return std::abs(sample.reference); };
  const WrongElement& largest = *std::ranges::max_element(evidence.samples, {}, reference);
  const double factor = std::round(largest.value / largest.reference);
  if (factor == 0 || factor == 1 || !(std::abs(factor) <= 4096)) return "";
  // Else another factor would do as well.
  if (std::abs(factor) * largest.bound > 0.1 * std::abs(largest.reference)) return "";
  const auto holds = [&](const WrongElement& sample) {
    return std::abs(sample.value - factor * sample.reference) <= std::abs(factor) * sample.bound;
  };
  if (!evidence.every_wrong(holds)) return "";
  return fmt::format("C is {} times what is right{}.", factor, place_of(evidence, holds));
}

// The same too much everywhere.
std::string offset(const Evidence& evidence) {
  const WrongElement& best = *std::ranges::min_element(evidence.samples, {}, &WrongElement::bound);
  const double by = best.value - best.reference, whole = std::round(by);
  constexpr double near = 0.01;  // so that a whole number says something
  constexpr std::ptrdiff_t fewest_samples = 4;
  if (std::ssize(evidence.samples) < fewest_samples || best.bound > near) return "";
  if (whole == 0 || !(std::abs(by - whole) <= best.bound)) return "";
  const auto holds = [&](const WrongElement& sample) {
    return std::abs(sample.value - sample.reference - whole) <= sample.bound;
  };
  if (!evidence.every_wrong(holds)) return "";
  return fmt::format("C is {} {} than what is right{}.", std::abs(whole),
                     whole > 0 ? "more" : "less", place_of(evidence, holds));
}

}  // namespace

std::string telling_value(const Evidence& evidence) {
  for (const auto probe : {zero, not_finite, whole_number, multiple, offset}) {
    std::string sentence = probe(evidence);
    if (!sentence.empty()) return sentence;
  }
  return "";
}

}  // namespace gemm_tutor
