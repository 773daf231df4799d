// Writes documents as HTML pages.
#pragma once

#include <string>
#include <string_view>

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

// What all HTML pages have in common. A page is one file without references to others. It has no
// data of the machine except for the shown measurements.

// Escapes text for an element or a quoted attribute. All text of a page passes through it. It
// replaces unbreakable spaces by HTML's, and removes control characters except line breaks.
std::string escaped(std::string_view text);

struct HtmlPage {
  std::string title;        // plain text
  std::string_view style;   // in addition to house_css()
  std::string body;         // HTML, with the heading
  std::string_view script;  // may be empty
};

// Returns the whole HTML document, with house_css().
std::string html_text(const HtmlPage& page);

}  // namespace gemm_tutor
