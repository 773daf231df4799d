#include "gemm/problem.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

TEST_CASE("a size is one number or three") {
  using Extents = std::array<std::string, 3>;
  CHECK(extents_in("2048") == Extents{"2048", "2048", "2048"});
  CHECK(extents_in("33x65x17") == Extents{"33", "65", "17"});
  CHECK(extents_in("33 65 17") == Extents{"33", "65", "17"});
  CHECK(extents_in("2^10x2^9x8") == Extents{"2^10", "2^9", "8"});
  for (const char* text : {" ", " 64", "64 ", "x", "64x", "1x 2x3", "1x2", "1x2x3x4"}) {
    INFO(text);
    CHECK_FALSE(extents_in(text));
  }
}
