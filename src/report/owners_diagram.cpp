// Draws the owners of a tile's elements, from the emulator's recording.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "report/concept_diagrams.hpp"
#include "report/launch_text.hpp"
#include "report/picture_svg.hpp"
#include "run/target.hpp"
#include "support/text.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {
namespace {

using DrawingOf = KernelDrawing::Of;

constexpr int tile_x = 6, tile_y = 1, colours_of_owners = 8;
constexpr std::string_view owner_letters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

const TileOwners& tile_of(const WhoLoads& who, char matrix) {
  return matrix == 'A' ? who.a : matrix == 'B' ? who.b : who.c;
}

std::string letter_of_owner(int number) {
  const auto place = static_cast<std::size_t>(number) % owner_letters.size();
  return std::string(1, owner_letters[place]);
}

// "0–3 and 64–67".
std::string ranges_text(const std::set<int>& numbers) {
  std::vector<std::string> ranges;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const int first = *at;
    int last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    ranges.push_back(first == last ? std::to_string(first) : fmt::format("{}–{}", first, last));
  }
  return join(ranges, " and ");
}

// Of a matrix, not of the tile.
struct OwnedPlaces {
  std::set<int> rows, columns;

  std::string text() const {
    if (rows.empty()) return "no element";
    return fmt::format("row{} {}, column{} {}", rows.size() == 1 ? "" : "s", ranges_text(rows),
                       columns.size() == 1 ? "" : "s", ranges_text(columns));
  }
};

template <typename Test>
OwnedPlaces places_of(const TileOwners& tile, const Test& is_part) {
  OwnedPlaces places;
  for (int row = tile.region.row_begin; row < tile.region.row_end; ++row) {
    for (int column = tile.region.column_begin; column < tile.region.column_end; ++column) {
      if (!is_part(tile.at(row, column))) continue;
      places.rows.insert(row);
      places.columns.insert(column);
    }
  }
  return places;
}

OwnedPlaces places_of_warp(const TileOwners& tile, int warp) {
  return places_of(tile, [&](const Owner& owner) { return owner.warp == warp; });
}

OwnedPlaces places_of_thread(const TileOwners& tile, int thread) {
  return places_of(tile, [&](const Owner& owner) { return owner.thread == thread; });
}

// "Thread 17 (1, 1)": its number in the block, and its threadIdx where that has two parts.
std::string thread_name(const Trace& trace, int thread) {
  const simt::Dim3& block = trace.launch.block;
  if (block.y == 1) return fmt::format("Thread {}", thread);
  const auto number = static_cast<unsigned>(thread);
  return fmt::format("Thread {} ({}, {})", thread, number % block.x, number / block.x % block.y);
}

// A part of a tile, as large as there is room.
class TileCanvas {
 public:
  TileCanvas(Diagram& diagram, const Region& region, int most_columns, int most_rows)
      : diagram_(diagram),
        region_(region),
        x_(std::min(4.0, 1.0 * most_columns / region.columns())),
        y_(std::min(1.0, 1.0 * most_rows / region.rows())) {
    diagram.texts.push_back({tile_x, 0, std::to_string(region.column_begin)});
    diagram.texts.push_back(
        {tile_x + width(), 0, std::to_string(region.column_end - 1), Align::right});
    diagram.texts.push_back({tile_x - 1, tile_y, std::to_string(region.row_begin), Align::right});
    diagram.texts.push_back(
        {tile_x - 1, end() - 1, std::to_string(region.row_end - 1), Align::right});
    diagram.cells(tile_x, tile_y, width(), end() - tile_y, -1, "", ".");
  }

  // A block of the tile, which may begin before this part.
  void add(const TileOwners& tile, const OwnedBlock& block, int colour, const std::string& label,
           const std::string& fill) {
    const int row = block.row + tile.region.row_begin - region_.row_begin;
    const int column = block.column + tile.region.column_begin - region_.column_begin;
    if (row < 0 || column < 0 || row >= region_.rows() || column >= region_.columns()) return;
    diagram_.cells(tile_x + column * x_, tile_y + row * y_, block.columns * x_, block.rows * y_,
                   colour, label, fill);
  }

  double width() const { return region_.columns() * x_; }
  double end() const { return tile_y + region_.rows() * y_; }

 private:
  Diagram& diagram_;
  const Region region_;
  const double x_, y_;
};

// The first rows and columns, with each element's thread.
Diagram elements_diagram(const Trace& trace, const TileOwners& tile) {
  Diagram diagram{"Which thread computes which element"};
  constexpr int most_rows = 8, most_columns = 12, width = 5;
  const int rows = std::min(most_rows, tile.region.rows());
  const int columns = std::min(most_columns, tile.region.columns());
  diagram.texts.push_back({tile_x, 0, "columns of C, from 0 →"});
  for (int row = 0; row < rows; ++row) {
    diagram.texts.push_back({0, 1.0 * tile_y + row, fmt::format("row {}", row)});
    for (int column = 0; column < columns; ++column) {
      const Owner& owner = tile.at(row, column);
      const bool is_of_first = owner.warp == 0;
      const std::string number = std::to_string(owner.thread);
      diagram.cells(tile_x + column * width, tile_y + row, width, 1, is_of_first ? 0 : 7,
                    is_of_first ? "[" + number + "]" : number);
    }
  }
  diagram.words = fmt::format(
      "The numbers are threads of block (0, 0). Those of warp 0 are in brackets: its lanes have "
      "{}. "
      "{} has {}.",
      places_of_warp(tile, 0).text(), thread_name(trace, 1), places_of_thread(tile, 1).text());
  diagram.note(0, tile_y + rows + 1, most_diagram_columns - 2, diagram.words);
  return diagram;
}

