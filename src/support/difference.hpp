// The difference between two lists of lines or words.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gemm_tutor {

// Indices into the two lists, from 0.
struct Match {
  std::size_t before = 0, now = 0;

  bool operator==(const Match&) const = default;
};

// Returns the worth of pairing two entries, given by their indices. 0 or less: they are no pair.
using PairWorth = std::function<int(std::size_t before, std::size_t now)>;

// Returns the pairs with the largest total worth whose indices ascend in both lists. The lists have
// `before` and `now` entries.
std::vector<Match> best_alignment(std::size_t before, std::size_t now, const PairWorth& worth);

// An entry of both lists, or of one list only: removed from the first or added in the second.
struct Edit {
  std::optional<std::size_t> before, now;

  bool operator==(const Edit&) const = default;
};

// Returns every entry of both lists, in their order. Removed entries are before the added ones. The
// result is made for readers: the entries that stay the same have as many letters and digits as
// possible, so that a line of code counts more than a brace. A brace or blank line stays the same
// only next to a line of code that does, or at the start or end of the lists.
std::vector<Edit> difference(const std::vector<std::string>& before,
                             const std::vector<std::string>& now);

}  // namespace gemm_tutor
