#include "view/diagram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "support/utf8.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

// The ways that a line leaves a square.
constexpr unsigned line_up = 1, line_down = 2, line_left = 4, line_right = 8;
constexpr std::array<const char*, 16> line_characters = {" ", "│", "│", "│", "─", "┘", "┐", "┤",
                                                         "─", "└", "┌", "├", "─", "┴", "┬", "┼"};

int floor_of(double place) { return static_cast<int>(std::floor(place + 1e-9)); }
int ceiling_of(double place) { return static_cast<int>(std::ceil(place - 1e-9)); }

// The characters of a terminal, row by row.
class Squares {
 public:
  Squares(int rows, int columns)
      : columns_(columns),
        characters_(static_cast<std::size_t>(rows * columns)),
        lines_(static_cast<std::size_t>(rows * columns)) {}

  void add(const DiagramBox& box) {
    const int x = floor_of(box.x), y = floor_of(box.y);
    const int x_end = ceiling_of(box.x + box.width), y_end = ceiling_of(box.y + box.height);
    if (box.framed) frame(x, y, x_end, y_end);
    const int inside = box.framed ? 1 : 0;
    if (!box.fill.empty()) {
      for (int row = y + inside; row < y_end; ++row) {
        for (int column = x + inside; column < x_end; ++column)
          characters_[at(row, column)] = box.fill;
      }
    } else if (const int room = x_end - x - inside; gemm_tutor::columns(box.label) <= room) {
      write(box.label, y + (y_end - y - 1 + inside) / 2,
            x + inside + (room - gemm_tutor::columns(box.label)) / 2);
    }
  }

  void write(const std::string& text, int row, int column) {
    for (const CodePoint& point : code_points(text)) {
      characters_[at(row, column++)] = std::string(point.bytes);
    }
  }

  std::vector<std::string> rows() const {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < characters_.size(); ++i) {
      if (i % static_cast<std::size_t>(columns_) == 0) result.emplace_back();
      result.back() += characters_[i].empty() ? line_characters.at(lines_[i]) : characters_[i];
    }
    for (std::string& row : result) row.erase(row.find_last_not_of(' ') + 1);
    return result;
  }

 private:
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }

  void frame(int x, int y, int x_end, int y_end) {
    for (int column = x; column < x_end; ++column) {
      for (const int row : {y, y_end}) {
        lines_[at(row, column)] |= line_right;
        lines_[at(row, column + 1)] |= line_left;
      }
    }
    for (int row = y; row < y_end; ++row) {
      for (const int column : {x, x_end}) {
        lines_[at(row, column)] |= line_down;
        lines_[at(row + 1, column)] |= line_up;
      }
    }
  }

  int columns_;
  std::vector<std::string> characters_;
  std::vector<unsigned> lines_;
};

int start_of(const DiagramText& text) {
  const int width = columns(text.text);
  if (text.align == Align::left) return floor_of(text.x);
  return floor_of(text.x) - (text.align == Align::right ? width : width / 2);
}

}  // namespace

void Diagram::cells(double x, double y, double width, double height, int colour, std::string label,
                    std::string fill) {
  boxes.push_back({x, y, width, height, std::move(label), colour, std::move(fill), false});
}

DiagramBox& Diagram::area(double x, double y, double width, double height, std::string box_kind) {
  return boxes.emplace_back(
      DiagramBox{x, y, width, height, "", -1, "", false, std::move(box_kind)});
}

int Diagram::note(int x, int y, int columns, const std::string& text) {
  for (const Line& line : wrap({{text}}, columns, columns))
    texts.push_back({1.0 * x, 1.0 * y++, plain_text(line)});
  return y;
}

int Diagram::columns() const {
  int end = 0;
  for (const DiagramBox& box : boxes) {
    end = std::max(end, ceiling_of(box.x + box.width) + (box.framed ? 1 : 0));
  }
  for (const DiagramText& text : texts) {
    end = std::max(end, start_of(text) + gemm_tutor::columns(text.text));
  }
  return end;
}

int Diagram::rows() const {
  int end = 0;
  for (const DiagramBox& box : boxes) {
    end = std::max(end, ceiling_of(box.y + box.height) + (box.framed ? 1 : 0));
  }
  for (const DiagramText& text : texts) end = std::max(end, floor_of(text.y) + 1);
  return end;
}

std::vector<std::string> diagram_rows(const Diagram& diagram) {
  Squares squares(diagram.rows(), diagram.columns());
  for (const DiagramBox& box : diagram.boxes) squares.add(box);
  for (const DiagramText& text : diagram.texts) {
    squares.write(text.text, floor_of(text.y), start_of(text));
  }
  std::vector<std::string> rows = squares.rows();
  if (!diagram.fills.empty()) rows.push_back(diagram.fills);
  return rows;
}

}  // namespace gemm_tutor
