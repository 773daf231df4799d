#include "report/markdown.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

namespace {

std::string text_of(const Line& line) { return paint(line, {false, true, 80}); }

}  // namespace

TEST_CASE("the first paragraph, without the heading and what follows") {
  CHECK(text_of(first_paragraph("# Title\n\nOne\ntwo.\n\nThree.\n")) == "One two.");
  CHECK(text_of(first_paragraph("# Title\n\n```\ncode\n```\n\n- item\n\nText.\n")) == "Text.");
  CHECK(first_paragraph("# Title\n").empty());
  CHECK(first_paragraph("").empty());
}

TEST_CASE("markup becomes styles") {
  const Line line = first_paragraph("A `B_tile` of **M·N** and [C](c.md) *x*.");
  CHECK(text_of(line) == "A B_tile of M·N and C x.");
  Style code = Style::plain, strong = Style::plain;
  for (const Span& span : line) {
    if (span.text == "B_tile") code = span.style;
    if (span.text == "M·N") strong = span.style;
  }
  CHECK(code == Style::code);
  CHECK(strong == Style::heading);
}
