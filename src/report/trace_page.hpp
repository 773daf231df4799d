// A trace as a page: a block's memory accesses with its source, who loads what, and one thread's
// story.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson_run.hpp"
#include "report/requests.hpp"
#include "report/trace_report.hpp"
#include "trace/selection.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {

// What the page shows at first, and without JavaScript.
struct TraceView {
  Selection selection;
  int thread = 0;                 // the thread of the story
  std::int64_t step_along_k = 0;  // of the story, and of who loads what
};

// Throws Error (usage) if there is no such selection, thread or step.
std::string trace_html(const TracedKernel& traced, const TraceView& view);

// A trace's data in its page, without repetitions. A kernel makes hundreds of thousands of
// requests, and most of them differ only in their first address.

// A request without its warp, its step and its first address.
struct PageRequest {
  // Its offsets are relative to base_of(). Line, instruction, warp and step are 0.
  simt::Access access;
  std::uint32_t outside = 0;  // lanes out of bounds
  std::size_t drawing = 0;    // index in TracePageData::drawings
  bool costly = false;
  AccessWords words;  // `from` has no name: "4 bytes per lane"
};

// `count` neighbours, from the place `first` on, of one kind. Their values are evenly apart. Of an
// instruction's requests, places are steps, the kind is the index in TracePageData::requests, and
// the value is the request's first address, in bytes from PageWarp::base.
struct PageRun {
  std::int64_t first = 0, count = 0, kind = 0, value = 0, distance = 0;
  auto operator<=>(const PageRun&) const = default;
};

// All requests of a warp with one instruction. Often they are the same for all warps, except for
// the first address.
struct PageWarp {
  int warp = 0;
  std::int64_t base = 0;  // of its first request
  std::size_t way = 0;    // index in TracePageData::ways
};

// An instruction that accesses memory. An asynchronous copy has two, one per space.
struct PageInstruction {
  int line = 0;
  std::uint32_t instruction = 0;
  simt::MemorySpace space = simt::MemorySpace::global;
  std::vector<PageWarp> warps;  // those that execute it, ascending
};

// A line's cost over all recorded requests of the block.
struct PageLine {
  int line = 0;
  std::vector<simt::OperandCounters> operands;
  bool costly = false;  // a request is costly
};

// A tile's elements and their owners, for any place along K.
struct PageTile {
  TileOwners owners;  // of the first step with these owners
  std::string drawing;
};

struct TracePageData {
  std::vector<std::string> drawings;  // of requests, without names
  std::vector<PageRequest> requests;
  std::vector<std::vector<PageRun>> ways;
  std::vector<PageInstruction> instructions;  // by line, then in the program's order
  std::vector<PageLine> lines;                // ascending
  // Steps from this one on are left out, except for the last of each instruction and warp, because
  // the page would be too large. Nothing if no steps are left out.
  std::optional<std::uint64_t> left_out;

  std::vector<PageTile> tiles;
  std::vector<std::size_t> a_tiles, b_tiles;  // index in `tiles` for each step along K
  std::size_t c_tile = 0;
  std::int64_t step_depth = 1;  // along K
};

// Requests and their drawings have about `most_bytes` at most.
TracePageData trace_page_data(const Trace& trace, std::size_t most_bytes = 3 << 19);

// Returns the JSON for the script of the page (trace_page.js), safe in a <script> element. Lists of
// numbers have the order of the members of PageRun and PageWarp. The owners of a tile are runs of
// elements, row by row: their values are threads, and their kind is 1 for elements of several
// threads, 2 for those of several warps. `first` is what the page shows at
// first, without a line if the block accesses no memory. `along_k` is the step of who loads what.
std::string trace_page_json(const Trace& trace, const TracePageData& data, const Selection& first,
                            std::int64_t along_k);

}  // namespace gemm_tutor
