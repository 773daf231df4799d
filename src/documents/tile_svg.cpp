#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "documents/access_words.hpp"
#include "documents/drawing.hpp"
#include "documents/launch_text.hpp"
#include "documents/picture_svg.hpp"

namespace gemm_tutor {
namespace {

constexpr int left = 36, top = 20, right_margin = 6, bottom = 8;
constexpr double tile_side = 384, largest_cell = 16, text_height = 10;
constexpr int colours = 8;  // of picture.css

// What an element is drawn as.
enum class Kind { nobody, own, several, other };
struct TileLook {
  Kind kind = Kind::nobody;
  int number = 0;  // of the warp or thread, if its own
  auto operator<=>(const TileLook&) const = default;
};

TileLook look_of(const Owner& owner, std::optional<int> warp) {
  if (owner.warp < 0) return {};
  if (!warp) return owner.several_warps ? TileLook{Kind::several} : TileLook{Kind::own, owner.warp};
  if (owner.several_threads) return {Kind::several};
  return owner.warp == *warp ? TileLook{Kind::own, owner.thread} : TileLook{Kind::other};
}

// A block of elements with the same appearance.
struct Block {
  TileLook look;
  int row = 0, column = 0, rows = 1, columns = 1;
};

std::vector<Block> runs_of(const TileOwners& tile, int row, std::optional<int> warp) {
  const Region& region = tile.region;
  std::vector<Block> runs;
  for (int column = 0; column < region.columns(); ++column) {
    const TileLook look =
        look_of(tile.at(region.row_begin + row, region.column_begin + column), warp);
    if (!runs.empty() && runs.back().look == look) {
      ++runs.back().columns;
    } else {
      runs.push_back({look, row, column});
    }
  }
  return runs;
}

// Runs of a row, each joined to one just as wide in the row above.
std::vector<Block> blocks_of(const TileOwners& tile, std::optional<int> warp) {
  std::vector<Block> blocks;
  std::map<int, std::size_t> above;  // those that reach the row, by column
  for (int row = 0; row < tile.region.rows(); ++row) {
    std::map<int, std::size_t> here;
    for (const Block& run : runs_of(tile, row, warp)) {
      const auto found = above.find(run.column);
      const bool grows = found != above.end() && blocks[found->second].columns == run.columns &&
                         blocks[found->second].look == run.look;
      if (grows) {
        ++blocks[found->second].rows;
        here[run.column] = found->second;
      } else {
        here[run.column] = blocks.size();
        blocks.push_back(run);
      }
    }
    above = std::move(here);
  }
  return blocks;
}

std::string attributes_of(const TileLook& look, std::optional<int> warp) {
  switch (look.kind) {
    case Kind::several:
      return "class=\"several\"";
    case Kind::other:
      return "class=\"other\"";
    default:
      return fmt::format("class=\"c{}\" data-{}=\"{}\"", look.number % colours,
                         warp ? "thread" : "warp", look.number);
  }
}

class TileDrawing {
 public:
  TileDrawing(const TileOwners& tile, std::optional<int> warp, bool numbers)
      : tile_(tile),
        warp_(warp),
        numbers_(numbers),
        cell_width_(std::min(largest_cell, tile_side / tile.region.columns())),
        cell_height_(std::min(largest_cell, tile_side / tile.region.rows())) {
    for (const Block& block : blocks_of(tile, warp)) {
      if (block.look.kind != Kind::nobody) add(block);
    }
    for (const auto& [column, stack] : stacks_) add_numbers(stack);
  }

  Drawing drawing() const {
    const Region& region = tile_.region;
    const double tile_width = region.columns() * cell_width_;
    const double tile_height = region.rows() * cell_height_;
    std::string body = fmt::format("<g transform=\"translate({} {})scale({:.6g} {:.6g})\">", left,
                                   top, cell_width_, cell_height_) +
                       fmt::format("<path class=\"tile-frame\" d=\"M0 0h{}v{}h-{}z\"/>",
                                   region.columns(), region.rows(), region.columns());
    for (const auto& [look, way] : ways_) {
      body += fmt::format("<path {} d=\"{}\"/>", attributes_of(look, warp_), way);
    }
    body += "</g>";
    for (const auto& [height, way] : stripes_) {
      body +=
          fmt::format("<path class=\"stripes\" stroke-width=\"{:.4g}\" d=\"{}\"/>", height, way);
    }
    body += axes(tile_width, tile_height) + "<g>" + texts_ + "</g>";
    return {"tile", fmt::format("{}: {}", tile_.matrix, region_text(region)),
            left + static_cast<int>(std::lround(tile_width)) + right_margin,
            top + static_cast<int>(std::lround(tile_height)) + bottom, body};
  }

