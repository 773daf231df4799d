// Draws the part of C that a block computes, and the parts of its threads.
#include <fmt/format.h>

#include <algorithm>

#include "documents/drawing.hpp"
#include "documents/picture_svg.hpp"

namespace gemm_tutor {
namespace {

constexpr double side = 240, least_side = 12;  // of the drawing's longer and shorter side
constexpr double least_distance = 3;           // between lines that can be distinguished

// Rows and columns of elements in the drawing's own units.
class Sheet {
 public:
  Sheet(int rows, int columns) : rows_(rows), columns_(columns) {
    const double longer = std::max(rows, columns);
    width_ = std::max(least_side, side * columns / longer);
    height_ = std::max(least_side, side * rows / longer);
  }

  std::string element(const std::string& description, const std::string& body) const {
    return fmt::format(
        "<svg class=\"geometry\" viewBox=\"-1 -1 {:.4g} {:.4g}\" width=\"{:.4g}\" role=\"img\" "
        "aria-label=\"{}\">\n"
        "<rect class=\"frame\" width=\"{:.4g}\" height=\"{:.4g}\"/>\n{}</svg>\n",
        width_ + 2, height_ + 2, width_ + 2, description, width_, height_, body);
  }

  // Lines after every `rows` rows and `columns` columns; no lines if they would be too close.
  std::string lines(int rows, int columns) const {
    std::string path;
    for (int row = rows; row < rows_ && y(rows) >= least_distance; row += rows) {
      path += fmt::format("M0 {:.4g}H{:.4g}", y(row), width_);
    }
    for (int column = columns; column < columns_ && x(columns) >= least_distance;
         column += columns) {
      path += fmt::format("M{:.4g} 0V{:.4g}", x(column), height_);
    }
    return svg_path("lines", path);
  }

  std::string rectangle(int row, int column, int rows, int columns) const {
    return fmt::format("M{:.5g} {:.5g}h{:.5g}v{:.5g}h{:.5g}z", x(column), y(row),
                       std::max(x(columns), 2.0), std::max(y(rows), 2.0),
                       -std::max(x(columns), 2.0));
  }

 private:
  double x(int columns) const { return width_ * columns / columns_; }
  double y(int rows) const { return height_ * rows / rows_; }

  int rows_, columns_;
  double width_, height_;
};

// The elements that `is_part` holds of, as a rectangle for each run of them in a row.
template <typename Test>
std::string runs_of(const Sheet& sheet, const TileOwners& tile, const Test& is_part) {
  const Region& region = tile.region;
  std::string data;
  for (int row = region.row_begin; row < region.row_end; ++row) {
    for (int column = region.column_begin; column < region.column_end; ++column) {
      const int begin = column;
      while (column < region.column_end && is_part(tile.at(row, column))) ++column;
      if (column == begin) continue;
      data +=
          sheet.rectangle(row - region.row_begin, begin - region.column_begin, 1, column - begin);
    }
  }
  return data;
}

}  // namespace

std::string grid_svg(const Problem& problem, const LaunchShape& shape,
                     const std::vector<Region>& regions) {
  const Sheet sheet(problem.m, problem.n);
  std::string marked;
  for (const Region& region : regions) {
    marked +=
        sheet.rectangle(region.row_begin, region.column_begin, region.rows(), region.columns());
  }
  return sheet.element(
      fmt::format("C in {} of {} by {} elements, {} marked", shape.stream_k ? "tiles" : "blocks",
                  shape.tile_rows, shape.tile_columns,
                  shape.stream_k ? "those of one block" : "one of them"),
      sheet.lines(shape.tile_rows, shape.tile_columns) + svg_path("block", marked));
}

std::string tile_part_svg(const TileOwners& tile, int warp, int thread) {
  const int rows = tile.region.rows(), columns = tile.region.columns();
  const Sheet sheet(rows, columns);
  const auto of_warp = [&](const Owner& owner) { return owner.warp == warp; };
  const auto of_thread = [&](const Owner& owner) { return owner.thread == thread; };
  return sheet.element(
      fmt::format("The tile of C of one block, {} by {} elements, with those of warp {} and of "
                  "thread {} marked",
                  rows, columns, warp, thread),
      svg_path("warp", runs_of(sheet, tile, of_warp)) + sheet.lines(1, 1) +
          svg_path("thread", runs_of(sheet, tile, of_thread)));
}

}  // namespace gemm_tutor
