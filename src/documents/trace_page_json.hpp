// What the script of a trace's page (trace_page.js) reads.
#pragma once

#include <cstdint>
#include <string>

#include "documents/trace_page_data.hpp"
#include "trace/selection.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor {

// The data as JSON that may stand in a <script> element; lists of numbers have the order of the
// members of PageRun and PageWarp. `first` is what the page shows at first, without a line where
// the block accessed no memory, and `along_k` the step of who loads what.
std::string trace_page_json(const Trace& trace, const TracePageData& data, const Selection& first,
                            std::int64_t along_k);

}  // namespace gemm_tutor
