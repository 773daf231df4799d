// A request of memory, drawn and in words.
#pragma once

#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Its picture: of global memory the lanes in each sector, a row for each 128-byte line; of shared
// memory the lanes in each bank, a row for each pass. Then why it costs what it does, and what
// would help.
Parts request_parts(const SelectedAccess& selected);

}  // namespace gemm_tutor
