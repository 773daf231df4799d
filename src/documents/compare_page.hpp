// A ladder as a page.
#pragma once

#include <string>

#include "course/ladder.hpp"

namespace gemm_tutor {

// The ladder as bars, the roofline, the table; without a script.
std::string compare_html(const Ladder& ladder);

}  // namespace gemm_tutor
