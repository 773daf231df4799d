// A trace as its page holds it: what repeats is there once. A kernel makes hundreds of
// thousands of requests, of which few differ in more than the place where they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "documents/access_words.hpp"
#include "trace/selection.hpp"
#include "trace/trace.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {

// All of a request but who makes it, when, and where it begins.
struct PageRequest {
  // Its offsets are distances from base_of(); line, instruction, warp and step are 0.
  emulator::Access access;
  std::uint32_t outside = 0;  // lanes out of bounds
  std::size_t drawing = 0;    // of TracePageData::drawings
  bool costly = false;
  AccessWords words;  // of which `from` has no name: "4 bytes per lane"
};

// An instruction's requests in several steps, one after the other, which are alike but for where
// they begin: each by the same distance after the one before.
struct PageRun {
  std::uint64_t step = 0, count = 0;  // as many, from that step on
  std::size_t request = 0;            // of TracePageData::requests
  std::int64_t base = 0;              // of the first, in bytes after PageWarp::base
  std::int64_t distance = 0;
  auto operator<=>(const PageRun&) const = default;
};

// A warp's way through memory with one instruction: often the same for all warps, but for where it
// begins.
struct PageWarp {
  int warp = 0;
  std::int64_t base = 0;  // of its first request
  std::size_t way = 0;    // of TracePageData::ways
};

// An instruction that accesses memory; a cp.async is two, one in each space.
struct PageInstruction {
  int line = 0;
  std::uint32_t instruction = 0;
  emulator::MemorySpace space = emulator::MemorySpace::global;
  std::vector<PageWarp> warps;  // ascending; those that execute it
};

// What a line costs, over all that was recorded of the block.
struct PageLine {
  int line = 0;
  std::vector<emulator::OperandCounters> operands;
  bool costly = false;  // some request of it is
};

// A tile's elements and who loads them, wherever it lies along K.
struct PageTile {
  TileOwners owners;  // of the first step that is so
  std::string drawing;
};

struct TracePageData {
  std::vector<std::string> drawings;  // of access_svg(), without names
  std::vector<PageRequest> requests;
  std::vector<std::vector<PageRun>> ways;
  std::vector<PageInstruction> instructions;  // by line, then in the program's order
  std::vector<PageLine> lines;                // ascending
  // Steps from this one on are left out, but for the last of each instruction and warp, as all
  // would be too much for a page; none if all are there.
  std::optional<std::uint64_t> left_out;

  std::vector<PageTile> tiles;
  std::vector<std::size_t> a_tiles, b_tiles;  // of `tiles`, for each step along K
  std::size_t c_tile = 0;
  std::int64_t step_depth = 1;  // along K
};

// With `most_bytes` of requests and their drawings, or little more.
TracePageData trace_page_data(const Trace& trace, std::size_t most_bytes = 3 << 19);

// What the script of a trace's page (trace_page.js) reads: JSON that may be in a <script>
// element; lists of numbers have the order of the members of PageRun and PageWarp. `first` is what
// the page shows at first, without a line where the block accessed no memory, and `along_k` the
// step of who loads what.
std::string trace_page_json(const Trace& trace, const TracePageData& data, const Selection& first,
                            std::int64_t along_k);

}  // namespace gemm_tutor
