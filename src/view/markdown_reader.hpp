// Markdown, such as a lesson's text, as parts of a document. HTML in it is text.
#pragma once

#include <string_view>

#include "view/document.hpp"

namespace gemm_tutor {

// Tight items of lists are Facts, all other text is Paragraphs. Short code and "17 %" hold
// together.
Parts read_markdown(std::string_view markdown);

// Its first paragraph alone. Empty when there is none.
Line first_paragraph(std::string_view markdown);

}  // namespace gemm_tutor
