// A ladder drawn, for pages.
#pragma once

#include "course/ladder.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A bar for each kernel, as long as its share of cuBLAS; without a drawing where there are no
// times.
Picture bars_picture(const Ladder& ladder, const Problem& problem);

// Each kernel under the GPU's roof, by its FLOP per byte of global memory.
Picture roofline_picture(const Ladder& ladder, const Problem& problem);

// Each kernel's rate as estimated, over that which was measured or recorded; without a drawing
// where no run has both.
Picture estimates_picture(const Ladder& ladder);

}  // namespace gemm_tutor
