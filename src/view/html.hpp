// What the pages share. A page is one file that needs no other, and holds nothing of the machine
// that it was made on but what it says of its measurements.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

// Text for an element or a quoted attribute. All text of a page comes through here: an unbreakable
// space becomes HTML's own, and no control character but the line break is left.
std::string escaped(std::string_view text);

struct HtmlPage {
  std::string title;        // plain text
  std::string_view style;   // besides the house's; of embedded_texts.hpp
  std::string body;         // HTML, with the heading
  std::string_view script;  // none if empty
};

// The document, from <!DOCTYPE html> on, in the house's style.
std::string html_text(const HtmlPage& page);

}  // namespace gemm_tutor
