// Where in C a result is wrong: drawn, and in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "run/downsampled_grid.hpp"

namespace gemm_tutor {

enum class ElementState : char { right, wrong, unwritten };

// Of every element of C, row by row.
struct WrongPlaces {
  Problem problem;
  LaunchShape shape;
  std::vector<ElementState> states;

  bool is_wrong(std::int64_t row, std::int64_t column) const {
    return states[row * problem.n + column] != ElementState::right;
  }
};

DownsampledGrid draw_wrong(const WrongPlaces& places);

// Half a sentence that is true of all wrong elements and of no other, the most telling there is:
// "rows 64 to 66, which are beyond the last whole tile". At least one element is wrong.
std::string describe_places(const WrongPlaces& places);

}  // namespace gemm_tutor
