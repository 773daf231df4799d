// Says from a wrong C alone which values were multiplied and whose sums its elements hold, where no
// formula is known that gives it.
//
// If C is X·B, X follows from C and B by least squares: it is what was read in place of A. In the
// same way follow what was read in place of B, and T, if C is A·T·B: what A's column k is
// multiplied by.
#pragma once

#include <cstdint>
#include <optional>

#include "gemm/problem.hpp"
#include "run/wrong_result.hpp"

namespace gemm_tutor {

// Of larger problems, not all elements of C are kept: products.
inline constexpr std::int64_t most_to_recover = 1 << 22;

// Returns a sentence that is true of every element of C at this size, or nothing. Needs all
// elements of C, and M and N that are larger than K.
std::optional<WrongKind> kind_from_values(const ComputedC& wrong, const SourceNumbers& numbers);

// Returns a problem of whole tiles of C and whole steps along K at which kind_from_values() can say
// most.
Problem problem_to_recover(int tile_rows, int tile_columns, int depth);

}  // namespace gemm_tutor
