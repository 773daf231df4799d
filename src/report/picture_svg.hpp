// Makes diagrams (view/document.hpp) of memory requests, of tiles, and of the work of blocks and
// threads, and draws diagrams as SVG. An <svg> element of a page has the page's colours. A separate
// file contains its colours, for light and dark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson_run.hpp"
#include "trace/picture.hpp"
#include "trace/selection.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Returns the request's lowest offset, rounded down to 128 bytes. Two requests have the same
// drawing, except for names, if they have the same space, kind and lanes, the same offsets relative
// to this base, and the same lanes out of bounds.
std::uint64_t base_of(const simt::Access& access);

// Global memory has a row per 128-byte line, shared memory a row per pass. A row has 32 words of 4
// bytes with their lanes. A page's script finds:
//   data-lanes="5" data-at="512"  in boxes of lanes that access the same bytes: the lanes' numbers,
//                                 separated by spaces, and the offset from base_of()
//   data-at="512"                 in texts: the name of a row's first float in global memory
// If `names` is false, these texts are empty, and a script fills them. A page puts the drawing in a
// .scroll, because it is wide.
Diagram request_diagram(const AccessPicture& picture, bool names = true);

// Each element has the colour of the warp that loads (or stores) it or, with `warp`, of that warp's
// lane. The boxes have the warp's number as data-warp, or the thread's number in the block as
// data-thread, and the number of the warp or lane as label, if `numbers` is true. Colours repeat
// after eight.
Diagram tile_diagram(const TileOwners& tile, std::optional<int> warp = std::nullopt,
                     bool numbers = true);

// Neighbouring elements of one warp or, with `warp`, of one thread of that warp.
struct OwnedBlock {
  int number = 0;                                  // of the warp or the thread
  int row = 0, column = 0, rows = 1, columns = 1;  // in the tile
};
std::vector<OwnedBlock> owned_blocks(const TileOwners& tile, std::optional<int> warp);

// C, divided into blocks unless these are too small, with one block's `regions` marked.
Diagram grid_diagram(const Problem& problem, const LaunchShape& shape,
                     const std::vector<Region>& regions);
// The same for a block's tile of C, with the elements that a warp and one of its threads store.
Diagram tile_part_diagram(const TileOwners& tile, int warp, int thread);

// A diagram before it becomes an <svg> element or a part of a larger one.
struct Drawing {
  std::string kind;  // its class in picture.css
  std::string what;  // a description, plain text
  int width = 0, height = 0;
  std::string body;  // SVG elements
};
Drawing drawing_of(const Diagram& diagram);
std::string svg_element(const Diagram& diagram);

// Texts of SVG files: drawings of a trace, of who loads what, and of a thread. They contain their
// style, for light and dark, and no paths of this machine.
std::string trace_svg(const Trace& trace, const std::string& title, const Selection& selection,
                      const std::vector<SelectedLine>& lines);
std::string who_loads_svg(const WhoLoads& who, std::optional<int> warp = std::nullopt);
// The thread's reads and writes in its block's tiles and in shared memory.
std::string thread_svg(const Trace& trace, const ThreadStory& story);

}  // namespace gemm_tutor
