#include "trace/who_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "run/stream_k_schedule.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "trace/picture.hpp"
#include "trace/steps_along_k.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::MemorySpace;

std::size_t place_in(const Region& region, int row, int column) {
  return static_cast<std::size_t>(row - region.row_begin) *
             static_cast<std::size_t>(region.columns()) +
         static_cast<std::size_t>(column - region.column_begin);
}

TileOwners no_owners(char matrix, const Region& region) {
  return {matrix, region, std::vector<Owner>(static_cast<std::size_t>(region.elements()))};
}

void add_owner(Owner& owner, int warp, int thread) {
  if (owner.warp < 0) {
    owner = {warp, thread};
    return;
  }
  owner.several_warps |= owner.warp != warp;
  owner.several_threads |= owner.thread != thread;
}

// The tile's owner at that element, if it is in the tile.
void add_element(TileOwners& tile, const Element& element, int warp, int thread) {
  const Region& region = tile.region;
  const auto [row, column] = std::pair{element.indices[0], element.indices[1]};
  const bool is_inside = row >= region.row_begin && row < region.row_end &&
                         column >= region.column_begin && column < region.column_end;
  if (!is_inside) return;
  const std::size_t place = place_in(region, static_cast<int>(row), static_cast<int>(column));
  add_owner(tile.owners[place], warp, thread);
}

// The first tile that the block computes, or helps to.
Region first_tile(const Trace& trace) {
  return block_regions(trace.kernel.shape, trace.problem, trace.block).front();
}

// What the block computes of that tile, where the grid shares tiles.
struct FirstPiece {
  std::int64_t tiles = 1;           // that the block has a part of
  std::int64_t begin = 0, end = 0;  // along K
  bool is_whole = true;
};

std::optional<FirstPiece> first_piece(const Trace& trace) {
  if (!trace.kernel.shape.stream_k) return {};
  const StreamKSchedule schedule(trace.kernel.shape, trace.problem);
  const std::vector<TilePiece> pieces = schedule.pieces(trace.block.x);
  const TilePiece& first = pieces.front();
  const std::int64_t depth = trace.kernel.shape.tile_depth;
  return FirstPiece{
      std::ssize(pieces), first.first_step * depth,
      std::min<std::int64_t>((first.first_step + first.steps) * depth, trace.problem.k),
      first.steps == schedule.steps()};
}

// Maps the block's first part of the workspace, where it stores its sums of a shared tile, to that
// tile. Returns nothing for the block's other tiles.
std::optional<Element> in_first_tile(const Trace& trace, const FirstPiece& piece, Element element) {
  if (element.array == "A" || element.array == "B") {
    const std::int64_t along_k = element.indices[element.array == "A" ? 1 : 0];
    const bool is_of_it = along_k >= piece.begin && along_k < piece.end;
    return is_of_it ? std::optional(std::move(element)) : std::nullopt;
  }
  if (element.array != name_of(Role::workspace)) return element;
  const Region tile = first_tile(trace);
  const std::int64_t rows = trace.kernel.shape.tile_rows;
  const std::int64_t row = element.indices[0] - 2 * std::int64_t{trace.block.x} * rows;
  if (piece.is_whole || row < 0 || row >= rows) return {};
  element.array = "C";
  element.indices = {tile.row_begin + row, tile.column_begin + element.indices[1]};
  return element;
}

// Each access of A, B or C: its elements, and whether it stores them.
template <typename Visit>
void for_each_element(const Trace& trace, Visit visit) {
  const std::optional<FirstPiece> piece = first_piece(trace);
  for (const Access& access : trace.result.accesses) {
    if (access.space != MemorySpace::global || !access.buffer) continue;
    for (const int lane : lanes_of(access.active)) {
      for (const Element& found : elements_of(trace, access, lane)) {
        if (found.indices.size() != 2) continue;
        const auto element = piece ? in_first_tile(trace, *piece, found) : std::optional(found);
        if (element) visit(*element, access.store, access.warp, 32 * access.warp + lane);
      }
    }
  }
}

// Of A and B in a step along K, and of C.
TileOwners no_owners(const Trace& trace, char matrix, const StepsAlongK& steps, std::int64_t step) {
  const Region c = first_tile(trace);
  const auto begin = static_cast<int>(step * steps.depth);
  const int end = static_cast<int>(std::min<std::int64_t>(trace.problem.k, begin + steps.depth));
  if (matrix == 'A') return no_owners('A', {c.row_begin, c.row_end, begin, end});
  if (matrix == 'B') return no_owners('B', {begin, end, c.column_begin, c.column_end});
  return no_owners('C', c);
}

}  // namespace

