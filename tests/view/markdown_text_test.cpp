#include "view/markdown_text.hpp"

#include "catch.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

std::string set(std::string_view markdown) {
  return with_mathematics(markdown, [](int number) {
    return number == 7 ? std::string("07-vectorized-loads.md") : std::string();
  });
}

}  // namespace

TEST_CASE("Markdown: formulas in a paragraph are set, also over the end of a line") {
  CHECK(set("It loads M·N floats.\n") == "It loads $M \\cdot N$ floats.\n");
  CHECK(set("It loads K·(BM +\nBN) floats.\n") ==
        "It loads $K \\cdot \\left( \\mathrm{BM} + \\mathrm{BN} \\right)$ floats.\n");
  CHECK(set("- M·N\n  and `M·N`\n") == "- $M \\cdot N$\n  and `M·N`\n");
}

TEST_CASE("Markdown: code, addresses and marks of emphasis are left as they are") {
  for (const char* text :
       {"`A[row * K + k]` and ``a ` M·N``\n", "[text](docs/M·N.md)\n", "*a* *k* is *all*\n",
        "```cuda\nx = M·N;\n```\n", "an open ` tick\n", "### A heading\n"}) {
    INFO(text);
    CHECK(set(text) == text);
  }
}

TEST_CASE("Markdown: indented code is a formula on a line of its own, or a block of text") {
  CHECK(set("so\n\n    M·N/2   floats of 2·K bytes.\n\nnext\n") ==
        "so\n\n$$\n\\frac{M \\cdot N}{2} \\quad \\text{floats of } 2 \\cdot K \\text{ bytes.}\n$$\n"
        "\nnext\n");
  CHECK(set("so\n\n    tile 0\n\n      0 1\n\nnext\n") ==
        "so\n\n```text\ntile 0\n\n  0 1\n```\n\nnext\n");
}

TEST_CASE("Markdown: other lessons become links, where there is such a page") {
  CHECK(set("As in lesson 7, and Lesson 7's.\n") ==
        "As in [lesson 7](07-vectorized-loads.md), and [Lesson 7](07-vectorized-loads.md)'s.\n");
  for (const char* text : {"As in lesson 70 and lesson 8.\n", "`lesson 7`\n", "esson 7\n"}) {
    CHECK(set(text) == text);
  }
}

TEST_CASE("Markdown: plain text is shown as it stands, but for its formulas") {
  CHECK(as_markdown("a_tile[0] * <b> | $5 #1") == "a\\_tile\\[0\\] \\* \\<b\\> \\| \\$5 \\#1");
  CHECK(as_markdown("⌈512 / 32⌉ = 16 blocks") ==
        "$\\left\\lceil 512/32 \\right\\rceil = 16$ blocks");
  CHECK(as_markdown(Line{{"run "}, {"a_tile", Style::code}, {"_"}}) == "run `a_tile`\\_");
  CHECK(markdown_code("a || b") == "`a || b`");
  CHECK(markdown_code("a || b", true) == "`a \\|\\| b`");
}
