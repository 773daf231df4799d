// Shows a memory request as a drawing and in words.
#pragma once

#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// For global memory, the lanes in each sector, one row per 128-byte line. For shared memory, the
// lanes in each bank, one row per pass. Then the reason of its cost, and what would reduce it.
Parts request_parts(const SelectedAccess& selected);

}  // namespace gemm_tutor