std::string tile_of_several(const Trace& trace) {
  const std::optional<FirstPiece> piece = first_piece(trace);
  if (!piece || (piece->tiles == 1 && piece->is_whole)) return "";
  const std::string which = piece->tiles == 1
                                ? "The block's tile"
                                : fmt::format("The first of the block's {} tiles", piece->tiles);
  if (piece->is_whole) return which + ".";
  return fmt::format("{}: of K it takes {} to {}, and its sums go to {}.", which, piece->begin,
                     piece->end - 1, name_of(Role::workspace));
}

std::int64_t first_step(const Trace& trace) {
  const std::optional<FirstPiece> piece = first_piece(trace);
  return piece ? piece->begin / trace.kernel.shape.tile_depth : 0;
}

const Owner& TileOwners::at(int row, int column) const {
  return owners[place_in(region, row, column)];
}

TilesOfSteps tiles_of_steps(const Trace& trace) {
  const StepsAlongK steps = steps_along_k(trace);
  TilesOfSteps result;
  for (std::int64_t step = 0; step < steps.count; ++step) {
    result.a.push_back(no_owners(trace, 'A', steps, step));
    result.b.push_back(no_owners(trace, 'B', steps, step));
  }
  result.c = no_owners(trace, 'C', steps, 0);
  for_each_element(trace, [&](const Element& element, bool store, int warp, int thread) {
    if (element.array == "C" && store) add_element(result.c, element, warp, thread);
    const auto step = step_of_element(element, steps);
    if (store || !step || *step < 0 || *step >= steps.count) return;
    auto& tiles = element.array == "A" ? result.a : result.b;
    add_element(tiles[static_cast<std::size_t>(*step)], element, warp, thread);
  });
  return result;
}

WhoLoads who_loads(const Trace& trace, std::int64_t step) {
  const StepsAlongK steps = steps_along_k(trace);
  if (step < 0 || step >= steps.count) {
    throw Error(
        ExitStatus::usage,
        fmt::format("there is no step {} along K: there are {}", step, with_thousands(steps.count)),
        fmt::format("Name one from 0 to {}.", steps.count - 1));
  }
  WhoLoads result{trace.block, step, steps.count,           trace.warps(),      {},
                  {},          {},   failure_of(trace, {}), not_recorded(trace)};
  result.a = no_owners(trace, 'A', steps, step);
  result.b = no_owners(trace, 'B', steps, step);
  result.c = no_owners(trace, 'C', steps, step);
  result.all_accesses = trace.result.all_accesses && !trace.result.stopped;
  result.tile = tile_of_several(trace);
  result.warnings = trace.warnings;
  for_each_element(trace, [&](const Element& element, bool store, int warp, int thread) {
    if (element.array == "A" && !store) add_element(result.a, element, warp, thread);
    if (element.array == "B" && !store) add_element(result.b, element, warp, thread);
    if (element.array == "C" && store) add_element(result.c, element, warp, thread);
  });
  return result;
}

std::vector<WhoLoads> who_loads(const Trace& trace, std::int64_t first, std::int64_t last) {
  std::vector<WhoLoads> frames = {who_loads(trace, first)};
  const std::int64_t end = std::min(std::min(last, frames[0].steps - 1), first + most_frames - 1);
  for (std::int64_t step = first + 1; step <= end; ++step) {
    frames.push_back(who_loads(trace, step));
  }
  return frames;
}

LaneAddresses shared_addresses(const simt::Access& access) {
  LaneAddresses addresses{};
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
    addresses[lane] = shared_origin + static_cast<std::uint32_t>(access.offsets[lane]);
  }
  return addresses;
}

std::uint64_t first_offset(const simt::Access& access) {
  const auto lane = static_cast<std::size_t>(std::countr_zero(access.active));
  return access.active == 0 ? 0 : access.offsets[lane];
}

std::optional<std::int64_t> stride_of(const simt::Access& access) {
  std::optional<std::int64_t> stride;
  std::optional<std::uint64_t> last;
  for (std::size_t lane = 0; lane < access.offsets.size(); ++lane) {
    if (!(access.active >> lane & 1)) continue;
    if (last) {
      const auto step = static_cast<std::int64_t>(access.offsets[lane] - *last);
      if (stride && *stride != step) return std::nullopt;
      stride = step;
    }
    last = access.offsets[lane];
  }
  return stride;
}

}  // namespace gemm_tutor
