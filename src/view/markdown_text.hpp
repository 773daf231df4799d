// Writes documents as Markdown.
#pragma once

#include <string>

#include "view/document.hpp"

namespace gemm_tutor {

// Escapes characters of plain text that Markdown would interpret.
std::string line_markdown(const Line& line);

// The same document gives the same bytes.
std::string markdown_text(const Document& document);

}  // namespace gemm_tutor
