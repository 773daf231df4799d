// A drawing of boxes and words on squared paper: a square is a column and a row of a terminal. What
// it is about is said once, as data; a terminal shows it in characters, a page as SVG.
#pragma once

#include <string>
#include <vector>

#include "view/document.hpp"

namespace gemm_tutor {

inline constexpr int most_diagram_columns = 74;

struct DiagramBox {
  double x = 0, y = 0, width = 0, height = 0;  // in squares
  std::string label = {};                      // in its middle
  int colour = -1;                             // of picture.css; -1 for none
  // On a terminal: the character that it is filled with, over which no label is written.
  std::string fill = {};
  // It has a line around it, through the middle of squares: from (x, y) to (x + width, y + height).
  bool framed = true;
};

struct DiagramText {
  double x = 0, y = 0;
  std::string text;
  Align align = Align::left;
};

struct Diagram {
  std::string title;  // "Tiles along K"
  std::vector<DiagramBox> boxes = {};
  std::vector<DiagramText> texts = {};
  std::string words = {};  // what it shows, in sentences
  std::string fills = {};  // what the characters of filled boxes mean, for a terminal

  // What is drawn without a line around it.
  void cells(double x, double y, double width, double height, int colour, std::string label = {},
             std::string fill = {});
  // Plain text, broken after so many columns; returns the row after it.
  int note(int x, int y, int columns, const std::string& text);

  int columns() const;
  int rows() const;
};

// No wider than most_diagram_columns, if its builder minds that. Lines that touch are joined.
std::vector<std::string> diagram_rows(const Diagram& diagram);

}  // namespace gemm_tutor
