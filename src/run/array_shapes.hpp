// The extents of a kernel's shared arrays, by its text: PTX knows only their bytes, and a finding
// should say a_tile[3][7].
#pragma once

#include <string_view>
#include <vector>

#include "emulator/emulator.hpp"

namespace gemm_tutor {

// Of the arrays declared `__shared__ float name[rows][columns]` in `source` whose extents follow
// from its constants, its #defines and the arguments of the template instance ("tile<32, 32, 32>").
// Others are left out.
std::vector<emulator::ArrayShape> shared_array_shapes(std::string_view source,
                                                      std::string_view name_expression);

}  // namespace gemm_tutor
