// The course's formulas, "M·N·K·(1/BM + 1/BN)", as MathML Core for pages and as TeX for Markdown.
// They are written in a notation of the course's own and not in TeX, every current browser sets
// MathML by itself, and nothing is downloaded to build this program: so there is no KaTeX here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor {

// In a line a fraction keeps its slash, so that lines keep their distance; a formula on a line of
// its own has numerator above denominator.
enum class FormulaPlace { in_line, own_line };

// A <math> element of names (a call has its arguments in parentheses: op(A)), numbers ("1,024",
// "16.5"), + − · × / = < ≤ ≥ > ≈, parentheses, ⌈ ⌉, ⌊ ⌋, and ² ³ ᵀ after what they belong to; * is
// understood as ·, and ceil(x) as ⌈x⌉. None for anything else, and for a name or number alone.
std::optional<std::string> mathml(std::string_view formula,
                                  FormulaPlace place = FormulaPlace::in_line);

// The same as TeX, without the dollars around.
std::optional<std::string> tex(std::string_view formula,
                               FormulaPlace place = FormulaPlace::in_line);

// A formula that `text` begins with, in two spaces or more from what follows, or alone:
// "M·N   floats". `length` is in bytes of `text`.
struct LeadingFormula {
  std::string mathml, tex;  // for a line of its own
  std::size_t length = 0;
};
std::optional<LeadingFormula> leading_formula(std::string_view text);

// Plain text as HTML, with the formulas in it set: there they have an operator that is more than a
// slash or a ×, and their names are single letters or in capitals, as M and BK are. A comparison by
// < or > alone is one where it has such a capital: "k < K", and not "a < b".
std::string html_with_formulas(std::string_view text);

// The same text with its formulas as TeX, each between `before` and `after`; all else is as `plain`
// returns it, without it unchanged.
std::string tex_in_text(std::string_view text, std::string_view before, std::string_view after,
                        std::string (*plain)(std::string_view) = nullptr);

}  // namespace gemm_tutor
