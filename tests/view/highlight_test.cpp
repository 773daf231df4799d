#include "view/highlight.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

namespace {

std::string text_of(const Line& line) {
  std::string text;
  for (const Span& span : line) text += span.text;
  return text;
}

// The style of the token `text` in a highlighted line.
Style style_of(const Line& line, const std::string& text) {
  for (const Span& span : line) {
    if (span.text == text) return span.style;
  }
  FAIL("no token " << text);
  return Style::plain;
}

}  // namespace

TEST_CASE("no character is split") {
  const Line line = highlight({"float größe = a × 漢;"})[0];
  CHECK(style_of(line, "größe") == Style::plain);
  CHECK(style_of(line, "×") == Style::plain);
  CHECK(style_of(line, "漢") == Style::plain);
}

TEST_CASE("every kind of token has its style") {
  const Line line =
      highlight({"__global__ void f(const float* a) { return a[0x1f] + 1.5e-3f; }  // no"})[0];
  CHECK(style_of(line, "__global__") == Style::builtin);
  CHECK(style_of(line, "void") == Style::type);
  CHECK(style_of(line, "const") == Style::keyword);
  CHECK(style_of(line, "float") == Style::type);
  CHECK(style_of(line, "a") == Style::plain);
  CHECK(style_of(line, "0x1f") == Style::literal);
  CHECK(style_of(line, "1.5e-3f") == Style::literal);
  CHECK(style_of(line, "// no") == Style::comment);
}

TEST_CASE("a name that merely contains a keyword is plain") {
  const Line line = highlight({"int former = format + threadIdx.x;"})[0];
  CHECK(style_of(line, "former") == Style::plain);
  CHECK(style_of(line, "format") == Style::plain);
  CHECK(style_of(line, "threadIdx") == Style::builtin);
}

TEST_CASE("directives, strings and their escapes") {
  const auto lines = highlight({"  #pragma unroll 4 // all", "s = \"a \\\" // b\"; c = '\\'';"});
  CHECK(style_of(lines[0], "#pragma unroll 4 ") == Style::directive);
  CHECK(style_of(lines[0], "// all") == Style::comment);
  CHECK(style_of(lines[1], "\"a \\\" // b\"") == Style::literal);
  CHECK(style_of(lines[1], "'\\''") == Style::literal);
}

TEST_CASE("a comment reaches over lines and ends") {
  const auto lines = highlight({"a /* one", "for", "two */ for"});
  CHECK(style_of(lines[0], "/* one") == Style::comment);
  CHECK(style_of(lines[1], "for") == Style::comment);
  CHECK(style_of(lines[2], "two */") == Style::comment);
  CHECK(style_of(lines[2], "for") == Style::keyword);
}

TEST_CASE("highlighting never changes the text") {
  const std::vector<std::string> lines = {
      "",     "   ", "\"open",           "'",   "/*", "*/", "a*/b", "x = y\\",
      "\"\\", "#",   "/* µ × */ ⌈N/BN⌉", "1e+", "..5"};
  const auto highlighted = highlight(lines);
  REQUIRE(highlighted.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(text_of(highlighted[i]) == lines[i]);
}
