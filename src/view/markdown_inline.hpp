// The text within one block of Markdown, as md4c reports it piece by piece.
#pragma once

#include <md4c.h>

#include <string>
#include <vector>

#include "view/style.hpp"

namespace gemm_tutor {

// The text of an md4c attribute, its entities as characters.
std::string attribute_text(const MD_ATTRIBUTE& attribute);

// The text of a paragraph, a heading, a cell, … as one line to wrap: emphasis and code as styles,
// entities as characters, "\n" for a line break. Short code keeps together. Neighbours of the same
// style are one span, so that a formula is in one.
class InlineText {
 public:
  void enter(MD_SPANTYPE type, const void* detail);
  void leave(MD_SPANTYPE type);
  void add(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size);

  bool empty() const { return line_.empty(); }
  // What came since it was last taken.
  Line take();

 private:
  struct Opened {
    Style style;
    std::string address;     // of a link or picture
    std::size_t start_size;  // of the line where its text begins
  };

  Line line_;
  std::vector<Opened> opened_;
};

}  // namespace gemm_tutor
