// Classes of the blocks of a grid. Blocks at the right and the bottom edge often do something
// different, so a sample has blocks of every class.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt {

// A box of blocks: x in [x_begin, x_end), y in [y_begin, y_end), all z.
class BlockClass {
 public:
  BlockClass(std::uint32_t x_begin, std::uint32_t x_end, std::uint32_t y_begin, std::uint32_t y_end,
             std::uint32_t z_end)
      : x_begin_(x_begin),
        y_begin_(y_begin),
        width_(x_end - x_begin),
        height_(y_end - y_begin),
        depth_(z_end) {}

  std::uint64_t count() const { return std::uint64_t{width_} * height_ * depth_; }
  Dim3 block(std::uint64_t index) const {
    return {x_begin_ + static_cast<std::uint32_t>(index % width_),
            y_begin_ + static_cast<std::uint32_t>(index / width_ % height_),
            static_cast<std::uint32_t>(index / width_ / height_)};
  }
  bool contains(const Dim3& block) const {
    return block.x >= x_begin_ && block.x - x_begin_ < width_ && block.y >= y_begin_ &&
           block.y - y_begin_ < height_ && block.z < depth_;
  }
  // Returns `wanted` blocks, at most count(), spread evenly.
  std::vector<Dim3> spread(std::uint64_t wanted) const;

 private:
  std::uint32_t x_begin_, y_begin_, width_, height_, depth_;
};

// Returns those of the four classes that the grid has: interior, right edge, bottom edge, corner.
std::vector<BlockClass> block_classes(const Dim3& grid);

}  // namespace gemm_tutor::simt
