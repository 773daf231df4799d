// A drawing of boxes and texts on a grid. The drawing is data: a page shows it as SVG, and a
// terminal in characters. There a square of the grid is one column of one row.
#pragma once

#include <string>
#include <vector>

#include "view/document.hpp"

namespace gemm_tutor {

inline constexpr int most_diagram_columns = 74;

struct DiagramBox {
  double x = 0, y = 0, width = 0, height = 0;  // in squares
  std::string label = {};                      // in the middle, if there is room
  int colour = -1;                             // number in picture.css; -1 for none
  // On a terminal, the character that fills it. A filled box has no label.
  std::string fill = {};
  // It has a frame, which goes through the centres of squares from (x, y) to (x + width, y +
  // height).
  bool framed = true;
  // The others are for SVG alone.
  std::string kind = {};         // classes in picture.css, in place of a colour
  std::string short_label = {};  // if there is no room for the label
  std::string data = {};         // attributes for a page's script: data-warp="3"
};

struct DiagramText {
  double x = 0, y = 0;
  std::string text = {};
  Align align = Align::left;
  std::string kind = {}, data = {};
};

struct Diagram {
  std::string title;  // "Tiles along K"
  std::vector<DiagramBox> boxes = {};
  std::vector<DiagramText> texts = {};
  std::string words = {};  // a description in sentences
  std::string fills = {};  // the meaning of the characters of filled boxes, for a terminal

  // For SVG: its class in picture.css, and in pixels the size of a square and the room at the left
  // of and above all squares.
  std::string kind = "diagram";
  double square_width = 8, square_height = 17, left = 0, top = 0;

  // Adds a box without a frame.
  void cells(double x, double y, double width, double height, int colour, std::string label = {},
             std::string fill = {});
  // Adds one for SVG. The result is valid until another is added.
  DiagramBox& area(double x, double y, double width, double height, std::string box_kind);
  // Adds plain text, wrapped to `columns`. Returns the row after it.
  int note(int x, int y, int columns, const std::string& text);

  int columns() const;
  int rows() const;
};

// Returns the rows of characters. Frames that touch are joined.
std::vector<std::string> diagram_rows(const Diagram& diagram);

}  // namespace gemm_tutor
