// A lesson's text on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// The first paragraph of a Markdown text, as one line to wrap: code and emphasis become styles, and
// the markup itself goes. Empty when there is no paragraph.
Line first_paragraph(std::string_view markdown);

// The whole text in the page's columns, with a blank line between blocks: paragraphs and lists
// wrapped, code as it stands (a line wider than the page goes on below, indented), a table in
// columns or, where they do not fit, value by value. The address of a link follows in parentheses.
void add_markdown(Page& page, std::string_view markdown);

struct MarkdownSection {
  std::string heading;  // empty for what stands before the first
  std::string text;     // Markdown, without the heading and blank lines around
};

// The text at its headings of level 2. The first is what stands before them, without the title
// ("# …") that the text begins with, and may be empty.
std::vector<MarkdownSection> sections(std::string_view markdown);

}  // namespace gemm_tutor
