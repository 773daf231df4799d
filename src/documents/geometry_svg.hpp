// A launch as drawings: which block computes which part of C, and which thread which of that.
#pragma once

#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {

// An <svg class="geometry">: C in blocks, as far as lines between them can be told apart, and the
// `regions` that one of them computes marked.
std::string grid_svg(const Problem& problem, const LaunchShape& shape,
                     const std::vector<Region>& regions);

// The same of a block's tile of C, as who stores it: a warp's elements, and one thread's of it.
std::string tile_part_svg(const TileOwners& tile, int warp, int thread);

}  // namespace gemm_tutor
