// A horizontal bar of characters.
#pragma once

#include <string>

namespace gemm_tutor {

// Of at most `columns`, for a share from 0 to 1: by eighths of a column, the finest that a terminal
// draws, or by whole ones in ASCII.
std::string bar(double share, int columns, bool unicode);

}  // namespace gemm_tutor
