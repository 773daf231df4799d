#include "view/layout.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

namespace {

const Terminal plain{false, true, 40};

std::vector<std::string> wrapped(const std::string& text, int first, int rest) {
  std::vector<std::string> lines;
  for (const Line& line : wrap({{text}}, first, rest)) lines.push_back(paint(line, plain));
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("wrapping breaks at spaces, and within a word only where it must") {
  CHECK(wrapped("one two three", 80, 80) == Lines{"one two three"});
  CHECK(wrapped("one two three", 7, 5) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 8, 4) == Lines{"one two", "thre", "e"});
  CHECK(wrapped("abcdefgh", 3, 3) == Lines{"abc", "def", "gh"});
  CHECK(wrapped("", 3, 3) == Lines{""});
}

TEST_CASE("wrapping keeps the indentation of the first line") {
  CHECK(wrapped("    x = y", 8, 8) == Lines{"    x =", "y"});
  CHECK(wrapped("    abcdef", 7, 7) == Lines{"    abc", "def"});
}

TEST_CASE("a column is a character, not a byte") {
  CHECK(columns("M·N·K × 2") == 9);
  CHECK(wrapped("×××× ××××", 5, 5) == Lines{"××××", "××××"});
}

TEST_CASE("a wide character takes two columns") {
  CHECK(columns("漢字 a") == 6);
  CHECK(wrapped("漢字漢字", 5, 5) == Lines{"漢字", "漢字"});
  CHECK(wrapped("漢字", 1, 1) == Lines{"漢", "字"});
}

TEST_CASE("a combining mark takes no column and stays with its character") {
  CHECK(columns("e\u0301a\u0300") == 2);
  CHECK(wrapped("e\u0301a\u0300o\u0302", 2, 2) == Lines{"e\u0301a\u0300", "o\u0302"});
}

TEST_CASE("a long word is broken at its joints") {
  CHECK(wrapped("a/long/path/kernel.cu", 14, 14) == Lines{"a/long/path/", "kernel.cu"});
  CHECK(wrapped("x=1;y=f(a,bcd)", 12, 12) == Lines{"x=1;y=f(a,", "bcd)"});
}

TEST_CASE("nothing that a page is given controls the terminal") {
  Page page({false, true, 40});
  page.text({{"a\x1b[31m\x07"}}, {{"b\x1b"}});
  CHECK(page.str() == "         a\ufffd[31m\ufffd                      b\ufffd\n");
}

TEST_CASE("unbreakable text stays on one line and is printed with spaces") {
  CHECK(wrapped("run " + unbreakable("a b c"), 7, 7) == Lines{"run", "a b c"});
}

TEST_CASE("styles survive wrapping") {
  const auto lines = wrap({{"one ", Style::good}, {"two", Style::bad}}, 4, 4);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].front().style == Style::good);
  CHECK(lines[1].front().style == Style::bad);
}

TEST_CASE("sections, gutters and text at the right edge") {
  Page page({false, true, 30});
  page.row({}, {}, {{"left"}}, {{"right"}});
  page.section("Name");
  page.text({{"a long text that goes on below"}}, {{"right"}});
  page.row({{"1 | "}}, {{"  | "}}, {{"exactly twenty-six columns"}}, {{"right"}});
  CHECK(page.str() ==
        "left                     right\n"
        "\n"
        "Name     a long text that goes\n"
        "         on below        right\n"
        "1 | exactly twenty-six columns\n"
        "  |                      right\n");
}

TEST_CASE("an indented paragraph goes on below its beginning, where that leaves it room") {
  Page page({false, true, 29});
  page.text({{"  "}, {"indented twice: it goes on"}});
  page.text({{std::string(12, ' ') + "far right"}});
  CHECK(page.str() ==
        "           indented twice: it\n"
        "           goes on\n"
        "                     far\n"
        "         right\n");
}

TEST_CASE("what is not to be wrapped is one row, however wide") {
  Page page({false, true, 12});
  page.section("Name");
  page.unwrapped({{"wider than that"}});
  page.text({{"on"}});
  CHECK(page.str() == "Name     wider than that\n         on\n");
}

TEST_CASE("a terminal without UTF-8 gets ASCII, laid out for its length") {
  Page page({false, false, 16});
  page.text({{"a · b"}});
  page.text({{"M·N × 2 ≈ µ"}});
  CHECK(page.str() ==
        "         a - b\n"
        "         M*N x 2\n"
        "         ~ u\n");
  CHECK(to_ascii("✓ ✗ │ — … ⌈x⌉ ± ╰ \u00a0") == "ok x | -- ... ceil(x) +/- ^  ");
  CHECK(to_ascii("Aᵀ K² ┌─┬┐ ├┼┤ └┴┘ █▓▉▊▋▌▍▎▏ λ") == "A^T K^2 +-++ +++ +++ #####|||| ?");
}

TEST_CASE("columns of a drawing still stand below one another in ASCII") {
  CHECK(to_ascii_in_columns("┌ b0 … b7 ┐") == "+ b0...b7 +");
  CHECK(to_ascii_in_columns("│ +  …  + │") == "| + ... + |");
  CHECK(to_ascii_in_columns("a …    │ b") == "a ...  | b");
  CHECK(to_ascii_in_columns("┐  →   ┌") == "+  ->  +");
  CHECK(to_ascii_in_columns("a · Bᵀ = …") == "a * B^T = ...");
}

TEST_CASE("colour is escape codes around the text, or nothing at all") {
  const Line line = {{"a", Style::good}, {"b"}, {"", Style::bad}};
  CHECK(paint(line, {true, true, 80}) == "\033[32ma\033[0mb");
  CHECK(paint(line, {false, true, 80}) == "ab");
}

TEST_CASE("nothing is drawn where a terminal is read aloud") {
  Terminal terminal;
  terminal.spoken = true;
  CHECK(shown("17 │ a ╰ ┌─┐ ▓█▏ 2×3 ✓", terminal) ==
        "17   a   "
        "    "
        "    2×3 ✓");
}
