// Requests of memory, and tiles, as SVG. An <svg> element of a page takes its colours from the
// page; as a file of its own it brings them along, for light and dark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/picture.hpp"
#include "trace/selection.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {

// Where the request's memory begins: its lowest offset, rounded down to 128 bytes. Two requests
// with the same lanes, at the same distances from there, have the same drawing but for its names.
std::uint64_t base_of(const emulator::Access& access);

// An <svg class="access">. Of global memory a row for each 128-byte line and a cell for each
// sector, of shared memory a row for each pass and a cell for each bank; in the cells the lanes.
//   data-lanes="5"     on what stands for lanes: their numbers, with spaces between
//   data-at="512"      on it and on a row's name: its bytes after base_of()
// `names`: a row begins with its element's name; else its <text> is left empty, for a script.
std::string access_svg(const AccessPicture& picture, bool names = true);

// An <svg class="tile">: each element in the colour of the warp that loads (or stores) it, or with
// `warp` of that warp's lane. data-warp on what stands for a warp's, data-thread for a lane's.
std::string tile_svg(const TileOwners& tile, std::optional<int> warp = std::nullopt);

// Files of their own: what trace_text() and who_loads_text() say, drawn.
std::string trace_svg(const Trace& trace, const Selection& selection,
                      const std::vector<SelectedLine>& lines);
std::string who_loads_svg(const WhoLoads& who, std::optional<int> warp = std::nullopt);

}  // namespace gemm_tutor
