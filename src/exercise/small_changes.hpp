// Changes that take back the slips that are made most: a name for another, a barrier left out.
#pragma once

#include <vector>

#include "exercise/code_words.hpp"

namespace gemm_tutor {

struct SmallChange {
  std::size_t begin = 0, end = 0;  // of the words that are replaced
  CodeWords replacement;
};

// Of the words from `begin` to `end`; the likeliest first, of which there are `most` at most.
std::vector<SmallChange> small_changes(const CodeWords& words, std::size_t begin, std::size_t end,
                                       std::size_t most);

// A __syncthreads() after each statement, the last one first: it is often left out after a loop.
std::vector<SmallChange> barriers_added(const CodeWords& words, std::size_t begin, std::size_t end);

}  // namespace gemm_tutor
