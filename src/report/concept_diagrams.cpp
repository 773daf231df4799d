#include "report/concept_diagrams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "course/recorded.hpp"
#include "run/stream_k_schedule.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

// Colours in picture.css: for C, A, B and others.
constexpr int c_colour = 0, a_colour = 1, b_colour = 2, other_colour = 7;

// --- Sides of matrices

// A side of a matrix is divided into pieces. The first ones and the last one are drawn.
struct DrawnPiece {
  std::int64_t number = 0, begin = 0, end = 0;  // of the matrix
  int at = 0, size = 0;                         // of the drawing
};

struct CutSide {
  std::vector<DrawnPiece> pieces;
  std::int64_t count = 0;
  int gap_at = -1;  // where pieces are left out; -1 for nowhere
  int end = 0;

  // One in the midst, where there is one.
  const DrawnPiece& chosen() const { return pieces[count > 2 ? 1 : 0]; }
  std::int64_t last_size() const { return pieces.back().end - pieces.back().begin; }
};

struct PieceLook {
  int size = 2, least_size = 2, gap = 1;
  std::int64_t most = 3;
};

CutSide cut_side(std::int64_t extent, std::int64_t piece, const PieceLook& look) {
  CutSide side;
  side.count = ceil_divide(extent, piece);
  for (std::int64_t number = 0; number < side.count; ++number) {
    if (side.count > look.most && number == look.most - 1) {
      side.gap_at = side.end;
      side.end += look.gap;
      number = side.count - 1;
    }
    const std::int64_t begin = number * piece, end = std::min(extent, begin + piece);
    const double share = static_cast<double>(end - begin) / static_cast<double>(piece);
    const int size = std::max(look.least_size, static_cast<int>(std::lround(look.size * share)));
    side.pieces.push_back({number, begin, end, side.end, size});
    side.end += size;
  }
  return side;
}

// --- Tiles along K

std::string tile_name(std::int64_t rows, std::int64_t columns) {
  return fmt::format("{}×{}", with_thousands(rows), with_thousands(columns));
}

// "The last tiles have 8 rows and 4 columns, and the last step is 2 deep."
std::string cut_text(const CutSide& rows, const CutSide& columns, const CutSide& depth,
                     const LaunchShape& tile) {
  std::vector<std::string> cut;
  if (rows.last_size() < tile.tile_rows) cut.push_back(counted(rows.last_size(), "row"));
  if (columns.last_size() < tile.tile_columns) {
    cut.push_back(counted(columns.last_size(), "column"));
  }
  std::string text;
  if (!cut.empty()) text = fmt::format(" The last tiles of C have {}.", join(cut, " and "));
  if (depth.last_size() < tile.tile_depth) {
    text += fmt::format(" The last step is {} deep.", depth.last_size());
  }
  return text;
}

std::string walk_text(const CutSide& rows, const CutSide& columns, const CutSide& depth,
                      const LaunchShape& tile) {
  if (tile.tile_rows == 1 && tile.tile_columns == 1) {
    return fmt::format(
        "An element of C is a sum of {}: a row of A times a column of B, element by element.",
        counted(depth.count, "product"));
  }
  return fmt::format(
      "C is cut in {} tiles. A block computes one of them, {}, in {} along K. Each needs {} of A "
      "and {} "
      "of B.{}",
      tile_name(rows.count, columns.count), tile_name(tile.tile_rows, tile.tile_columns),
      counted(depth.count, "step"), tile_name(tile.tile_rows, tile.tile_depth),
      tile_name(tile.tile_depth, tile.tile_columns), cut_text(rows, columns, depth, tile));
}

LaunchShape shape_of(const DrawnKernel& drawn) {
  return drawn.kernel.shape ? drawn.kernel.shape(drawn.settings)
                            : LaunchShape{.block = {}, .tile_depth = 1};
}

// Evaluates an expression of lesson.toml; `otherwise` if it is empty.
int value_of(const std::string& expression, const DrawnKernel& drawn, int otherwise) {
  if (expression.empty()) return otherwise;
  const Values values = values_before(drawn.kernel, drawn.settings, drawn.problem);
  return std::max(1, static_cast<int>(evaluated(expression, values)));
}

// --- Shares of tiles

// Of one tile: the steps that a block takes of it.
struct BlockShare {
  std::int64_t block = 0, first_step = 0, steps = 0;
};

std::map<std::int64_t, std::vector<BlockShare>> shares_by_tile(const StreamKSchedule& schedule) {
  std::map<std::int64_t, std::vector<BlockShare>> shares;
  for (std::int64_t block = 0; block < schedule.blocks(); ++block) {
    for (const TilePiece& piece : schedule.pieces(block)) {
      shares[piece.tile].push_back({block, piece.first_step, piece.steps});
    }
  }
  for (auto& [tile, of_tile] : shares) {
    std::ranges::sort(of_tile, {}, &BlockShare::first_step);
  }
  return shares;
}

