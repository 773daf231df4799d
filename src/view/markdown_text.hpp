// Texts as Markdown for readers of files: formulas as TeX between dollars, which GitHub and the
// project's site set.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "view/style.hpp"

namespace gemm_tutor {

// A lesson's text with its formulas set: those in a line, and indented code that is one formula on
// a line of its own. `link_of_lesson` returns the address of a lesson's page, by its number, or
// nothing where there is none to lead to: "lesson 7" becomes a link. Code is left as it is.
std::string with_mathematics(std::string_view markdown,
                             const std::function<std::string(int)>& link_of_lesson);

// Plain text, which has no marks of Markdown's: it is shown as it stands, its formulas set.
std::string as_markdown(std::string_view text);
std::string as_markdown(const Line& line);  // code in a style of its own

// In backticks; `in_table`: a bar would end the cell.
std::string markdown_code(std::string_view text, bool in_table = false);

}  // namespace gemm_tutor
