#include "trace/who_loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.hpp"
#include "support/text.hpp"
#include "trace/picture.hpp"
#include "trace/steps_along_k.hpp"

namespace gemm_tutor {
namespace {

using emulator::Access;
using emulator::TracedSpace;

std::size_t place_in(const Region& region, int row, int column) {
  return static_cast<std::size_t>(row - region.row_begin) *
             static_cast<std::size_t>(region.columns()) +
         static_cast<std::size_t>(column - region.column_begin);
}

TileOwners nobody_of(char matrix, const Region& region) {
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

void add_access(TileOwners& tile, const Trace& trace, const Access& access) {
  const Region& region = tile.region;
  for (const int lane : lanes_of(access.active)) {
    for (const Element& element : elements_of(trace, access, lane)) {
      if (element.indices.size() != 2) continue;
      const auto [row, column] = std::pair{element.indices[0], element.indices[1]};
      const bool is_inside = row >= region.row_begin && row < region.row_end &&
                             column >= region.column_begin && column < region.column_end;
      if (!is_inside) continue;
      const std::size_t place = place_in(region, static_cast<int>(row), static_cast<int>(column));
      add_owner(tile.owners[place], access.warp, 32 * access.warp + lane);
    }
  }
}

}  // namespace

const Owner& TileOwners::at(int row, int column) const {
  return owners[place_in(region, row, column)];
}

WhoLoads who_loads(const Trace& trace, std::int64_t step) {
  const StepsAlongK steps = steps_along_k(trace);
  if (step < 0 || step >= steps.count) {
    throw Error(
        ExitStatus::usage,
        fmt::format("there is no step {} along K: there are {}", step, with_thousands(steps.count)),
        fmt::format("Name one from 0 to {}.", steps.count - 1));
  }
  const Region c = block_region(trace.shape, trace.problem, trace.block);
  const auto begin = static_cast<int>(step * steps.depth);
  const int end = static_cast<int>(std::min<std::int64_t>(trace.problem.k, begin + steps.depth));

  WhoLoads result{trace.block, step, steps.count, trace.warps(), {}, {}, {}};
  result.a = nobody_of('A', {c.row_begin, c.row_end, begin, end});
  result.b = nobody_of('B', {begin, end, c.column_begin, c.column_end});
  result.c = nobody_of('C', c);
  result.all_accesses = trace.result.all_accesses && !trace.result.stopped;
  for (const Access& access : trace.result.accesses) {
    if (access.space != TracedSpace::global || access.buffer < 0) continue;
    const std::string& matrix = trace.matrices[static_cast<std::size_t>(access.buffer)].name;
    if (matrix == "A" && !access.store) add_access(result.a, trace, access);
    if (matrix == "B" && !access.store) add_access(result.b, trace, access);
    if (matrix == "C" && access.store) add_access(result.c, trace, access);
  }
  return result;
}

}  // namespace gemm_tutor
