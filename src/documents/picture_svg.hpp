// Draws memory requests, tiles, and the work of blocks and threads as SVG. An <svg> element of a
// page has the page's colours. A separate file contains its colours, for light and dark.
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

// Returns the request's lowest offset, rounded down to 128 bytes. Two requests have the same
// drawing, except for names, if they have the same space, kind and lanes, the same offsets relative
// to this base, and the same lanes out of bounds.
std::uint64_t base_of(const emulator::Access& access);

// Returns an <svg class="access"> for picture_css(). Global memory has a row per 128-byte line,
// shared memory a row per pass. A row has 32 words of 4 bytes with their lanes.
//   <g data-lanes="5" data-at="512">  lanes that access the same bytes: the lanes' numbers,
//                                     separated by spaces, and the offset from base_of()
//   <text data-at="512">              the name of a row's first float in global memory
// If `names` is false, these <text> are empty, and a script fills them. It is at least 46rem wide
// for its texts, so a page puts it in a .scroll.
std::string access_svg(const AccessPicture& picture, bool names = true);

// Returns an <svg class="tile">. Each element has the colour of the warp that loads (or stores) it
// or, with `warp`, of that warp's lane. There is one path per warp, with its number as data-warp,
// or per lane, with the thread's number in the block as data-thread. Colours repeat after eight.
std::string tile_svg(const TileOwners& tile, std::optional<int> warp = std::nullopt);

// Returns an <svg class="geometry">: C, divided into blocks unless these are too small, with one
// block's `regions` marked.
std::string grid_svg(const Problem& problem, const LaunchShape& shape,
                     const std::vector<Region>& regions);

// The same for a block's tile of C, with the elements that a warp and one of its threads store.
std::string tile_part_svg(const TileOwners& tile, int warp, int thread);

// Texts of SVG files: drawings of a trace, of who loads what, and of a thread. They contain their
// style, for light and dark, and no paths of this machine.
std::string trace_svg(const Trace& trace, const Selection& selection,
                      const std::vector<SelectedLine>& lines);
std::string who_loads_svg(const WhoLoads& who, std::optional<int> warp = std::nullopt);
// The thread's reads and writes in its block's tiles and in shared memory.
std::string thread_svg(const Trace& trace, const ThreadStory& story);

}  // namespace gemm_tutor
