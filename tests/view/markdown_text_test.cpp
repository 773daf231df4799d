#include "view/markdown.hpp"

#include "catch.hpp"
#include "support/text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

// What a document of Markdown is written as, without its title.
std::string written(std::string_view markdown) {
  const std::string text = markdown_text({.title = "T", .parts = read_markdown(markdown)});
  return text.substr(std::string("# T\n\n").size());
}

}  // namespace

TEST_CASE("Markdown: what is read is written as it was") {
  for (const char* text : {"`A[row * K + k]`\n", "[text](docs/a.md)\n", "*a* **k** is *all*\n",
                           "```cuda\nx = M·N;\n```\n", "### A heading\n", "- a\n- b\n  - c\n- d\n",
                           "- a\n\n- b\n\n  more\n", "3. a\n4. b\n", "> a\n>\n> b\n", "---\n",
                           "| a | b |\n| --- | ---: |\n| 1 | `2` |\n", "one<br>\ntwo\n"}) {
    INFO(text);
    CHECK(written(text == std::string("one<br>\ntwo\n") ? "one  \ntwo\n" : text) == text);
  }
}

TEST_CASE("Markdown: indented code is a block of text") {
  CHECK(written("so\n\n    M·N/2   floats\n\n      0 1\n\nnext\n") ==
        "so\n\n```text\nM·N/2   floats\n\n  0 1\n```\n\nnext\n");
}

TEST_CASE("Markdown: plain text is shown as it is") {
  CHECK(line_markdown({{"a_tile[0] * <b> | $5 #1"}}) ==
        "a\\_tile\\[0\\] \\* \\<b\\> \\| \\$5 \\#1");
  CHECK(line_markdown({{"⌈512 / 32⌉ = 16 blocks"}}) == "⌈512 / 32⌉ = 16 blocks");
  CHECK(line_markdown({{"run "}, {"a_tile", Style::code}, {"_"}}) == "run `a_tile`\\_");
  CHECK(line_markdown({{"grid 64×64 · block 8"}}) == "grid 64×64 · block 8");
  CHECK(line_markdown({{"a || b", Style::code}}) == "`a || b`");
  const Table table{.columns = {{{{"a"}}}}, .rows = {{{{{"a || b", Style::code}}}}}};
  CHECK(contains(markdown_text({.title = "T", .parts = {table}}), "| `a \\|\\| b` |\n"));
}

TEST_CASE("Markdown: a long paragraph is broken, and never before what would begin a list") {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word - 1. + # ";
  for (const std::string& line : split_lines(written(words))) {
    CHECK(line.starts_with("word"));
    CHECK(line.size() <= 120);
  }
}

TEST_CASE("Markdown: no line ends in code") {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word M·N·K and `a + b + c`, ";
  for (const std::string& line : split_lines(written(words))) {
    INFO(line);
    CHECK(occurrences(line, "`") % 2 == 0);
  }
  CHECK(written("costs $5 and " + words).starts_with("costs \\$5 and word M·N"));
}

TEST_CASE("Markdown: commands with what they do, and with the status that they exit with") {
  const Commands commands{{{"first", "a"}, {"second"}, {"third", "fails", 1}}};
  const std::string text = markdown_text({.title = "T", .parts = {commands}});
  CHECK(contains(
      text, "```sh\nfirst  # a\nsecond\n```\n\n<!-- exit: 1 -->\n```sh\nthird  # fails\n```\n"));
}
