#include "support/utf8.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

TEST_CASE("code points are decoded, and broken bytes stand alone") {
  const auto points = code_points("a×漢\xf0\x9f\x98\x80\xff\xc0\xaf\xe6\xbc");
  REQUIRE(points.size() == 9);
  CHECK(points[1].value == 0xd7);
  CHECK(points[2].value == 0x6f22);
  CHECK(points[2].bytes == "漢");
  CHECK(points[3].value == 0x1f600);
  for (std::size_t i = 4; i < points.size(); ++i) {
    CHECK(points[i].value == 0xfffd);
    CHECK(points[i].bytes.size() == 1);
  }
  CHECK(code_points("\xed\xa0\x80").size() == 3);  // half of a surrogate pair
}

TEST_CASE("wide characters take two columns, combining marks none") {
  for (const char32_t wide : {U'漢', U'한', U'か', U'Ａ', U'。', U'😀'}) {
    CHECK(columns_of(wide) == 2);
  }
  for (const char32_t narrow : {U'a', U'×', U'│', U'✓', U'…', U'\ufffd'}) {
    CHECK(columns_of(narrow) == 1);
  }
  for (const char32_t mark : {U'\u0301', U'\u20d7', U'\u200d', U'\ufe0f'}) {
    CHECK(columns_of(mark) == 0);
  }
  for (const char32_t control : {U'\x1f', U'\x7f', U'\x9b'}) CHECK(columns_of(control) == 1);
}

TEST_CASE("what a terminal gets has no control characters and no tabs") {
  CHECK(printable("\x1b[31mred\x07\x7f") == "\ufffd[31mred\ufffd\ufffd");
  CHECK(printable("a\xc2\x9b"
                  "1m") == "a\ufffd1m");  // CSI as one character
  CHECK(printable("\x9b\xff") == "\ufffd\ufffd");
  CHECK(printable("a\x1f"
                  "b",
                  '\x1f') ==
        "a\x1f"
        "b");
  CHECK(printable("\tx\ty") == "    x   y");
  CHECK(printable("漢\tx") == "漢  x");
  CHECK(printable("ab\n\tx", '\n') == "ab\n    x");  // columns are those of a line
  CHECK(printable("e\u0301\tx") == "e\u0301   x");
  CHECK(printable("M·N × 漢") == "M·N × 漢");
}

TEST_CASE("a long text is cut between two characters") {
  CHECK(shortened("漢字", 2) == "漢字");
  CHECK(shortened("漢字!", 2) == "漢字…");
  CHECK(shortened("\x01\xff!", 2) == "\ufffd\ufffd…");
  CHECK(shortened("", 0).empty());
}
