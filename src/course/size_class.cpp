#include "course/size_class.hpp"

#include <fmt/format.h>

#include <cmath>

#include "support/text.hpp"

namespace gemm_tutor {

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
