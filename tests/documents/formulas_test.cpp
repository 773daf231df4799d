#include "catch.hpp"
#include "course/lesson.hpp"
#include "support/text.hpp"
#include "view/html_checks.hpp"
#include "view/html_page.hpp"
#include "view/markdown_reader.hpp"
#include "view/mathematics.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

TEST_CASE("in the text of every lesson no formula is left as text, and no word is lost") {
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.slug);
    const std::string html = parts_html(read_markdown(lesson.text));
    CHECK(unbalanced_element(html) == "");
    const std::string text = without(without(without(html, "math"), "pre"), "code");
    for (const char* sign : {"·", "⌈", "ᵀ ="}) {
      INFO(sign);
      CHECK_FALSE(contains(text, sign));
    }
    CHECK(contains(html, "<math"));
  }
}

TEST_CASE("each formula of every lesson is set") {
  int formulas = 0;
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      for (const std::string& formula : {kernel.traffic.loads, kernel.traffic.stores}) {
        if (formula.empty()) continue;
        INFO(kernel.name << ": " << formula);
        const auto set = mathml(formula, FormulaPlace::own_line);
        REQUIRE(set.has_value());
        CHECK(unbalanced_element(*set) == "");
        CHECK(contains(*set, "mfrac") == contains(formula, "/"));
        ++formulas;
      }
    }
  }
  CHECK(formulas > 20);
}
