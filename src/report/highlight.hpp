// C++ and CUDA in colour.
#pragma once

#include <string>
#include <vector>

#include "report/style.hpp"

namespace gemm_tutor {

// The lines with a style for each token; comments may reach over several. Text is never changed.
std::vector<Line> highlight(const std::vector<std::string>& lines);

}  // namespace gemm_tutor
