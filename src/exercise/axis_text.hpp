// Some of the rows of C, or some of its columns, in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gemm_tutor {

// Rows or columns.
struct Axis {
  std::string one;  // "row"
  int size = 0;
  int tile = 1;         // of a block
  int thread_tile = 1;  // of a thread, as far as is known
};

// A stretch of indices, or the same stretch of every `period`.
struct Stretch {
  int begin = 0, end = 0;
  int period = 0;  // 0: only one
};

struct AxisText {
  bool all = false, beyond_last_tile = false;
  std::optional<Stretch> stretch;  // where they are one, or periodic
  std::string phrase;              // "rows 64 to 66"
  std::string clause;              // ", which are beyond the last whole tile"; may be empty
  bool telling = true;             // else a mere count

  std::string text() const { return phrase + clause; }
};

// `marked` has a value for every index of the axis, at least one true.
AxisText describe_axis(const Axis& axis, const std::vector<bool>& marked);

// {"a", "b", "c"} -> "a, b and c"; of at least one word.
std::string listed(std::vector<std::string> words);

}  // namespace gemm_tutor
