// What all HTML pages have in common. A page is one file without references to others. It has no
// data of the machine except for the shown measurements.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

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
