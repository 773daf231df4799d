#include "support/date.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace gemm_tutor {

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

}  // namespace gemm_tutor
