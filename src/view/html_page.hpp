// Writes documents as HTML pages.
#pragma once

#include <string>

#include "view/document.hpp"

namespace gemm_tutor {

// Styles become elements and classes of line.css ("keyword", "bad"). Links are kept only if they
// are http or https. Unbreakable spaces stay unbreakable.
std::string line_html(const Line& line);

// The same for a line of code.
std::string code_html(const Line& code);

std::string parts_html(const Parts& parts);

// Returns one file without a script. The same document gives the same bytes.
std::string html_page(const Document& document);

}  // namespace gemm_tutor
