// Estimates a kernel's time on the GPU that it was compiled for.
#pragma once

#include <optional>

#include "run/prepared_kernel.hpp"
#include "simt/estimate.hpp"

namespace gemm_tutor {

// Estimates the time from the counts, including a second launch. Returns nothing without machine
// code. Runs some blocks again to get the addresses of their requests, which changes C.
std::optional<simt::Estimate> estimated(const PreparedKernel& kernel, Matrices& matrices,
                                        const simt::Result& counted);

}  // namespace gemm_tutor
