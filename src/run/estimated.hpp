// How long a kernel takes on the GPU whose limits it was compiled for.
#pragma once

#include <optional>

#include "estimate/estimate.hpp"
#include "run/prepared_kernel.hpp"

namespace gemm_tutor {

// From its counts, with its second launch where it has one. Nothing where there is no machine code.
// Some blocks run once more, for the addresses that they ask for: C is not what it was before.
std::optional<Estimate> estimated(const PreparedKernel& kernel, Matrices& matrices,
                                  const emulator::Result& counted);

}  // namespace gemm_tutor
