// A drawing of boxes and texts on a grid. A square of the grid is one column and one row of a
// terminal. The drawing is data: a terminal shows it in characters, a page as SVG.
#pragma once

#include <string>
#include <vector>

#include "view/document.hpp"

namespace gemm_tutor {

inline constexpr int most_diagram_columns = 74;

struct DiagramBox {
  double x = 0, y = 0, width = 0, height = 0;  // in squares
  std::string label = {};                      // in the middle
  int colour = -1;                             // number in picture.css; -1 for none
  // On a terminal, the character that fills it. A filled box has no label.
  std::string fill = {};
  // It has a frame, which goes through the centres of squares from (x, y) to (x + width, y +
  // height).
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
  std::string words = {};  // a description in sentences
  std::string fills = {};  // the meaning of the characters of filled boxes, for a terminal

  // Adds a box without a frame.
  void cells(double x, double y, double width, double height, int colour, std::string label = {},
             std::string fill = {});
  // Adds plain text, wrapped to `columns`. Returns the row after it.
  int note(int x, int y, int columns, const std::string& text);

  int columns() const;
  int rows() const;
};

// Returns the rows of characters. Frames that touch are joined.
std::vector<std::string> diagram_rows(const Diagram& diagram);

}  // namespace gemm_tutor
