#include "course/tiling.hpp"

#include <fmt/format.h>

#include <limits>

#include "course/assignments.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

double stored_floats(const Problem& p, const Settings&) {
  return static_cast<double>(p.c_elements());
}

}  // namespace

TrafficFormula untiled_traffic() {
  TrafficFormula formula;
  formula.loads = "2·M·N·K";
  formula.stores = "M·N";
  formula.load_floats = [](const Problem& p, const Settings&) { return p.flops(); };
  formula.store_floats = stored_floats;
  return formula;
}

TrafficFormula tiled_traffic(std::string rows, std::string columns) {
  TrafficFormula formula;
  formula.loads = fmt::format("M·N·K·(1/{} + 1/{})", rows, columns);
  formula.stores = "M·N";
  formula.whole_tiles_only = true;
  formula.load_floats = [rows, columns](const Problem& p, const Settings& s) {
    const double products = p.flops() / 2;
    return products / s[rows] + products / s[columns];
  };
  formula.store_floats = stored_floats;
  return formula;
}

LaunchShape tiled_shape(const Settings& settings, std::int64_t static_shared_floats) {
  const int tm = settings.value_or("TM", 1), tn = settings.value_or("TN", 1);
  LaunchShape shape;
  shape.tile_rows = settings["BM"];
  shape.tile_columns = settings["BN"];
  shape.tile_depth = settings.value_or("BK", 1);
  shape.block = {static_cast<std::uint32_t>(shape.tile_columns / tn),
                 static_cast<std::uint32_t>(shape.tile_rows / tm)};
  shape.static_shared_floats = static_shared_floats;
  return shape;
}

LaunchShape tiled_shape_along_x(const Settings& settings, std::int64_t static_shared_floats) {
  LaunchShape shape = tiled_shape(settings, static_shared_floats);
  const std::uint64_t threads = shape.block.count();
  require(threads <= std::numeric_limits<int>::max(), settings,
          "(BM / TM)·(BN / TN) threads are more than an int counts");
  shape.block = {static_cast<std::uint32_t>(threads), 1};
  return shape;
}

LaunchShape ring_shape(const Settings& s) {
  require_pieces_of_four(s);
  require_warp_tiles(s);
  require(s["STAGES"] > 1, s, "STAGES must be 2 or more: one to compute from, and one to fill",
          "Give STAGES=2 or more.");
  require(std::int64_t{s["STAGES"]} * s["BK"] <= std::numeric_limits<int>::max(), s,
          "STAGES·BK is more than an int holds");
  const std::int64_t padded_floats = tile_floats(s) + 4 * std::int64_t{s["BK"]};
  LaunchShape shape = tiled_shape_along_x(s, s["STAGES"] * padded_floats);
  shape.tile_depth = s["STAGES"] * s["BK"];
  require_whole_copies(s, shape);
  return shape;
}

std::int64_t tile_floats(const Settings& settings) {
  return settings["BK"] * (std::int64_t{settings["BM"]} + settings["BN"]);
}

void require(bool holds, const Settings& settings, std::string_view rule, std::string_view help) {
  if (holds) return;
  throw Error(ExitStatus::usage, fmt::format("{}: {}", join(assignments(settings)), rule),
              std::string(help));
}

void require_multiple(const Settings& settings, std::string_view whole, std::string_view part) {
  require(settings[whole] % settings[part] == 0, settings,
          fmt::format("{} is not a multiple of {}", whole, part));
}

void require_thread_tiles(const Settings& settings) {
  require_multiple(settings, "BM", "TM");
  require_multiple(settings, "BN", "TN");
}

void require_whole_loads(const Settings& s, const LaunchShape& shape, int floats) {
  const auto at_once = static_cast<std::int64_t>(shape.block.count()) * floats;
  const bool whole = s["BK"] % floats == 0 && s["BN"] % floats == 0 &&
                     std::int64_t{s["BM"]} * s["BK"] % at_once == 0 &&
                     std::int64_t{s["BK"]} * s["BN"] % at_once == 0;
  require(whole, s,
          fmt::format("the tiles are not whole multiples of {} threads × {} floats",
                      with_thousands(shape.block.count()), floats));
}

void require_one_load_a_thread(const Settings& s, int floats) {
  require_thread_tiles(s);
  const bool fits =
      s["TN"] == floats && s["BK"] == s["BN"] / s["TN"] && s["BK"] == s["BM"] / s["TM"];
  require(fits, s, fmt::format("TN must be {}, and BK = BM / TM = BN / TN", floats));
}

void require_warp_tiles(const Settings& s) {
  require_multiple(s, "BM", "WM");
  require_multiple(s, "BN", "WN");
  require_multiple(s, "WM", "TM");
  require_multiple(s, "WN", "TN");
  const std::int64_t lanes_m = s["WM"] / s["TM"], lanes_n = s["WN"] / s["TN"];
  require(lanes_m * lanes_n == 32 && lanes_m > 1 && lanes_n > 1, s,
          "(WM / TM)·(WN / TN) must be 32, a warp's lanes, and neither of the two 1");
}

void require_whole_copies(const Settings& s, const LaunchShape& shape) {
  const auto threads = static_cast<std::int64_t>(shape.block.count());
  const bool whole = threads % s["BK"] == 0 && s["BM"] * std::int64_t{s["BK"]} % threads == 0 &&
                     threads % s["BN"] == 0 && s["BK"] % (threads / s["BN"]) == 0 &&
                     s["BK"] * std::int64_t{s["BN"]} % (4 * threads) == 0;
  require(whole, s,
          fmt::format("{} threads do not fill the tiles by whole rows, and four floats at a time",
                      with_thousands(shape.block.count())));
}

void require_pieces_of_four(const Settings& s) {
  require_thread_tiles(s);
  require(s["TM"] % 4 == 0 && s["TN"] % 4 == 0 && s["BK"] % 4 == 0, s,
          "TM, TN and BK must be multiples of 4");
}

}  // namespace gemm_tutor
