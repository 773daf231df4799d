// A kernel's settings as --set takes them.
#pragma once

#include <string>
#include <vector>

#include "course/settings.hpp"

namespace gemm_tutor {

// "BM=32" for each, in their order.
std::vector<std::string> assignments(const Settings& settings);

}  // namespace gemm_tutor
