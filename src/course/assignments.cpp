#include "course/assignments.hpp"

#include <fmt/format.h>

namespace gemm_tutor {

std::vector<std::string> assignments(const Settings& settings) {
  std::vector<std::string> result;
  for (const auto& [name, value] : settings) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

}  // namespace gemm_tutor
