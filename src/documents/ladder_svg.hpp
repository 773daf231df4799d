// A ladder drawn, for pages.
#pragma once

#include "course/ladder.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A bar for each kernel, as long as its share of cuBLAS; without a drawing where there are no
// times.
Picture bars_picture(const Ladder& ladder, const Problem& problem);

// Each kernel under the GPU's roof, by its FLOP for each byte of global memory.
Picture roofline_picture(const Ladder& ladder, const Problem& problem);

}  // namespace gemm_tutor
