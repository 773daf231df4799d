#include "report/lesson_chapter.hpp"

#include "catch.hpp"
#include "sample_run.hpp"
#include "view/markdown.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

// The page of a lesson whose text this is.
std::string page_of(const std::string& text, std::optional<int> number = 3) {
  Sample sample = emulated_sample();
  sample.lesson->text = "# A tile\n\n" + text;
  sample.lesson->number = number;
  sample.lesson->place = number.value_or(3);
  return markdown_text(lesson_chapter({{sample.run}, {}}));
}

}  // namespace

TEST_CASE("other lessons become links where they are first mentioned, if there is such a page") {
  CHECK(
      contains(page_of("As in lesson 7, and Lesson 8's, and lesson 7."),
               "As in [lesson 7](07-vectorized-loads.md), and [Lesson 8](08-bank-conflicts.md)'s, "
               "and lesson 7.\n"));
  CHECK(contains(page_of("See chapter edges."), "See [chapter edges](edges.md).\n"));
  for (const std::string text :
       {"As in lesson 70.\n", "As in lesson 8z.\n", "As in lesson edges.\n", "As in chapter 7.\n",
        "`lesson 7`\n", "esson 7\n"}) {
    CHECK(contains(page_of(text), "\n" + text));
  }
}

TEST_CASE("a page leads to the lessons before and after, and a chapter to those around it") {
  const std::string page = page_of("Text.", std::nullopt);
  CHECK(contains(page, "(03-shared-memory-tile.md) · [all lessons]"));
  CHECK(contains(page, "→](04-global-block-tile.md)"));
  CHECK_FALSE(contains(page_of("Text.", 0), "←"));
  CHECK_FALSE(contains(page_of("Text.", 99), "→]"));
}
