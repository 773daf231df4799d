#include "view/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "support/text.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

using Change = std::function<void(Line&)>;

template <class Content>
void visit(Content& content, const Change& change) {
  if constexpr (requires { change(content.text); }) change(content.text);
  if constexpr (requires { for_each_line(content.parts, change); }) {
    for_each_line(content.parts, change);
  }
}
void visit(Facts& facts, const Change& change) {
  for (Fact& fact : facts.lines) change(fact.text);
}
void visit(List& list, const Change& change) {
  for (Parts& item : list.items) for_each_line(item, change);
}
void visit(Table& table, const Change& change) {
  for (std::vector<Cell>& row : table.rows) {
    for (Cell& cell : row) change(cell.text);
  }
}

}  // namespace

Parts::Parts() = default;
Parts::Parts(std::initializer_list<Part> parts) : vector(parts) {}
Parts::Parts(const Parts& other) = default;
Parts::Parts(Parts&& other) noexcept = default;
Parts& Parts::operator=(const Parts& other) = default;
Parts& Parts::operator=(Parts&& other) noexcept = default;
Parts::~Parts() = default;

void Parts::add(Part part) { push_back(std::move(part)); }

void Parts::append(Parts parts) {
  for (Part& part : parts) push_back(std::move(part));
}

void Parts::fact(Line text, Line right, int hang) {
  auto* last = empty() ? nullptr : std::get_if<Facts>(&back().content);
  if (last == nullptr || back().medium != Medium::any) {
    last = &std::get<Facts>(emplace_back(Facts()).content);
  }
  last->add(std::move(text), std::move(right), hang);
}

Section section(std::string label, Parts parts) { return {std::move(label), "", std::move(parts)}; }

Part for_terminals(Part part) {
  part.medium = Medium::terminal;
  return part;
}

Part for_pages(Part part) {
  part.medium = Medium::page;
  return part;
}

Part as_answer(Part part) {
  part.is_answer = true;
  return part;
}

bool Listing::is_change() const {
  return std::ranges::any_of(lines,
                             [](const ListingLine& line) { return !line.mark.text.empty(); });
}

Facts facts(const std::vector<Line>& lines) {
  Facts result;
  for (const Line& line : lines) result.lines.push_back({line});
  return result;
}

Definitions numbered(const std::vector<Line>& texts) {
  Definitions result{.definitions = {}, .indent = 2};
  for (const Line& text : texts) {
    const std::string number = std::to_string(result.definitions.size() + 1);
    result.definitions.push_back({{{number, Style::code}}, text});
  }
  return result;
}

Definitions commands_in_words(const std::vector<std::pair<std::string, std::string>>& commands,
                              int gap) {
  Definitions result{.definitions = {}, .indent = 2, .gap = gap};
  for (const auto& [command, meaning] : commands) {
    result.definitions.push_back({{{command, Style::code}}, {{meaning}}});
  }
  return result;
}

Line Document::heading() const {
  if (label.empty() && title.empty()) return {};
  return {{label + (label.empty() || title.empty() ? "" : " · ") + title}};
}

Table shown_in(Medium medium, const Table& table) {
  Table result = table;
  const auto is_empty = [&](std::size_t column) {
    if (table.columns[column].is_bar || table.rows.empty()) return false;
    return std::ranges::all_of(
        table.rows, [&](const auto& row) { return plain_text(row[column].text).empty(); });
  };
  std::vector<bool> is_shown;
  for (const Column& column : table.columns) {
    const bool is_of_medium = column.medium == Medium::any || column.medium == medium;
    is_shown.push_back(is_of_medium && !is_empty(is_shown.size()));
  }
  const auto keep_shown = [&](auto& row) {
    std::size_t i = 0;
    std::erase_if(row, [&](const auto&) { return !is_shown[i++]; });
  };
  keep_shown(result.columns);
  for (std::vector<Cell>& row : result.rows) keep_shown(row);
  return result;
}

Cell text_cell(std::string text, Style style) { return {{{std::move(text), style}}}; }

Column number_column(std::string head, int width, int gap) {
  return {{{std::move(head)}}, Align::right, width, gap};
}

std::string plain_text(const Line& line) {
  std::string text;
  for (const Span& span : line) text += span.text;
  return breakable(std::move(text));
}

void for_each_line(Parts& parts, const Change& change) {
  for (Part& part : parts) {
    std::visit([&](auto& content) { visit(content, change); }, part.content);
  }
}

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
