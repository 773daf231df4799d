// Describes where in C a result is wrong, as a drawing and in words.
#pragma once

#include <cstdint>
#include <optional>
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

// The rows or the columns of C, to describe some of them in words.
struct Axis {
  std::string one;  // "row"
  int size = 0;
  int tile = 1;         // per block
  int thread_tile = 1;  // per thread, if known
};

// A range of indices, or the same range in every `period`.
struct Stretch {
  int begin = 0, end = 0;
  int period = 0;  // 0 if it does not repeat
};

struct AxisText {
  bool all = false, beyond_last_tile = false;
  std::optional<Stretch> stretch;  // if they are one range, or periodic
  std::string phrase;              // "rows 64 to 66"
  std::string clause;              // ", which are beyond the last whole tile"; may be empty
  bool telling = true;             // false if it is only a number

  std::string text() const { return phrase + clause; }
};

// `marked` has one value per index of the axis. At least one is true.
AxisText describe_axis(const Axis& axis, const std::vector<bool>& marked);

// {"a", "b", "c"} -> "a, b and c". There must be at least one word.
std::string listed(std::vector<std::string> words);

}  // namespace gemm_tutor
