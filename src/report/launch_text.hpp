// Describes a launch in sentences, for beginners.
#pragma once

#include <cstdint>
#include <string>

#include "course/lesson_run.hpp"
#include "gemm/verification.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

// The calculation of the grid of a lesson's kernel, which must have a launch.
std::string grid_text(const LessonRun& run);

// How much of the GPU the grid fills. Empty if no block fits, or if the occupancy is not known.
std::string residency_text(const KernelRun& run);

// The number of blocks that the GPU can hold at the same time; 0 if not known, or if no block fits.
std::int64_t blocks_at_once(const KernelRun& run);

// "128" registers per thread, an occupancy of "25 %". Empty if not known.
std::string registers_text(const KernelRun& run);
std::string occupancy_text(const KernelRun& run);

// True if the registers are known, so that the occupancy is exact.
bool has_exact_occupancy(const KernelRun& run);

// "(1, 2)", with z if it is not 0.
std::string place_text(const simt::Dim3& at);

// "rows 0 to 31, column 5".
std::string region_text(const Region& region);

}  // namespace gemm_tutor