constexpr int shares_at = 11, shares_width = 60;  // of a tile's bar

void add_shares(Diagram& diagram, int row, std::int64_t tile, const std::vector<BlockShare>& shares,
                std::int64_t steps) {
  diagram.texts.push_back({0, row + 1.0, fmt::format("tile {}", tile)});
  const auto place = [&](std::int64_t step) {
    const std::int64_t column = shares_at + shares_width * step / steps;
    return static_cast<double>(column);
  };
  for (const BlockShare& share : shares) {
    const double begin = place(share.first_step), end = place(share.first_step + share.steps);
    if (end - begin < 1) continue;
    std::string label = fmt::format("block {}", share.block);
    if (columns(label) >= end - begin) label = std::to_string(share.block);
    diagram.boxes.push_back({begin, 1.0 * row, end - begin, 2, std::move(label),
                             static_cast<int>(share.block % other_colour)});
  }
}

// The first whole tiles, the first shared ones, and the last one.
std::vector<std::int64_t> tiles_shown(const StreamKSchedule& schedule) {
  constexpr std::int64_t most_whole = 1, most_shared = 4;
  const std::int64_t shared = schedule.tiles() - schedule.tiles_shared();
  std::vector<std::int64_t> tiles;
  for (std::int64_t tile = 0; tile < schedule.tiles(); ++tile) {
    const std::int64_t place = tile < shared ? tile : tile - shared;
    const bool is_first = place < (tile < shared ? most_whole : most_shared);
    if (is_first || tile + 1 == schedule.tiles()) tiles.push_back(tile);
  }
  return tiles;
}

std::string shares_text(const StreamKSchedule& schedule) {
  std::string text = fmt::format("{} and {}.", counted(schedule.tiles(), "tile"),
                                 counted(schedule.blocks(), "block"));
  if (schedule.whole_waves() > 0) {
    text += fmt::format(" In {} each block computes one whole tile.",
                        schedule.whole_waves() == 1
                            ? "the first wave"
                            : fmt::format("the first {} waves", schedule.whole_waves()));
  }
  if (schedule.tiles_shared() == 0) return text + " No tile is left to share.";
  return text + fmt::format(" {} × {} are left, and each block takes an equal share of them.",
                            counted(schedule.tiles_shared(), "tile"),
                            counted(schedule.steps(), "step"));
}

}  // namespace

Diagram tiles_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn) {
  LaunchShape tile = shape_of(drawn);
  tile.tile_depth = value_of(drawing.depth, drawn, tile.tile_depth);
  const Problem& p = drawn.problem;
  const auto digits = std::to_string(ceil_divide(p.k, tile.tile_depth) - 1).size();
  const int step = static_cast<int>(std::max<std::size_t>(digits, 2)) + 1;
  const bool is_large = tile.tile_rows >= 128;
  const int width = tile.tile_columns >= 128 ? 10 : tile.tile_columns >= 64 ? 8 : 6;
  const CutSide rows = cut_side(p.m, tile.tile_rows, {is_large ? 3 : 2, 2, 1});
  const CutSide columns = cut_side(p.n, tile.tile_columns, {width, 3, 4});
  const CutSide a_depth = cut_side(p.k, tile.tile_depth, {step, step, 4, 4});
  const CutSide b_depth = cut_side(p.k, tile.tile_depth, {2, 2, 1});

  Diagram diagram{"Tiles along K"};
  diagram.words = walk_text(rows, columns, a_depth, tile);
  constexpr int least_corner = 27, gap = 3;
  const int corner = std::max(least_corner, a_depth.end), c_x = corner + gap;
  const int a_x = corner - a_depth.end;
  const int noted = diagram.note(0, 0, corner, diagram.words);
  const int c_y = std::max(noted + 1, b_depth.end + 3), b_y = c_y - 2 - b_depth.end;

  const auto add = [&](int x, int y, int box_width, int box_height, int colour = -1,
                       std::string label = {}, std::string fill = {}) {
    diagram.boxes.push_back({1.0 * x, 1.0 * y, 1.0 * box_width, 1.0 * box_height, std::move(label),
                             colour, std::move(fill)});
  };
  const auto title = [&](int x, int y, char matrix, int height, int length) {
    diagram.texts.push_back(
        {1.0 * x, 1.0 * y, fmt::format("{} {}", matrix, tile_name(height, length))});
  };
  title(a_x, c_y - 1, 'A', p.m, p.k);
  title(c_x, b_y - 1, 'B', p.k, p.n);
  title(c_x, c_y - 1, 'C', p.m, p.n);
  add(a_x, c_y, a_depth.end, rows.end);
  add(c_x, b_y, columns.end, b_depth.end);
  add(c_x, c_y, columns.end, rows.end);
  for (const DrawnPiece& row : rows.pieces) {
    for (const DrawnPiece& column : columns.pieces) {
      add(c_x + column.at, c_y + row.at, column.size, row.size);
    }
  }
  const DrawnPiece &row = rows.chosen(), &column = columns.chosen();
  add(c_x + column.at, c_y + row.at, column.size, row.size, c_colour, "", "▒");
  for (const DrawnPiece& k : a_depth.pieces) {
    add(a_x + k.at, c_y + row.at, k.size, row.size, a_colour, std::to_string(k.number));
  }
  for (const DrawnPiece& k : b_depth.pieces) {
    add(c_x + column.at, b_y + k.at, column.size, k.size, b_colour, std::to_string(k.number));
  }
  const auto mark_gap = [&](int gap_at, int x, int y) {
    if (gap_at >= 0) diagram.texts.push_back({1.0 * x, 1.0 * y, "…", Align::center});
  };
  const int row_middle = c_y + row.at + row.size / 2;
  mark_gap(a_depth.gap_at, a_x + a_depth.gap_at + 2, row_middle);
  mark_gap(columns.gap_at, c_x + columns.gap_at + 2, row_middle);
  return diagram;
}

