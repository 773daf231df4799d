#include "report/glossary_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "report/json.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

TEST_CASE("a term as it is printed") {
  const GlossaryTerm term = {"bank conflict",
                             {"conflict"},
                             "Two *lanes* want one *bank*. Then *lanes* wait.\n\nMore `x`.",
                             "Lesson 5: see.",
                             "2"};
  CHECK(terminal_text(term_document(term), {false, true, 60}) ==
        "bank conflict  (also under: conflict)\n"
        "\n"
        "Two lanes want one bank. Then lanes wait.\n"
        "\n"
        "More x.\n"
        "\n"
        "Example  Lesson 5: see.\n"
        "\n"
        "Lesson   2 · Neighbouring threads, neighbouring memory\n"
        "\n"
        "Next     gemm-tutor lesson 2 · gemm-tutor explain lane ·\n"
        "         gemm-tutor explain bank\n");
  CHECK(Json::parse(term_json(term)) ==
        Json::parse(R"({"term": {"name": "bank conflict", "also": ["conflict"],
                        "text": "Two *lanes* want one *bank*. Then *lanes* wait.\n\nMore `x`.",
                        "example": "Lesson 5: see.", "lesson": 2}})"));
}

TEST_CASE("all terms, a whole sentence each") {
  const std::vector<GlossaryTerm> terms = {
      {"a", {}, "One is *this*, and that. Two.", "Lesson 1.", "1"},
      {"bcd", {}, "One.\n\nTwo.", "Lesson 1.", "1"},
      {"e", {}, "M·N is 1.5 of it.", "Lesson 1.", "1"}};
  CHECK(terminal_text({.parts = {term_definitions(terms)}}, {false, true, 20}) ==
        "a    One is this,\n"
        "     and that.\n"
        "bcd  One.\n"
        "e    M·N is 1.5 of\n"
        "     it.\n");
  CHECK(Json::parse(terms_json(terms))["terms"].size() == 3);
}

TEST_CASE("the glossary fits any terminal") {
  for (const int width : {60, 80, 100}) {
    const std::string list = terminal_text(terms_document(glossary()), {false, true, width});
    CHECK(widest(list) <= width);
    CHECK(is_ascii(terminal_text(terms_document(glossary()), {false, false, width})));
    for (const GlossaryTerm& term : glossary()) {
      INFO(term.name << " in " << width << " columns");
      CHECK(contains(list, term.name));
      const std::string text = terminal_text(term_document(term), {false, true, width});
      CHECK(widest(text) <= width);
      const int products = term.name == "row-major" ? 1 : 0;  // row * N
      CHECK(std::ranges::count(text, '*') == products);       // every mark has become a style
      const std::string ascii = terminal_text(term_document(term), {false, false, width});
      CHECK(widest(ascii) <= width);
      CHECK(is_ascii(ascii));
      CHECK_FALSE(contains(ascii, "?"));
      CHECK(contains(ascii, fmt::format("\nNext     gemm-tutor lesson {} -", term.lesson)) !=
            terms_within(term).empty());
      CHECK((width < 80 || split_lines(text).size() < 24));  // one screen
    }
  }
}
