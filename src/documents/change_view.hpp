// What changed between two kernels, line by line.
#pragma once

#include <vector>

#include "course/excerpt.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Each line with its numbers in the two files and a mark: "-" for one that is gone, "+" for one
// that is new; in colour, what differs within a line that was only changed stands out. Long
// stretches without a change are folded into "… 12 lines as before". Code is never cut.
Listing change_listing(const std::vector<SourceLine>& before, const std::vector<SourceLine>& now);

}  // namespace gemm_tutor
