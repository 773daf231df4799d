// A launch in sentences, for someone who sees one for the first time.
#pragma once

#include <string>

#include "course/kernel_run.hpp"

namespace gemm_tutor {

// The arithmetic that led to the grid of a lesson's kernel that has a launch.
std::string grid_text(const KernelRun& run);

// How much of the GPU the grid fills; `run` has an occupancy and a GPU. Empty where no block fits.
std::string residency_text(const KernelRun& run);

}  // namespace gemm_tutor
