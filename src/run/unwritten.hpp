// Which elements of C no thread wrote, drawn small.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gemm/verification.hpp"
#include "run/launch_shape.hpp"

namespace gemm_tutor {

// A part of C. A character is a cell of `rows` × `columns` elements, fewer at the edges: '#' where
// all were written, '.' where none, '+' where some.
struct WriteMap {
  Region region;
  int rows = 1, columns = 1;
  std::vector<std::string> lines;  // at most 16, of at most 32 characters
};

// Of the first of `tiles` with an element that was not written; of all of C where none of that
// tile's was, unless only `tiles` were looked at. Empty `tiles` are all those of C.
WriteMap draw_unwritten(const Problem& problem, std::span<const float> c, const LaunchShape& shape,
                        const std::vector<Region>& tiles);

// Where blocks that were to write `tiles` and did not wrote as many elements, as those of a kernel
// do that takes its tiles in an order of its own; nothing otherwise.
std::vector<Region> written_elsewhere(const Problem& problem, std::span<const float> c,
                                      const std::vector<Region>& tiles);

}  // namespace gemm_tutor
