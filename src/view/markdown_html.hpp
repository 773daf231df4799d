// A lesson's text as HTML. HTML in it is text; links lead to the web (http, https) or nowhere.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

// The whole text, to stand below a page's heading: code in colour where it says that it is C++ or
// CUDA, formulas set (mathematics.hpp), and a line of indented code that is a formula set on its
// own.
std::string markdown_html(std::string_view markdown);

// Its first paragraph alone, without the <p>.
std::string paragraph_html(std::string_view markdown);

}  // namespace gemm_tutor
