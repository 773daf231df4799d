// Reads Markdown, such as a lesson's text, as parts of a document. HTML is treated as text.
#pragma once

#include <string>
#include <string_view>

#include "view/document.hpp"

namespace gemm_tutor {

// Tight list items become Facts, all other text Paragraphs. Short code and "17 %" are unbreakable.
Parts read_markdown(std::string_view markdown);

// Returns only the first paragraph. Empty if there is none.
Line first_paragraph(std::string_view markdown);

// Writes documents as Markdown.

// Escapes characters of plain text that Markdown would interpret.
std::string line_markdown(const Line& line);

// The same document gives the same bytes.
std::string markdown_text(const Document& document);

}  // namespace gemm_tutor
