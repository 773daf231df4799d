// What the estimate of a kernel's time says: how long each unit of the GPU is busy, which one
// limits the kernel, and what would make it faster.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "course/kernel_run.hpp"
#include "documents/json.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// As a row of the section has it, and the glossary knows it: "shared memory".
std::string_view words_for(Limit limit);

// A row for each unit, and for what is added to the busiest one. Without parts where there is no
// estimate, and where it is not reliable.
Section limits_section(const KernelRun& run);

// For the section Timing: "estimated 1.26 ms (1.12 to 1.41) · 13.6 TFLOP/s · 27 % of cuBLAS", or
// why there are no digits. Empty where there is no estimate.
std::string estimated_text(const KernelRun& run);

// What the time would be if one count were another, the largest gain first. Without parts where
// nothing gains enough to be shown.
Section try_section(const std::optional<Estimate>& estimate);

// A column for each of the GPUs that were named; without parts where they are not several.
Section gpus_section(const KernelRun& run);

// "64 blocks do not fill it: 132 multiprocessors have room for 264". Empty where they do, and where
// the occupancy is not known.
std::string unfilled_text(const KernelRun& run);

// The value of the key "estimate".
Json estimate_json(const Estimate& estimate);

}  // namespace gemm_tutor
