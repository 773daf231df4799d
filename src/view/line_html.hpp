// What the reports say, as HTML.
#pragma once

#include <string>
#include <vector>

#include "view/style.hpp"

namespace gemm_tutor {

// Its styles as classes that line_html_css() knows ("keyword", "bad"), emphasis and code as
// elements; where a terminal would not break the line, neither does a page.
std::string line_html(const Line& line);

// A <p> for each.
std::string paragraphs_html(const std::vector<Line>& lines);

// A <pre> of C++ or CUDA in colour.
std::string code_block_html(const std::vector<std::string>& lines);

}  // namespace gemm_tutor
