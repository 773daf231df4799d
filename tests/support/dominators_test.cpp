#include "support/dominators.hpp"

#include "catch.hpp"

namespace gemm_tutor {

// 0 → 1 → 3 → 4, 1 → 2 → 3, 3 → 1; nothing leads to 5.
TEST_CASE("a block's dominators are on every way to it") {
  const std::vector<std::vector<int>> next = {{1}, {2, 3}, {3}, {4, 1}, {}, {4}};
  const Dominators dominators(next, 0);
  CHECK(dominators.nearest(0) == -1);
  CHECK(dominators.nearest(2) == 1);
  CHECK(dominators.nearest(3) == 1);
  CHECK(dominators.nearest(4) == 3);
  CHECK(dominators.dominates(1, 4));
  CHECK(dominators.dominates(4, 4));
  CHECK_FALSE(dominators.dominates(2, 3));
  CHECK_FALSE(dominators.reaches(5));
  CHECK_FALSE(dominators.dominates(0, 5));

  const Dominators after(reversed(next), 4);
  CHECK(after.nearest(2) == 3);
  CHECK(after.dominates(3, 1));
  CHECK_FALSE(after.dominates(2, 1));
}

}  // namespace gemm_tutor