Diagram outer_product_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn) {
  const bool has_order = !drawing.order.empty();
  const Expression order = Expression::parse(has_order ? drawing.order : "0");
  Values values = values_before(drawn.kernel, drawn.settings, drawn.problem);
  const auto label = [&](std::int64_t i, std::int64_t j) {
    values["i"] = static_cast<double>(i);
    values["j"] = static_cast<double>(j);
    return has_order ? number_text(order.value(values)) : "+";
  };
  const int tm = drawn.settings["TM"], tn = drawn.settings["TN"];
  const CutSide rows = cut_side(tm, 1, {1, 1, 1, 8}), columns = cut_side(tn, 1, {4, 4, 4, 16});
  Diagram diagram{"The outer product of a thread"};
  constexpr int left = 5, top = 1;
  for (const DrawnPiece& b : columns.pieces) {
    diagram.cells(left + b.at, 0, b.size - 0.5, 1, b_colour, fmt::format("b{}", b.number));
  }
  for (const DrawnPiece& a : rows.pieces) {
    diagram.cells(0, top + a.at, 3.5, a.size, a_colour, fmt::format("a{}", a.number));
    for (const DrawnPiece& b : columns.pieces) {
      diagram.cells(left + b.at, top + a.at, b.size - 0.5, a.size, c_colour,
                    label(a.number, b.number));
    }
  }
  if (rows.gap_at >= 0) diagram.texts.push_back({1, 1.0 * top + rows.gap_at, "…"});
  if (columns.gap_at >= 0) diagram.texts.push_back({1.0 * left + columns.gap_at + 1, 0, "…"});
  diagram.words = fmt::format(
      "For one k a thread takes {} of A and {} of B. Each {} is a multiply-add to a sum of its "
      "own, {} × {} = {} in all.{}",
      counted(tm, "value"), counted(tn, "value"), has_order ? "number" : "+", tm, tn, tm * tn,
      has_order ? " The numbers are the order of the multiply-adds." : "");
  diagram.note(0, top + rows.end + 1, most_diagram_columns - 2, diagram.words);
  return diagram;
}

Diagram timeline_diagram(const KernelDrawing& drawing, const DrawnKernel& drawn) {
  const int stages = value_of(drawing.stages, drawn, 1);
  const int depth = value_of(drawing.depth, drawn, shape_of(drawn).tile_depth);
  const std::int64_t steps = ceil_divide(drawn.problem.k, depth);
  constexpr int slots = 6, slot = 10, left = 10, top = 1;
  const int busy_row = top + 2 * stages + 1;
  Diagram diagram{"Loads and multiply-adds over time"};
  diagram.texts = {{left, 0, "time →"}, {0, 1.0 * busy_row, "computing"}};
  for (int stage = 0; stage < stages; ++stage) {
    diagram.texts.push_back({0, top + 2.0 * stage + 1, fmt::format("buffer {}", stage)});
  }
  const auto add = [&](std::int64_t begin, std::int64_t end, std::int64_t stage, int colour,
                       std::string label) {
    diagram.boxes.push_back(
        {1.0 * left + 1.0 * slot * static_cast<double>(begin),
         top + 2.0 * static_cast<double>(stage),
         1.0 * slot * static_cast<double>(std::min<std::int64_t>(end, slots) - begin), 2,
         std::move(label), colour});
  };
  for (std::int64_t step = 0; step < steps; ++step) {
    // A buffer is free when its previous step has been computed.
    const std::int64_t begin =
        stages == 1 ? 2 * step : std::max<std::int64_t>(0, step - stages + 2);
    const std::int64_t end = stages == 1 ? begin + 1 : step + 1;
    if (begin >= slots) break;
    add(begin, end, step % stages, a_colour, fmt::format("load {}", step));
    if (end >= slots) continue;
    add(end, end + 1, step % stages, c_colour, fmt::format("compute {}", step));
    diagram.cells(left + slot * static_cast<double>(end) + 0.5, busy_row, slot, 1, c_colour, "",
                  "█");
  }
  const std::string in_flight =
      stages == 2 ? "the next one is loaded to the other buffer"
                  : fmt::format("the loads of the next {} are in flight", stages - 1);
  diagram.words = fmt::format(
      "{} along K, {} deep. {} The widths are not measured.", counted(steps, "step"), depth,
      stages == 1
          ? "There is one buffer for each tile: the block computes nothing while it is filled."
          : fmt::format("While one step is computed, {}. If a load takes no longer than "
                        "that, nothing waits for it.",
                        in_flight));
  diagram.note(0, busy_row + 2, most_diagram_columns - 2, diagram.words);
  return diagram;
}