// The elements of C of the first two threads and the last one.
Diagram threads_diagram(const Trace& trace, const TileOwners& tile) {
  Diagram diagram{"Which elements of its block's tile a thread computes"};
  TileCanvas canvas(diagram, tile.region, 32, 16);
  const auto threads = static_cast<int>(trace.launch.block.count());
  const std::string fills = "pqr";
  double y = tile_y;
  const double x = tile_x + canvas.width() + 3;
  std::set<int> shown = {0, std::min(1, threads - 1), threads - 1};
  int colour = 0;
  diagram.words = fmt::format(
      "The tile of C of block (0, 0), {} × {}, and what three of its {} "
      "threads own.",
      tile.region.rows(), tile.region.columns(), threads);
  for (const int thread : shown) {
    const std::string fill(1, fills[static_cast<std::size_t>(colour)]);
    for (const OwnedBlock& block : owned_blocks(tile, thread / 32)) {
      if (block.number == thread) canvas.add(tile, block, colour, "", fill);
    }
    const OwnedPlaces places = places_of_thread(tile, thread);
    diagram.cells(x, y, 1, 1, colour, "", fill);
    diagram.texts.push_back({x + 2, y, thread_name(trace, thread)});
    const bool has_some = !places.rows.empty();
    diagram.texts.push_back(
        {x + 2, y + 1, has_some ? "rows " + ranges_text(places.rows) : places.text()});
    if (has_some) {
      diagram.texts.push_back({x + 2, y + 2, "columns " + ranges_text(places.columns)});
    }
    diagram.words += fmt::format(" {}: {}.", thread_name(trace, thread), places.text());
    y += 4;
    ++colour;
  }
  return diagram;
}

std::string part_done(const TileOwners& tile) {
  return tile.matrix == 'C' ? "of C that it stores"
                            : fmt::format("of {} that it loads in the first step", tile.matrix);
}

Diagram warps_diagram(const Trace& trace, const TileOwners& tile) {
  Diagram diagram{fmt::format("The warps of a block and their parts of {}", tile.matrix)};
  TileCanvas canvas(diagram, tile.region, 64, 16);
  for (const OwnedBlock& block : owned_blocks(tile, std::nullopt)) {
    canvas.add(tile, block, block.number % colours_of_owners, std::to_string(block.number),
               letter_of_owner(block.number));
  }
  diagram.words =
      fmt::format("Each number is one of the {} of block (0, 0), at the part {}. Warp 0 has {}.",
                  counted(trace.warps(), "warp"), part_done(tile), places_of_warp(tile, 0).text());
  diagram.note(0, static_cast<int>(canvas.end()) + 1, most_diagram_columns - 2, diagram.words);
  return diagram;
}

Region bounds_of(const TileOwners& tile, const OwnedPlaces& places) {
  if (places.rows.empty()) return tile.region;
  return {*places.rows.begin(), *places.rows.rbegin() + 1, *places.columns.begin(),
          *places.columns.rbegin() + 1};
}

Diagram lanes_diagram(const TileOwners& tile) {
  Diagram diagram{fmt::format("The lanes of warp 0 and their parts of {}", tile.matrix)};
  const OwnedPlaces places = places_of_warp(tile, 0);
  const Region part = bounds_of(tile, places);
  TileCanvas canvas(diagram, part, 64, 16);
  for (const OwnedBlock& block : owned_blocks(tile, 0)) {
    const int lane = block.number % 32;
    canvas.add(tile, block, lane % colours_of_owners, std::to_string(lane), letter_of_owner(lane));
  }
  diagram.words = fmt::format(
      "Warp 0 and the part {}: {}. The numbers are its lanes. Lane 0 has {}; lane 1 has {}.",
      part_done(tile), places.text(), places_of_thread(tile, 0).text(),
      places_of_thread(tile, 1).text());
  diagram.fills = "Lanes 10 to 31 are drawn as a to v.";
  diagram.note(0, static_cast<int>(canvas.end()) + 1, most_diagram_columns - 2, diagram.words);
  return diagram;
}

// A smaller extent with one whole piece and the same last piece as `extent`.
int few_pieces(int extent, int piece, int whole) {
  const auto most = std::int64_t{whole} * piece;
  return extent <= most ? extent : static_cast<int>(most) + extent % piece;
}

}  // namespace

bool is_of_owners(const KernelDrawing& drawing) { return drawing.of >= DrawingOf::elements; }

std::optional<Trace> trace_of_owners(const LessonKernel& of, const RunOptions& options) {
  if (std::ranges::none_of(of.kernel->drawings, is_of_owners)) return {};
  const LaunchShape shape = of.kernel->shape(of.settings);
  RunOptions few = options;
  few.problem = {few_pieces(options.problem.m, shape.tile_rows, 1),
                 few_pieces(options.problem.n, shape.tile_columns, 1),
                 few_pieces(options.problem.k, shape.tile_depth, 2)};
  few.trace = TraceRequest();
  return trace_kernel(*of.lesson, *of.kernel, of.settings, few);
}

Diagram owners_diagram(const KernelDrawing& drawing, const Trace& trace) {
  const WhoLoads who = who_loads(trace, 0);
  const TileOwners& tile = tile_of(who, drawing.matrix);
  if (drawing.of == DrawingOf::elements) return elements_diagram(trace, tile);
  if (drawing.of == DrawingOf::owners) return threads_diagram(trace, tile);
  return drawing.of == DrawingOf::warps ? warps_diagram(trace, tile) : lanes_diagram(tile);
}

}  // namespace gemm_tutor
