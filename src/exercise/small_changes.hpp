// Changes that correct common slips: a wrong name, a missing barrier.
#pragma once

#include <vector>

#include "exercise/code_words.hpp"

namespace gemm_tutor {

struct SmallChange {
  std::size_t begin = 0, end = 0;  // the replaced words
  CodeWords replacement;
};

// Returns at most `most` changes of the words from `begin` to `end`, the most likely first.
std::vector<SmallChange> small_changes(const CodeWords& words, std::size_t begin, std::size_t end,
                                       std::size_t most);

// Returns changes that add a __syncthreads() after each statement, the last statement first,
// because a barrier is often missing after a loop.
std::vector<SmallChange> barriers_added(const CodeWords& words, std::size_t begin, std::size_t end);

}  // namespace gemm_tutor
