// What can be typed where the course asks for another size.
#include "walkthrough/lesson_runs.hpp"

#include "catch.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

namespace {

NewSize size_typed(const char* text) { return size_from(text, {{64, 64, 64}, {{"BM", 32}}}); }

}  // namespace

TEST_CASE("a size is a number or three, each perhaps with arithmetic and blanks in it") {
  for (const char* text : {"33", "32+1", "32 + 1", " 32 +1 ", "(16 + 0.5) * 2", "66 / 2"}) {
    CAPTURE(text);
    CHECK(size_typed(text).problem == Problem{33, 33, 33});
  }
  for (const char* text :
       {"33 65 17", "33x65x17", "33 x 65 x 17", "32 + 1 65 2*8 + 1", "(32 + 1) (64 + 1) (17)"}) {
    CAPTURE(text);
    CHECK(size_typed(text).problem == Problem{33, 65, 17});
  }
  for (const char* text : {"", "1 2", "32 +", "0", "-5", "1.5"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(size_typed(text), Error);
  }
}

TEST_CASE("a setting is typed with or without blanks, alone or with a size") {
  CHECK(size_typed("BM=16").settings == Settings{{"BM", 16}});
  CHECK(size_typed("BM = 16").problem == Problem{64, 64, 64});
  CHECK(size_typed("96 BM = 16").problem == Problem{96, 96, 96});
  CHECK(size_typed("96 BM = 16").settings == Settings{{"BM", 16}});
}
