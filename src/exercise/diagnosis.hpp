// A wrong result looked at closely: where in C it is wrong, and what it would be right for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "emulator/emulator.hpp"
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
  // A sentence on the likely cause; empty where no common mistake gives these values.
  std::string cause;
  // The cause is an index: accesses out of bounds, and elements written twice, come of it too.
  bool is_of_indices = false;
};

struct WrongProduct {
  Problem problem;
  LaunchShape shape;
  std::span<const float> a, b, c;
};

// Of all M·N elements. For sizes of which all products can be computed: M·N·K some 2^24 at most. Of
// a product that is right nothing is said. Throws Interrupted.
Diagnosis diagnose(const WrongProduct& product, Activity* activity = nullptr);

// A sentence or two on the usual cause of such a finding, and on what to do about it.
std::string cause_of(const emulator::Finding& finding);

// Of the one among them that says most; there is at least one.
std::string cause_of(const std::vector<emulator::Finding>& findings);

}  // namespace gemm_tutor
