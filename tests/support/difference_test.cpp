#include "support/difference.hpp"

#include <random>

#include "catch.hpp"

using namespace gemm_tutor;

namespace {

using Lines = std::vector<std::string>;

// "a" as it was, "-b" removed, "+c" added.
Lines marked(const Lines& before, const Lines& now) {
  Lines result;
  for (const Edit& edit : difference(before, now)) {
    if (edit.before) result.push_back((edit.now ? "" : "-") + before[*edit.before]);
    if (edit.now && !edit.before) result.push_back("+" + now[*edit.now]);
  }
  return result;
}

// Few different lines, so that many are equal.
Lines random_lines(std::mt19937& generator) {
  static const Lines some = {"", "}", "  }", "a", "b", "for k", "sum += a * b"};
  Lines lines(generator() % 12);
  for (std::string& line : lines) line = some[generator() % some.size()];
  return lines;
}

}  // namespace

TEST_CASE("the difference holds what was removed, what was added and what stayed") {
  CHECK(marked({"a", "b", "c"}, {"a", "x", "c", "d"}) == Lines{"a", "-b", "+x", "c", "+d"});
  CHECK(marked({"a", "b"}, {"a", "b"}) == Lines{"a", "b"});
  CHECK(marked({"a"}, {}) == Lines{"-a"});
  CHECK(marked({}, {"a"}) == Lines{"+a"});
  CHECK(difference({}, {}).empty());
}

TEST_CASE("spaces count") { CHECK(marked({"a"}, {" a"}) == Lines{"-a", "+ a"}); }

TEST_CASE("from any list to any other: what stays is equal, and nothing is lost or out of order") {
  std::mt19937 generator(1);
  for (int round = 0; round < 2000; ++round) {
    const Lines before = random_lines(generator), now = random_lines(generator);
    Lines old_lines, new_lines;
    for (const Edit& edit : difference(before, now)) {
      REQUIRE((edit.before || edit.now));
      if (edit.before && edit.now) REQUIRE(before[*edit.before] == now[*edit.now]);
      if (edit.before) old_lines.push_back(before[*edit.before]);
      if (edit.now) new_lines.push_back(now[*edit.now]);
    }
    REQUIRE(old_lines == before);
    REQUIRE(new_lines == now);
  }
}

TEST_CASE("a line of code stays the same rather than many braces") {
  CHECK(marked({"}", "}", "}", "sum += a * b;"}, {"sum += a * b;", "}", "}", "}"}) ==
        Lines{"-}", "-}", "-}", "sum += a * b;", "+}", "+}", "+}"});
}

TEST_CASE("a brace stays the same beside code that does, or at an end, not between changes") {
  CHECK(marked({"a", "}", "b"}, {"c", "}", "d"}) == Lines{"-a", "-}", "-b", "+c", "+}", "+d"});
  CHECK(marked({"a", "}", "b"}, {"a", "}", "d"}) == Lines{"a", "}", "-b", "+d"});
  CHECK(marked({"a", "", "}"}, {"b", "", "}"}) == Lines{"-a", "+b", "", "}"});
  CHECK(marked({"{", "a"}, {"{", "b"}) == Lines{"{", "-a", "+b"});
}

TEST_CASE("an alignment is worth the most there is") {
  // Two pairs of 3 are worth more than the one of 5 that crosses both.
  const std::vector<std::vector<int>> worths = {{0, 3, 0}, {5, 0, 3}, {0, -1, 0}};
  const auto worth = [&](std::size_t i, std::size_t j) { return worths[i][j]; };
  CHECK(best_alignment(3, 3, worth) == std::vector<Match>{{0, 1}, {1, 2}});
  CHECK(best_alignment(0, 3, worth).empty());
}
