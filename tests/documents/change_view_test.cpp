#include "documents/change_view.hpp"

#include "catch.hpp"
#include "course/lesson.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

std::vector<SourceLine> numbered(int first, const std::vector<std::string>& texts) {
  std::vector<SourceLine> lines;
  for (const std::string& text : texts) lines.push_back({first++, text});
  return lines;
}

std::string change(const std::vector<SourceLine>& before, const std::vector<SourceLine>& now,
                   const Terminal& terminal = {false, true, 60}) {
  return terminal_text({.parts = {change_listing(before, now)}}, terminal);
}

// Twelve lines without a change between two with one.
std::vector<SourceLine> long_source(const std::string& changed) {
  std::vector<std::string> texts = {changed};
  for (char c = 'a'; c <= 'l'; ++c) texts.emplace_back(1, c);
  texts.push_back(changed);
  return numbered(1, texts);
}

}  // namespace

TEST_CASE("a change has marks that need no colour, and the line numbers of both files") {
  CHECK(change(numbered(9, {"same", "old", "", "same too"}),
               numbered(4, {"same", "new", "  newer", "", "same too"})) ==
        "  9   4 │   same\n"
        " 10     │ - old\n"
        "      5 │ + new\n"
        "      6 │ +   newer\n"
        " 11   7 │\n"
        " 12   8 │   same too\n");
}

TEST_CASE("long stretches without a change are folded, all but two lines beside a change") {
  CHECK(change(long_source("old"), long_source("new")) ==
        "  1     │ - old\n"
        "      1 │ + new\n"
        "  2   2 │   a\n"
        "  3   3 │   b\n"
        "        │ … 8 lines as before\n"
        " 12  12 │   k\n"
        " 13  13 │   l\n"
        " 14     │ - old\n"
        "     14 │ + new\n");
  CHECK(change(long_source("same"), long_source("same")) == "        │ … 14 lines as before\n");
  CHECK_FALSE(contains(change(numbered(1, {"a", "b", "c", "d", "e", "f", "g"}),
                              numbered(1, {"a", "b", "c", "d", "e", "f", "h"})),
                       "as before"));
}

TEST_CASE("lines of a change that are too long go on below, indented") {
  CHECK(change({}, numbered(1, {"  const int row = blockIdx.y * blockDim.y + threadIdx.y;"}),
               {false, true, 40}) ==
        "      1 │ +   const int row = blockIdx.y\n"
        "        │         * blockDim.y +\n"
        "        │         threadIdx.y;\n");
}

TEST_CASE("words that differ within a changed line stand out, in lines that are much alike") {
  const Terminal color{true, true, 80};
  const std::string alike =
      change(numbered(1, {"  int row = x;"}), numbered(1, {"    int row = y;"}), color);
  CHECK(contains(alike, "\033[31m  int row = \033[0m\033[7;31mx\033[0m\033[31m;\033[0m"));
  CHECK(contains(alike, "\033[32m    int row = \033[0m\033[7;32my\033[0m\033[32m;\033[0m"));
  const std::string unlike =
      change(numbered(1, {"int row = 1;"}), numbered(1, {"__syncthreads();"}), color);
  CHECK(contains(unlike, "\033[32m__syncthreads();\033[0m"));
  CHECK_FALSE(contains(unlike, "\033[7;"));
}

TEST_CASE("the change from each lesson to the next fits the terminal, and in ASCII") {
  for (std::size_t i = 1; i < lessons().size(); ++i) {
    const Lesson &before = lessons()[i - 1], &now = lessons()[i];
    for (const int width : {60, 80, 100}) {
      const std::string text =
          change(excerpt(before, before.kernels.front()), excerpt(now, now.kernels.front()),
                 {false, width != 60, width});
      CAPTURE(now.slug, width, text);
      const bool is_other_code = before.source != now.source;
      CHECK(contains(text, "- ") == is_other_code);
      CHECK(contains(text, "+ ") == is_other_code);
      CHECK(widest(text) <= width);
      if (width == 60) CHECK(is_ascii(text));
    }
  }
}
