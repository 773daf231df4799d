// Converts the course's formulas, "M·N·K·(1/BM + 1/BN)", to MathML Core for pages and TeX for
// Markdown. KaTeX is not used: the formulas are not TeX, all current browsers typeset MathML, and
// the build downloads nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor {

// In running text a fraction keeps its slash, so that the line height does not change. A displayed
// formula has the numerator above the denominator.
enum class FormulaPlace { in_line, own_line };

// Returns a <math> element. A formula has names, calls (op(A)), numbers ("1,024", "16.5"),
// + − · × / = < ≤ ≥ > ≈, parentheses, ⌈ ⌉, ⌊ ⌋, and ² ³ ᵀ after their base. * is read as ·, and
// ceil(x) as ⌈x⌉. Returns nothing for other texts, and for a single name or number.
std::optional<std::string> mathml(std::string_view formula,
                                  FormulaPlace place = FormulaPlace::in_line);

// The same as TeX, without dollars.
std::optional<std::string> tex(std::string_view formula,
                               FormulaPlace place = FormulaPlace::in_line);

// A formula at the start of a text, followed by at least two spaces or the end: "M·N   floats".
struct LeadingFormula {
  std::string mathml, tex;  // displayed
  std::size_t length = 0;   // in bytes of the text
};
std::optional<LeadingFormula> leading_formula(std::string_view text);

// Converts plain text to HTML and typesets the formulas in it. A formula must have an operator
// other than a slash or ×, and its names must be single letters or upper case, as M and BK. A
// comparison with only < or > must have an upper-case name: "k < K", but not "a < b".
std::string html_with_formulas(std::string_view text);

// Converts the formulas in a text to TeX between `before` and `after`. Other text is passed through
// `plain`, if that is not null.
std::string tex_in_text(std::string_view text, std::string_view before, std::string_view after,
                        std::string (*plain)(std::string_view) = nullptr);

}  // namespace gemm_tutor
