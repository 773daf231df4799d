// A part of C drawn small, whatever its characters say.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gemm/verification.hpp"

namespace gemm_tutor {

// Each character stands for `rows` × `columns` elements, fewer at the edges.
struct SmallMap {
  int rows = 1, columns = 1;
  std::vector<std::string> lines;  // of at most 32 characters
};

// `character` is what stands for a cell: a piece of `region`.
SmallMap draw_small(const Region& region, const std::function<char(const Region&)>& character,
                    int most_lines = 16);

}  // namespace gemm_tutor
