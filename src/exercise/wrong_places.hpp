// Describes where in C a result is wrong, as a drawing and in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "run/downsampled_grid.hpp"

namespace gemm_tutor {

enum class ElementState : char { right, wrong, unwritten };

// The state of every element of C, row by row.
struct WrongPlaces {
  Problem problem;
  LaunchShape shape;
  std::vector<ElementState> states;

  bool is_wrong(std::int64_t row, std::int64_t column) const {
    return states[row * problem.n + column] != ElementState::right;
  }
};

DownsampledGrid draw_wrong(const WrongPlaces& places);

// Returns the most precise phrase that is true for exactly the wrong elements: "rows 64 to 66,
// which are beyond the last whole tile". At least one element must be wrong.
std::string describe_places(const WrongPlaces& places);

}  // namespace gemm_tutor
