// Draws a part of C as a small grid of characters. Each character is a cell of many elements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gemm/verification.hpp"

namespace gemm_tutor {

// A cell has `rows` × `columns` elements, fewer at the edges.
struct DownsampledGrid {
  int rows = 1, columns = 1;
  std::vector<std::string> lines;  // at most 32 characters each
};

// `character` returns the character of a cell, which is a part of `region`.
DownsampledGrid downsample(const Region& region,
                           const std::function<char(const Region&)>& character,
                           int most_lines = 16);

}  // namespace gemm_tutor
