// Diagnoses a wrong result: where C is wrong, and which mistake gives its values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "gemm/verification.hpp"
#include "run/downsampled_grid.hpp"

namespace gemm_tutor {

// A small map of C. A cell is '.' if all its elements are right, 'x' if all are wrong, '+' if some
// are, and '?' if none was written.
using ResultMap = DownsampledGrid;

struct Diagnosis {
  Problem problem;
  std::int64_t wrong = 0, unwritten = 0;  // elements; unwritten ones are also wrong
  WrongElement first;                     // in row-major order; a written one, if there is one
  ResultMap map;
  // Exactly which elements are wrong: "rows 64 to 66, which are beyond the last whole tile"; "every
  // second column, from column 0"; "all of C".
  std::string where;
  // A sentence that explains the wrong values: "The first of K = 41 products is missing." Empty if
  // no common mistake gives them.
  std::string values;
};

struct WrongProduct {
  Problem problem;
  LaunchShape shape;
  std::span<const float> a, b, c;  // row-major
  Scaling scaling = {};
  // True if the kernel computes A·B of row-major A and B. Only then are the values explained.
  bool is_usual = true;
};

// Checks all M·N elements, so M·N·K should be at most about 2^24. The texts are empty for a right
// product. `others` are of the same kernel at other sizes, where a named index must be the same.
// Throws Interrupted.
Diagnosis diagnose(const WrongProduct& product, Activity* activity = nullptr,
                   std::span<const WrongProduct> others = {});

}  // namespace gemm_tutor
