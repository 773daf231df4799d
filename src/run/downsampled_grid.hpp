// A part of C as a small grid of characters, each for a cell of many elements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gemm/verification.hpp"

namespace gemm_tutor {

// A character is a cell of `rows` × `columns` elements, fewer at the edges.
struct DownsampledGrid {
  int rows = 1, columns = 1;
  std::vector<std::string> lines;  // of at most 32 characters
};

// `character` is that of a cell: a piece of `region`.
DownsampledGrid downsample(const Region& region,
                           const std::function<char(const Region&)>& character,
                           int most_lines = 16);

}  // namespace gemm_tutor
