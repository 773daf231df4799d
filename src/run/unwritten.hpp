// Draws a small map of the elements of C that no thread has written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemm/verification.hpp"
#include "run/launch_shape.hpp"

namespace gemm_tutor {

// A map of a part of C. A character is a cell of `rows` × `columns` elements, fewer at the edges.
// '#' means that all of them were written, '.' none, '+' some.
struct WriteMap {
  Region region;
  int rows = 1, columns = 1;
  std::vector<std::string> lines;  // at most 16 lines of at most 32 characters
};

// Draws the first of `tiles` that has an unwritten element. If no element of that tile was written,
// draws all of C, unless `tiles` is only a part of it. Empty `tiles` means all tiles of C.
WriteMap draw_unwritten(const Problem& problem, std::span<const float> c, const LaunchShape& shape,
                        const std::vector<Region>& tiles);

// Returns the written elements of each row, as strips without gaps.
std::vector<Region> written_strips(const Problem& problem, std::span<const float> c);

// If blocks did not write their `tiles`, but the same number of elements elsewhere, returns where.
// This happens if a kernel computes the tiles in another order. Otherwise returns nothing.
std::vector<Region> written_elsewhere(const Problem& problem, std::span<const float> c,
                                      const std::vector<Region>& tiles);

}  // namespace gemm_tutor
