// Drawings of a ladder, for pages.
#pragma once

#include "course/ladder.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// One bar per kernel with its percentage of cuBLAS, and that of the GPU's peak beside it. Empty if
// there are no times.
Picture bars_picture(const Ladder& ladder, const Problem& problem);

// The roofline with each kernel, by its FLOP per byte of global memory.
Picture roofline_picture(const Ladder& ladder, const Problem& problem);

// The lessons' own kernels by the two factors of speed: the share of FFMAs across, that of issue
// slots up, with curves of equal speed. Empty without machine code.
Picture speed_picture(const Ladder& ladder, const Problem& problem);

// Each kernel's estimated rate against its measured or recorded one. Empty if no run has both.
Picture estimates_picture(const Ladder& ladder);

}  // namespace gemm_tutor