Diagram shares_diagram(const DrawnKernel& drawn) {
  const StreamKSchedule schedule(shape_of(drawn), drawn.problem);
  Diagram diagram{"Which block computes which steps of which tile"};
  diagram.words = shares_text(schedule);
  const auto shares = shares_by_tile(schedule);
  diagram.texts.push_back({shares_at, 0, "steps along K →"});
  int row = 1;
  std::int64_t before = -1;
  for (const std::int64_t tile : tiles_shown(schedule)) {
    if (tile != before + 1) diagram.texts.push_back({2, 1.0 * ++row, "…"});
    add_shares(diagram, row, tile, shares.at(tile), schedule.steps());
    row += 2;
    before = tile;
  }
  diagram.note(0, row + 2, most_diagram_columns - 2, diagram.words);
  return diagram;
}

Diagram rates_diagram() {
  constexpr std::string_view device = "NVIDIA H200";
  const double peak = simt::find_gpu("h200").peak_flops() / 1e12;
  Diagram diagram{"What cuBLAS reaches"};
  constexpr int left = 8, width = 44;
  int row = 0;
  for (const int size : {512, 1024, 2048, 4096, 8192}) {
    const auto time = recorded_cublas_timing({size, size, size}, device);
    if (!time) continue;
    diagram.texts.push_back({6, 1.0 * row, with_thousands(size), Align::right});
    diagram.cells(left, row, width * time->tflops / peak, 1, c_colour, "", "█");
    diagram.texts.push_back(
        {left + width + 2, 1.0 * row,
         fmt::format("{:.1f} TFLOP/s, {:.0f} %", time->tflops, 100 * time->tflops / peak)});
    ++row;
  }
  diagram.words = fmt::format(
      "cuBLAS on an {} by the size M = N = K, as recorded. A full bar would be the {:.1f} TFLOP/s "
      "that its FP32 units can do.",
      device, peak);
  diagram.note(0, row + 1, most_diagram_columns - 2, diagram.words);
  return diagram;
}

std::vector<DrawnConcept> setting_concepts(const DrawnKernel& drawn) {
  using Of = KernelDrawing::Of;
  std::vector<DrawnConcept> result;
  for (const KernelDrawing& drawing : drawn.kernel.drawings) {
    const auto add = [&](Diagram diagram) { result.push_back({drawing.text, std::move(diagram)}); };
    if (drawing.of == Of::tiles) add(tiles_diagram(drawing, drawn));
    if (drawing.of == Of::outer) add(outer_product_diagram(drawing, drawn));
    if (drawing.of == Of::timeline) add(timeline_diagram(drawing, drawn));
    if (drawing.of == Of::shares) add(shares_diagram(drawn));
    if (drawing.of == Of::rates) add(rates_diagram());
  }
  return result;
}

std::vector<DrawnConcept> owner_concepts(const Kernel& kernel, const Trace& owners) {
  std::vector<DrawnConcept> result;
  for (const KernelDrawing& drawing : kernel.drawings) {
    if (is_of_owners(drawing)) result.push_back({drawing.text, owners_diagram(drawing, owners)});
  }
  return result;
}

std::vector<DrawnConcept> drawn_concepts(const DrawnKernel& drawn,
                                         const std::optional<Trace>& owners) {
  std::vector<DrawnConcept> result = setting_concepts(drawn);
  if (owners) std::ranges::move(owner_concepts(drawn.kernel, *owners), std::back_inserter(result));
  return result;
}

std::vector<DrawnConcept> drawn_concepts(const LessonRun& run, const RunOptions& options) {
  return drawn_concepts({*run.kernel, run.settings, run.problem}, trace_of_owners(run, options));
}

}  // namespace gemm_tutor
