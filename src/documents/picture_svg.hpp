// Requests of memory, tiles, and which block and thread computes what, as SVG. An <svg> element of
// a page takes its colours from the page; as a file of its own it brings them along, for light and
// dark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "trace/picture.hpp"
#include "trace/selection.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {

// Where the request's memory begins: its lowest offset, rounded down to 128 bytes. Two requests of
// the same space and kind with the same lanes, at the same distances from there and as much out of
// bounds, have the same drawing but for its names.
std::uint64_t base_of(const emulator::Access& access);

// An <svg class="access">, in the style of picture_css(). Of global memory a row for each 128-byte
// line, of shared memory a row for each pass: 32 words of 4 bytes, in them the lanes.
//   <g data-lanes="5" data-at="512">  lanes that want the same bytes, which begin so many after
//                                     base_of(): their numbers, with spaces between
//   <text data-at="512">              the name of a row of global memory: of its first float there
// `names`: a row begins with its element's name; else its <text> is left empty, for a script.
// It is at least 46rem wide, for what is written in it: a page puts it in a .scroll.
std::string access_svg(const AccessPicture& picture, bool names = true);

// An <svg class="tile">: each element in the colour of the warp that loads (or stores) it, or with
// `warp` of that warp's lane. A path for all of a warp's has its number as data-warp, or for all of
// a lane's its thread's number in the block as data-thread. Colours repeat after eight.
std::string tile_svg(const TileOwners& tile, std::optional<int> warp = std::nullopt);

// An <svg class="geometry">: C in blocks, as far as lines between them can be told apart, and the
// `regions` that one of them computes marked.
std::string grid_svg(const Problem& problem, const LaunchShape& shape,
                     const std::vector<Region>& regions);

// The same of a block's tile of C, as who stores it: a warp's elements, and one thread's of it.
std::string tile_part_svg(const TileOwners& tile, int warp, int thread);

// Files of their own: what trace_text(), who_loads_text() and thread_text() say, drawn. They bring
// their style along, for light and dark, and tell of no folder.
std::string trace_svg(const Trace& trace, const Selection& selection,
                      const std::vector<SelectedLine>& lines);
std::string who_loads_svg(const WhoLoads& who, std::optional<int> warp = std::nullopt);
// Where the thread reads and writes: in its block's tiles, and in shared memory.
std::string thread_svg(const Trace& trace, const ThreadStory& story);

}  // namespace gemm_tutor
