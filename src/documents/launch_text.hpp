// A launch in sentences, for someone who sees one for the first time.
#pragma once

#include <cstdint>
#include <string>

#include "course/kernel_run.hpp"
#include "gemm/verification.hpp"
#include "model/launch.hpp"

namespace gemm_tutor {

// The arithmetic that led to the grid of a lesson's kernel that has a launch.
std::string grid_text(const KernelRun& run);

// How much of the GPU the grid fills. Empty where no block fits, and where the occupancy is not
// known.
std::string residency_text(const KernelRun& run);

// Blocks that the GPU has room for at a time; 0 where that is not known, and where no block fits.
std::int64_t blocks_at_once(const KernelRun& run);

// "128" registers of a thread, an occupancy of "25 %". Empty where they are not known.
std::string registers_text(const KernelRun& run);
std::string occupancy_text(const KernelRun& run);

// Whether the registers are known that decide it.
bool has_exact_occupancy(const KernelRun& run);

// "(1, 2)"; with z where it is not 0.
std::string place_text(const Dim3& at);

// "rows 0 to 31, column 5".
std::string region_text(const Region& region);

}  // namespace gemm_tutor
