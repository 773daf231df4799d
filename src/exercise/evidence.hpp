// Probes for common mistakes. Each returns the sentence of the first mistake that gives the value
// of every element that the kernel wrote, right ones among them, or "".
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "gemm/reference.hpp"
#include "gemm/verification.hpp"

namespace gemm_tutor {

// A sum that a wrong kernel would compute.
class MistakenSum {
 public:
  void add(double value) { add(value, std::abs(value), 1); }
  // A sum of `terms` values, whose absolute values add up to `magnitude`.
  void add(double value, double magnitude, int terms) {
    value_ += value;
    magnitude_ += magnitude;
    terms_ += terms;
  }

  // True if FP32 arithmetic can give `value` for it. `k` is the number of terms of a right sum.
  bool may_be(double value, int k) const {
    return std::abs(value - value_) <= ErrorBound(std::max(k, terms_))(magnitude_);
  }

 private:
  double value_ = 0, magnitude_ = 0;
  int terms_ = 0;
};

struct Evidence {
  Problem problem;
  LaunchShape shape;
  std::span<const float> a, b;
  std::span<const float> c;
  std::vector<WrongElement> samples;   // wrong ones, in row-major order; all were written
  std::vector<WrongElement> elements;  // all that were written, in row-major order
  ReferenceSums references;            // of all of C, row-major
  // Of the same kernel at other sizes, without samples. They tell k·M + row from k·K + row.
  std::vector<Evidence> others = {};

  // By index in memory; 0 outside, as in the emulator.
  double a_at(std::int64_t index) const { return at(a, index); }
  double b_at(std::int64_t index) const { return at(b, index); }
  // By row and column; 0 outside, as in tiles.
  double a_at(int row, int k) const {
    return row < problem.m && k < problem.k ? a[row * std::int64_t{problem.k} + k] : 0.0;
  }
  double b_at(int k, int column) const {
    return k < problem.k && column < problem.n ? b[k * std::int64_t{problem.n} + column] : 0.0;
  }

  // True if it holds for every element that was written. The samples come first, because most
  // mistakes do not explain them.
  template <std::predicate<const WrongElement&> Holds>
  bool every(const Holds& holds) const {
    return std::ranges::all_of(samples, holds) && std::ranges::all_of(elements, holds);
  }

  // True if it holds for every wrong one that was written: for a sentence that says "there".
  template <std::predicate<const WrongElement&> Holds>
  bool every_wrong(const Holds& holds) const {
    return every([&](const WrongElement& element) { return is_right(element) || holds(element); });
  }

  static bool is_right(const WrongElement& element) {
    return std::abs(element.value - element.reference) <= element.bound;
  }

 private:
  static double at(std::span<const float> values, std::int64_t index) {
    return index >= 0 && index < std::ssize(values) ? values[index] : 0.0;
  }
};

// Values that can be recognized without a sum: 0, not finite, whole numbers, a multiple of the
// right value.
std::string telling_value(const Evidence& evidence);

// Products that are missing, added twice, or of the wrong step along K.
std::string mistaken_steps(const Evidence& evidence);

// A or B read at the wrong indices.
std::string mistaken_indices(const Evidence& evidence);

// The right value of another element, by a mistake in the indices of a block, a thread or a store.
std::string known_misplacement(const Evidence& evidence);

// The same for any other rule, or without a visible rule.
std::string other_misplacement(const Evidence& evidence);

// The rows and columns of C that a thread computes, as far as they follow from the launch.
struct ThreadTile {
  int rows = 1, columns = 1;
};

// Returns 1×1 if the threads' x and y do not divide the tile's rows and columns. In a block with
// threads only along x, the kernel may divide them in any way.
inline ThreadTile thread_tile_of(const LaunchShape& shape) {
  const auto x = static_cast<int>(shape.block.x), y = static_cast<int>(shape.block.y);
  const int down = shape.grid_x_along_rows ? x : y, across = shape.grid_x_along_rows ? y : x;
  const bool in_a_line = (down == 1) != (across == 1);
  if (in_a_line && shape.tile_rows > 1 && shape.tile_columns > 1) return {};
  if (shape.tile_rows % down != 0 || shape.tile_columns % across != 0) return {};
  return {shape.tile_rows / down, shape.tile_columns / across};
}

}  // namespace gemm_tutor
