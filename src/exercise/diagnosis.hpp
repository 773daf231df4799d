// A wrong result looked at closely: where in C it is wrong, and what it would be right for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "gemm/verification.hpp"
#include "run/downsampled_grid.hpp"

namespace gemm_tutor {

// All of C, drawn small: '.' where all elements are right, 'x' where all are wrong, '+' where some
// are, '?' where none was written.
using ResultMap = DownsampledGrid;

struct Diagnosis {
  Problem problem;
  std::int64_t wrong = 0, unwritten = 0;  // elements; those not written are among the wrong
  WrongElement first;  // in row-major order; one that was written, where there is one
  ResultMap map;
  // Which elements are wrong, exactly: "rows 64 to 66, which are beyond the last whole tile";
  // "every second column, from column 0"; "all of C".
  std::string where;
  // A sentence on what the values are, in place of the right ones: "The first of K = 41 products is
  // missing." Empty where no common mistake gives them.
  std::string values;
};

struct WrongProduct {
  Problem problem;
  LaunchShape shape;
  std::span<const float> a, b, c;  // row by row
  Scaling scaling = {};
  // What C is to be, and how the kernel has A and B stored, is as usual: only then is it said what
  // the values are.
  bool is_usual = true;
};

// Of all M·N elements. For sizes of which all products can be computed: M·N·K some 2^24 at most. Of
// a product that is right nothing is said. Throws Interrupted.
Diagnosis diagnose(const WrongProduct& product, Activity* activity = nullptr);

}  // namespace gemm_tutor
