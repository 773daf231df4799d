// Documents as Markdown for readers of files: formulas as TeX between dollars, which GitHub and the
// project's site set.
#pragma once

#include <string>

#include "view/document.hpp"

namespace gemm_tutor {

// Plain text is shown as it is: what would be a mark of Markdown's is escaped.
std::string line_markdown(const Line& line);

// The same document gives the same bytes.
std::string markdown_text(const Document& document);

}  // namespace gemm_tutor
