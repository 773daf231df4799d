// Places in a grid, a block or a matrix, in words.
#pragma once

#include <string>

#include "gemm/verification.hpp"
#include "model/launch.hpp"

namespace gemm_tutor {

// "(1, 2)"; with z where it is not 0.
std::string place_text(const Dim3& at);

// "rows 0 to 31, column 5".
std::string region_text(const Region& region);

}  // namespace gemm_tutor
