// Documents as pages of HTML.
#pragma once

#include <string>

#include "view/document.hpp"

namespace gemm_tutor {

// Styles are elements and classes that line.css knows ("keyword", "bad"), formulas are set, and a
// link leads to the web (http, https) or nowhere; where a terminal would not break the line,
// neither does a page.
std::string line_html(const Line& line);

// The same of a line of code, in which no formula is looked for.
std::string code_html(const Line& code);

std::string parts_html(const Parts& parts);

// One file without a script. The same document gives the same bytes.
std::string html_page(const Document& document);

}  // namespace gemm_tutor
