// What changed from one list of lines, or of words, to another.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gemm_tutor {

// Places in the two lists, from 0.
struct Match {
  std::size_t before = 0, now = 0;

  bool operator==(const Match&) const = default;
};

// What a pair is worth, for places in the two lists; 0 or less for one that is none.
using PairWorth = std::function<int(std::size_t before, std::size_t now)>;

// Pairs that ascend in both lists, of `before` and `now` entries, and together are worth most.
std::vector<Match> best_alignment(std::size_t before, std::size_t now, const PairWorth& worth);

// An entry of both lists, or of one alone: removed from the first, or added in the second.
struct Edit {
  std::optional<std::size_t> before, now;

  bool operator==(const Edit&) const = default;
};

// Every entry of both lists, in their orders. What stays the same is chosen to be read: as many
// letters and digits as possible, so that a line of code counts for more than braces; and a brace
// or blank line stays the same only beside a line of code that does, or at the lists' begin or end.
// Where both changed, what was removed comes first.
std::vector<Edit> difference(const std::vector<std::string>& before,
                             const std::vector<std::string>& now);

}  // namespace gemm_tutor
