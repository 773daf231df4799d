// A lesson's text on a terminal.
#pragma once

#include <string_view>

#include "report/style.hpp"

namespace gemm_tutor {

// The first paragraph of a Markdown text, as one line to wrap: code and emphasis become styles, and
// the markup itself goes. Empty when there is no paragraph.
Line first_paragraph(std::string_view markdown);

}  // namespace gemm_tutor
