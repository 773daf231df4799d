#include "run/downsampled_grid.hpp"

#include <algorithm>

#include "support/numbers.hpp"

namespace gemm_tutor {
namespace {

constexpr int most_characters = 32;

}  // namespace

DownsampledGrid downsample(const Region& region,
                           const std::function<char(const Region&)>& character, int most_lines) {
  DownsampledGrid map;
  map.rows = ceil_divide(region.rows(), most_lines);
  map.columns = ceil_divide(region.columns(), most_characters);
  for (int row = region.row_begin; row < region.row_end; row += map.rows) {
    std::string& line = map.lines.emplace_back();
    for (int column = region.column_begin; column < region.column_end; column += map.columns) {
      line += character({row, std::min(row + map.rows, region.row_end), column,
                         std::min(column + map.columns, region.column_end)});
    }
  }
  return map;
}

}  // namespace gemm_tutor