 private:
  void add(const Block& block) {
    ways_[block.look] += fmt::format("M{} {}h{}v{}h-{}z", block.column, block.row, block.columns,
                                     block.rows, block.columns);
    const double height = block.rows * cell_height_, width = block.columns * cell_width_;
    if (block.look.kind == Kind::several) add_stripes(block, height, width);
    if (block.look.kind != Kind::own || !numbers_) return;
    const int number = warp_ ? block.look.number % 32 : block.look.number;
    if (height >= text_height) {
      add_text(std::to_string(number), block);
    } else {
      stack(block, number);
    }
  }

  void add_text(const std::string& text, const Block& block) {
    const double height = block.rows * cell_height_, width = block.columns * cell_width_;
    texts_ += fitting_text(text, "", left + block.column * cell_width_ + width / 2,
                           top + block.row * cell_height_ + height / 2 + 4, width);
  }

  // Blocks below one another that are too low for their numbers have them together.
  struct Stack {
    Block block;
    std::uint32_t numbers = 0;
  };

  void stack(const Block& block, int number) {
    if (number >= 32) return;
    Stack& stack = stacks_[block.column];
    const bool goes_on = stack.numbers != 0 && stack.block.columns == block.columns &&
                         stack.block.row + stack.block.rows == block.row &&
                         (stack.numbers >> number) == 0;
    if (goes_on) {
      stack.block.rows += block.rows;
    } else {
      add_numbers(stack);
      stack = {block};
    }
    stack.numbers |= 1u << number;
  }

  void add_numbers(const Stack& stack) {
    if (stack.numbers == 0 || stack.block.rows * cell_height_ < text_height) return;
    add_text(lanes_text(stack.numbers), stack.block);
  }

  // Stripes are dashes of a line as wide as the block is high.
  void add_stripes(const Block& block, double height, double width) {
    stripes_[height] += fmt::format("M{:.4g} {:.5g}h{:.4g}", left + block.column * cell_width_,
                                    top + block.row * cell_height_ + height / 2, width);
  }

  // The first and the last row and column, each where it is.
  std::string axes(double tile_width, double tile_height) const {
    const Region& region = tile_.region;
    std::string texts = fmt::format("<text x=\"{}\" y=\"14\">{}</text>",
                                    left + std::min(cell_width_ / 2, 8.0), region.column_begin);
    if (region.columns() > 1) {
      texts += fmt::format("<text class=\"of\" x=\"{:.4g}\" y=\"14\">{}</text>", left + tile_width,
                           region.column_end - 1);
    }
    texts +=
        fmt::format("<text class=\"of\" x=\"{}\" y=\"{:.4g}\">{}</text>", left - 5,
                    top + std::max(10.0, std::min(cell_height_ / 2 + 4, 14.0)), region.row_begin);
    if (region.rows() > 1) {
      texts += fmt::format("<text class=\"of\" x=\"{}\" y=\"{:.4g}\">{}</text>", left - 5,
                           top + tile_height - 2, region.row_end - 1);
    }
    return "<g class=\"head\">" + texts + "</g>";
  }

  const TileOwners& tile_;
  const std::optional<int> warp_;
  const bool numbers_;
  const double cell_width_, cell_height_;
  std::map<TileLook, std::string> ways_;
  std::map<double, std::string> stripes_;  // by height
  std::map<int, Stack> stacks_;            // by column
  std::string texts_;
};

}  // namespace

std::vector<OwnedBlock> owned_blocks(const TileOwners& tile, std::optional<int> warp) {
  std::vector<OwnedBlock> owned;
  for (const Block& block : blocks_of(tile, warp)) {
    if (block.look.kind != Kind::own) continue;
    owned.push_back({block.look.number, block.row, block.column, block.rows, block.columns});
  }
  return owned;
}

Drawing tile_drawing(const TileOwners& tile, std::optional<int> warp, bool numbers) {
  return TileDrawing(tile, warp, numbers).drawing();
}

std::string tile_svg(const TileOwners& tile, std::optional<int> warp) {
  return svg_element(tile_drawing(tile, warp));
}

}  // namespace gemm_tutor
