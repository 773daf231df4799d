#include "view/mathematics.hpp"

#include <random>

#include "catch.hpp"
#include "html_checks.hpp"
#include "view/html.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

std::string in_line(const std::string& formula) {
  return mathml(formula).value_or("no formula: " + formula);
}

// As they are when they are set.
std::string with_plain_superscripts(std::string text) {
  for (const auto& [sign, set] : {std::pair{"²", "2"}, {"ᵀ", "T"}}) {
    for (std::size_t at = text.find(sign); at != text.npos; at = text.find(sign)) {
      text.replace(at, std::string(sign).size(), set);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("a formula is set: names, numbers, operators") {
  CHECK(in_line("M·N") ==
        "<math><mi>M</mi><mo lspace=\".12em\" rspace=\".12em\">·</mo><mi>N</mi></math>");
  CHECK(contains(in_line("BM + 1"), "<mi mathvariant=\"normal\">BM</mi><mo>+</mo><mn>1</mn>"));
  CHECK(contains(in_line("M = 1,024"), "<mo>=</mo><mn>1,024</mn>"));
  CHECK(contains(in_line("x ≈ 16.5"), "<mo>≈</mo><mn>16.5</mn>"));
  CHECK(contains(in_line("⌈N/BN⌉·K"), "<mrow><mo>⌈</mo><mi>N</mi>"));
  CHECK(in_line("M·⌈N/BN⌉") == in_line("M*ceil(N/BN)"));
  CHECK(contains(in_line("(A·B)ᵀ"), "</mrow><mi mathvariant=\"normal\">T</mi></msup>"));
  CHECK(contains(in_line("S² < 2"), "<msup><mrow><mi>S</mi></mrow><mn>2</mn></msup><mo>&lt;</mo>"));
  CHECK(
      contains(in_line("op(A) · B"), "<mi mathvariant=\"normal\">op</mi><mo>&#x2061;</mo><mrow>"));
}

TEST_CASE("a fraction has its slash in a line, and a line of its own elsewhere") {
  const std::string formula = "M·(TM + TN) / (TM·TN)";
  CHECK_FALSE(contains(in_line(formula), "mfrac"));
  const std::string set = mathml(formula, FormulaPlace::own_line).value();
  CHECK(set.starts_with("<math display=\"block\"><mfrac><mrow><mi>M</mi>"));
  CHECK(occurrences(set, "<mo>(</mo>") == 1);  // the line says what is divided by what
  CHECK(contains(
      mathml("(1 + 2) / 2", FormulaPlace::own_line).value(),
      "<mfrac><mrow><mn>1</mn><mo>+</mo><mn>2</mn></mrow><mrow><mn>2</mn></mrow></mfrac>"));
  CHECK(
      contains(mathml("(a + b)·(c + d)/2", FormulaPlace::own_line).value(), "<mfrac><mrow><mrow>"));
}

TEST_CASE("the same formulas as TeX") {
  CHECK(tex("M·N·K·(1/BM + 1/BN)") ==
        "M \\cdot N \\cdot K \\cdot \\left( 1/\\mathrm{BM} + 1/\\mathrm{BN} \\right)");
  CHECK(tex("M·(TM + TN) / (TM·TN)", FormulaPlace::own_line) ==
        "\\frac{M \\cdot \\left( \\mathrm{TM} + \\mathrm{TN} \\right)}"
        "{\\mathrm{TM} \\cdot \\mathrm{TN}}");
  CHECK(tex("x ≈ 1,024 − 2") == "x \\approx 1{,}024 - 2");
  CHECK(tex("2·⌈K/BK⌉") == "2 \\cdot \\left\\lceil K/\\mathrm{BK} \\right\\rceil");
  CHECK(tex("(A·B)ᵀ = S²") == "\\left( A \\cdot B \\right)^{\\mathsf{T}} = S^{2}");
  CHECK(tex("alpha · op(A)") == "\\mathrm{alpha} \\cdot \\mathrm{op}\\left( A \\right)");
  CHECK_FALSE(tex("a_tile[ty][k]"));
  CHECK(leading_formula("M·N/2   floats").value().tex == "\\frac{M \\cdot N}{2}");
  CHECK(tex_in_text("It is M·N, not 10/15.", "$", "$") == "It is $M \\cdot N$, not 10/15.");
}

TEST_CASE("what is no formula is none") {
  for (const char* text :
       {"",      " ",    "M",       "1,024",   "M·",           "·M",         "M··N",  "M N",
        "(M·N",  "M·N)", "(M·N]",   "⌈M·N⌋",   "()",           "M·()",       "M = ",  "3rd·M",
        "M·3rd", "M·N;", "M·N ",    "a<b>(c)", "kernel<32>·2", "<script>·M", "M & N", "1,02·M",
        "M·N.",  "²·M",  "M·\"N\"", "M·\xff",  "2026-11-21"}) {
    INFO(text);
    CHECK_FALSE(mathml(text).has_value());
  }
  CHECK(mathml(std::string(10, '(') + "M·N" + std::string(10, ')')).has_value());
  CHECK_FALSE(mathml(std::string(100'000, '(') + "M·N" + std::string(100'000, ')')).has_value());
}

TEST_CASE("a formula at the beginning of a line of code stands apart from the words behind it") {
  const auto formula = leading_formula("M·N·(1/BM + 1/BN)   floats of 4 bytes.");
  REQUIRE(formula.has_value());
  CHECK(formula->length == std::string("M·N·(1/BM + 1/BN)").size());
  CHECK(leading_formula("(A·B)ᵀ = Bᵀ·Aᵀ").has_value());
  CHECK(leading_formula("C = alpha · op(A) · op(B) + beta · C").has_value());
  for (const char* code : {"f<<<grid, block>>>(A, B);", "x = a + b;", "sum += a[i] · b[j]", "M   N",
                           "memory   1 2 3", "make -j2"}) {
    INFO(code);
    CHECK_FALSE(leading_formula(code).has_value());
  }
}

TEST_CASE("in a text formulas are set, and words, sizes, dates and units are not") {
  CHECK(html_with_formulas("so M·N floats") == "so " + in_line("M·N") + " floats");
  CHECK(html_with_formulas("(M/BM)·(N/BN) blocks") == in_line("(M/BM)·(N/BN)") + " blocks");
  CHECK(html_with_formulas("M·K +\nK·N") == in_line("M·K + K·N"));
  CHECK(html_with_formulas("2·M·N, or") ==
        "<span class=\"kept\">" + in_line("2·M·N") + ",</span> or");
  CHECK(html_with_formulas("it is M·N + more") == "it is " + in_line("M·N") + " + more");
  CHECK(html_with_formulas("A·(M + N floats)") == "A·(" + in_line("M + N") + " floats)");
  for (const char* text : {"32×32 tiles", "51 TFLOP/s", "and/or", "8 FLOP per byte",
                           "at 4096 (2026-11-21)", "K/BK steps", "a warp · a block", "the N-th row",
                           "M·N-th", "BM, BN and BK", "C++", "float4s", "1, 2, 3"}) {
    INFO(text);
    CHECK(html_with_formulas(text) == text);
  }
  for (const char* code : {"if a < b && c > d", "while i < 10", "x > y"}) {
    INFO(code);
    CHECK(html_with_formulas(code) == escaped(code));
  }
  CHECK(html_with_formulas("while k < K & \"c\"") ==
        "while " + in_line("k < K") + " &amp; &quot;c&quot;");
  CHECK(html_with_formulas("a·b < c") == in_line("a·b < c"));
}

TEST_CASE("whatever the text, its tags are balanced and what can be shown is kept") {
  std::mt19937 random(1);
  const std::vector<std::string> pieces = {
      "M",   "BK", "1", "024", ",", ".", "·",  "/",    " ",   "(", ")",  "⌈", "⌉",   " + ",
      " = ", "<",  ">", "&",   "²", "ᵀ", "\"", "word", "op(", "×", "\n", "_", "\xc2"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (int length = static_cast<int>(random() % 12); length >= 0; --length) {
      text += pieces[random() % pieces.size()];
    }
    INFO(text);
    const std::string html = html_with_formulas(text);
    REQUIRE(unbalanced_element(html) == "");
    REQUIRE(without_blanks(with_plain_superscripts(text_of_html(html))) ==
            without_blanks(with_plain_superscripts(printable(text, '\n'))));
  }
}

TEST_CASE("what is too long for a formula is shown as text, soon") {
  std::string text = "a";
  for (int i = 0; i < 50'000; ++i) text += "/b";
  CHECK(html_with_formulas(text) == text);
  CHECK_FALSE(mathml(text, FormulaPlace::own_line));
  CHECK_FALSE(leading_formula(text));
  CHECK(contains(html_with_formulas("M·N·K " + text), "<math"));
}
