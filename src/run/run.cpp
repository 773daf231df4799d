#include "run/run.hpp"

#include <algorithm>
#include <utility>

#include "gemm/matrices.hpp"
#include "run/downsampled_grid.hpp"

namespace gemm_tutor {
namespace {

std::int64_t written_in(const Problem& problem, std::span<const float> c, const Region& region) {
  std::int64_t written = 0;
  for (int row = region.row_begin; row < region.row_end; ++row) {
    const auto begin =
        static_cast<std::size_t>(std::int64_t{row} * problem.n + region.column_begin);
    const auto line = c.subspan(begin, static_cast<std::size_t>(region.columns()));
    written += std::ranges::count_if(line, [](float value) { return !is_poison(value); });
  }
  return written;
}

WriteMap draw_writes(const Problem& problem, std::span<const float> c, const Region& region) {
  DownsampledGrid map = downsample(region, [&](const Region& cell) {
    const std::int64_t written = written_in(problem, c, cell);
    return written == 0 ? '.' : written == cell.elements() ? '#' : '+';
  });
  return {region, map.rows, map.columns, std::move(map.lines)};
}

}  // namespace

WriteMap draw_unwritten(const Problem& problem, std::span<const float> c, const LaunchShape& shape,
                        const std::vector<Region>& tiles) {
  const Region all{0, problem.m, 0, problem.n};
  const auto is_unwritten = [&](const Region& tile) {
    return written_in(problem, c, tile) < tile.elements();
  };
  if (!tiles.empty()) {
    const auto first = std::ranges::find_if(tiles, is_unwritten);
    return draw_writes(problem, c, first == tiles.end() ? all : *first);
  }
  const simt::Dim3 grid = launch_for(shape, problem).grid;
  for (std::uint64_t i = 0; i < std::uint64_t{grid.x} * grid.y; ++i) {
    for (const Region& tile : block_regions(shape, problem, place_in(grid, i))) {
      if (!is_unwritten(tile)) continue;
      return draw_writes(problem, c, written_in(problem, c, tile) == 0 ? all : tile);
    }
  }
  return draw_writes(problem, c, all);
}

std::vector<float> changed_elements(const Matrices& matrices) {
  std::vector<float> c = matrices.c;
  for (std::size_t i = 0; i < matrices.c_before.size(); ++i) {
    if (c[i] == matrices.c_before[i]) poison({&c[i], 1});
  }
  return c;
}

std::vector<Region> written_strips(const Problem& problem, std::span<const float> c) {
  std::vector<Region> strips;
  for (int row = 0; row < problem.m; ++row) {
    const auto line = c.subspan(static_cast<std::size_t>(std::int64_t{row} * problem.n),
                                static_cast<std::size_t>(problem.n));
    for (auto begin = line.begin(); begin != line.end();) {
      begin = std::find_if_not(begin, line.end(), is_poison);
      const auto end = std::find_if(begin, line.end(), is_poison);
      if (begin == end) break;
      strips.push_back({row, row + 1, static_cast<int>(begin - line.begin()),
                        static_cast<int>(end - line.begin())});
      begin = end;
    }
  }
  return strips;
}

std::vector<Region> written_elsewhere(const Problem& problem, std::span<const float> c,
                                      const std::vector<Region>& tiles) {
  std::int64_t expected = 0, written = 0;
  for (const Region& tile : tiles) {
    expected += tile.elements();
    written += written_in(problem, c, tile);
  }
  const Region all{0, problem.m, 0, problem.n};
  if (written == expected || written_in(problem, c, all) < expected) return {};
  return written_strips(problem, c);
}

std::vector<int> lines_with_accesses(const simt::Result& counted) {
  std::vector<int> lines;
  for (const simt::LineCounters& line : counted.lines) {
    const simt::Counters& c = line.counters;
    const bool any = c.global_load_requests + c.global_store_requests + c.shared_load_requests +
                         c.shared_store_requests >
                     0;
    if (any) lines.push_back(line.line);
  }
  return lines;
}

}  // namespace gemm_tutor
