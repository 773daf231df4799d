// Shows the estimate of a kernel's time: how long each unit of the GPU is busy, which one limits
// the kernel, and what would make it faster.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "course/lesson_run.hpp"
#include "report/json.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// The name of a row, which is also in the glossary: "shared memory".
std::string_view words_for(simt::Limit limit);

// One row per unit, and one for what is added to the busiest one. Empty if there is no reliable
// estimate.
Section limits_section(const KernelRun& run);

// One sentence on the largest part of the estimated time, in words of lesson 1: "98 % of the time
// goes into the sums themselves." Empty if there is no reliable estimate.
std::string limiting_text(const KernelRun& run);

// For the section Timing: "estimated 1.26 ms (1.12 to 1.41) · 13.6 TFLOP/s · 27 % of cuBLAS", or
// why there are no digits. Empty if there is no estimate.
std::string estimated_text(const KernelRun& run);

// The time with one changed count, the largest gain first. Empty if no gain is large enough.
Section try_section(const std::optional<simt::Estimate>& estimate);

// One column per named GPU; empty if there are fewer than two.
Section gpus_section(const KernelRun& run);

// "64 blocks do not fill it: 132 multiprocessors have room for 264". Empty if they fill it, or if
// the occupancy is not known.
std::string unfilled_text(const KernelRun& run);

// The value of the key "estimate".
Json estimate_json(const simt::Estimate& estimate);

}  // namespace gemm_tutor
