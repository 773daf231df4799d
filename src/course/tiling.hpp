// What the lessons' tiled kernels have in common: their launch, their formulas, and which values
// their settings may have.
#pragma once

#include <string>
#include <string_view>

#include "course/lesson.hpp"

namespace gemm_tutor {

// 2·M·N·K loads and M·N stores: every multiply-add loads its two floats.
TrafficFormula untiled_traffic();

// M·N·K·(1/rows + 1/columns) loads and M·N stores, where whole tiles of that shape are loaded; the
// names are of settings: "BM", "BN".
TrafficFormula tiled_traffic(std::string rows = "BM", std::string columns = "BN");

// A block of dim3(BN / TN, BM / TM) threads for a tile of BM rows and BN columns, in steps of BK
// along K where there is that setting; where there are no TM and TN they count as 1.
LaunchShape tiled_shape(const Settings& settings, std::int64_t static_shared_floats = 0);

// The same with all of the block's threads along x. Throws Error (usage) where they are more than
// an int counts.
LaunchShape tiled_shape_along_x(const Settings& settings, std::int64_t static_shared_floats);

// Likewise of one tile of A and one of B for each of STAGES stages that are filled by asynchronous
// copies, rows of A's tile 4 floats longer; each warp has a tile of WM×WN. The stages are gone
// through as a whole: a step along K is STAGES·BK. Throws Error (usage) for settings that break the
// rules of require_pieces_of_four, _warp_tiles and _whole_copies, or have one stage only.
LaunchShape ring_shape(const Settings& settings);

// BK·(BM + BN): a tile of A and one of B. (A setting may be as large as an int gets.)
std::int64_t tile_floats(const Settings& settings);

// Throws Error (usage) that names the settings' values and the rule when it does not hold. A rule
// on one setting alone has a help of its own.
void require(bool holds, const Settings& settings, std::string_view rule,
             std::string_view help = "Change another setting with it, by a second --set.");

// That `whole`, a setting, is a multiple of `part`, which is one as well.
void require_multiple(const Settings& settings, std::string_view whole, std::string_view part);

// That the block's tile is whole tiles of threads: BM a multiple of TM, and BN of TN.
void require_thread_tiles(const Settings& settings);

// That the block's threads, loading `floats` each at a time, fill both tiles by as many loads each.
void require_whole_loads(const Settings& settings, const LaunchShape& shape, int floats);

// That each thread fills `floats` of a row of B's tile by one load, and TM of A's: BK = BM / TM =
// BN / TN, TN = floats.
void require_one_load_a_thread(const Settings& settings, int floats);

// That the block's tile is whole tiles of WM×WN for its warps, and these are whole tiles of
// threads, 32 of them in more than one row and column.
void require_warp_tiles(const Settings& settings);

// That the block's threads, which copy one float of A's tile at a time and one or four of B's, fill
// both tiles by as many copies each.
void require_whole_copies(const Settings& settings, const LaunchShape& shape);

// That TM, TN and BK are multiples of 4, and that BM and BN are of TM and TN.
void require_pieces_of_four(const Settings& settings);

}  // namespace gemm_tutor
