#include "view/terminal_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

Line aligned(const Line& cell, int width, Align align) {
  const int room = std::max(width - columns(cell), 0);
  const int left = align == Align::right ? room : align == Align::center ? room / 2 : 0;
  return spaces(left) + cell + spaces(room - left);
}

Line without_leading_spaces(Line line) {
  while (!line.empty()) {
    std::string& text = line.front().text;
    text.erase(0, text.find_first_not_of(' '));
    if (!text.empty()) break;
    line.erase(line.begin());
  }
  return line;
}

class TableLayout {
 public:
  TableLayout(const Table& table, int room, const Terminal& terminal)
      : table_(table), room_(room), terminal_(terminal) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      int width = std::max(column.width, head_reaches_on(i) ? 0 : columns(head(i)));
      for (const auto& row : table.rows) width = std::max(width, columns(text_of(row[i])));
      widths_.push_back(width);
    }
    // The bars are shortened so that all columns fit.
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      const int missing = std::max(width_of(0, widths_.size()) - room, 0);
      if (table.columns[i].is_bar) widths_[i] = std::max(widths_[i] - missing, 0);
    }
  }

  std::vector<TableRow> rows() const {
    const std::size_t all = widths_.size();
    if (width_of(0, all) <= room_) return part(0, all);
    if (table_.ruled) return value_by_value();
    if (!table_.splits) return part(0, all);
    std::vector<TableRow> result;
    for (std::size_t begin = 1; begin < all;) {
      std::size_t end = begin + 1;
      while (end < all && widths_[0] + width_of(begin, end + 1) <= room_) ++end;
      std::vector<TableRow> rows = part(begin, end);
      rows.front().is_apart = begin > 1;
      result.insert(result.end(), rows.begin(), rows.end());
      begin = end;
    }
    return result;
  }

 private:
  Line head(std::size_t i) const { return shown(table_.columns[i].head, terminal_); }
  Line text_of(const Cell& cell) const { return shown(cell.text, terminal_); }

  // Over a column without a head of its own.
  bool head_reaches_on(std::size_t i) const {
    return i + 1 < table_.columns.size() && table_.columns[i + 1].head.empty() &&
           !table_.columns[i].head.empty() && !table_.ruled;
  }

  bool has_heads() const {
    return std::ranges::any_of(table_.columns, [](const Column& c) { return !c.head.empty(); });
  }

  int gap(std::size_t i) const { return i == 0 ? 0 : table_.columns[i].gap; }

  // Of columns [begin, end), with the gaps before them.
  int width_of(std::size_t begin, std::size_t end) const {
    int width = 0;
    for (std::size_t i = begin; i < end; ++i) width += gap(i) + widths_[i];
    return width;
  }

  // Calls `cell` for the first column, and for columns [begin, end).
  template <class CellOf>
  Line row(std::size_t begin, std::size_t end, const CellOf& cell) const {
    Line line;
    if (begin > 0) line = cell(0);
    for (std::size_t i = begin; i < end; ++i) line = line + spaces(gap(i)) + cell(i);
    return line;
  }

  std::vector<TableRow> part(std::size_t begin, std::size_t end) const {
    std::vector<TableRow> result;
    if (has_heads()) result.push_back({heads(begin, end)});
    if (table_.ruled) {
      result.push_back({row(begin, end, [&](std::size_t i) -> Line {
        std::string rule;
        for (int k = 0; k < widths_[i]; ++k) rule += "─";
        return {{rule, Style::dim}};
      })});
    }
    for (const std::vector<Cell>& cells : table_.rows) {
      result.push_back({row(begin, end, [&](std::size_t i) { return body(cells[i], i); })});
    }
    return result;
  }

  Line heads(std::size_t begin, std::size_t end) const {
    const Style style = table_.ruled ? Style::heading : Style::dim;
    Line line;
    int reach = 0;  // columns of the next one that a head has taken
    const auto add = [&](std::size_t i) {
      Line text = in_style(head(i), style);
      const int width = widths_[i];
      if (head_reaches_on(i) && columns(text) > width) {
        line = line + text;
        reach = columns(text) - width;
        return;
      }
      line = line + aligned(text, width - reach, table_.columns[i].align);
      reach = 0;
    };
    if (begin > 0) add(0);
    for (std::size_t i = begin; i < end; ++i) {
      line = line + spaces(gap(i) - reach);
      reach = std::max(reach - gap(i), 0);
      add(i);
    }
    return line;
  }

  Line body(const Cell& cell, std::size_t i) const {
    if (table_.columns[i].is_bar) {
      const std::string drawn = bar_text(cell.share, widths_[i], terminal_.unicode);
      return aligned({{drawn, Style::good}}, widths_[i], Align::left);
    }
    return aligned(text_of(cell), widths_[i], table_.columns[i].align);
  }

  // "head: value", a row of the table after the other.
  std::vector<TableRow> value_by_value() const {
    std::vector<TableRow> result;
    for (const std::vector<Cell>& cells : table_.rows) {
      bool is_first = true;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const Line value = text_of(cells[i]);
        if (value.empty()) continue;
        const Line name = in_style(head(i), Style::heading);
        result.push_back({name.empty() ? value : name + Line{{": "}} + value,
                          is_first && &cells != &table_.rows.front(), continuation_indentation});
        is_first = false;
      }
    }
    return result;
  }

  const Table& table_;
  const int room_;
  const Terminal& terminal_;
  std::vector<int> widths_;
};

}  // namespace

std::vector<TableRow> laid_out(const Table& table, int room, const Terminal& terminal) {
  return TableLayout(table, room, terminal).rows();
}

std::vector<Line> laid_out(const Equations& equations, int room) {
  constexpr int name_columns = 8;
  int formula_columns = 0, number_columns = 0;
  bool has_formula = false;
  for (const Equation& row : equations.rows) {
    has_formula = has_formula || !row.formula.empty();
    formula_columns = std::max(formula_columns, columns(row.formula));
    number_columns = std::max({number_columns, columns(row.value), columns(row.counted)});
  }
  const std::string unit = equations.unit;
  const auto before_number = [&](const Equation& row) {
    const Line name = aligned(row.name, name_columns, Align::left);
    return has_formula ? name + Line{{flush_left(row.formula, formula_columns) + "  = "}} : name;
  };
  const auto value = [&](const Equation& row) -> Line {
    const std::string number = flush_right(has_formula ? row.value : row.counted, number_columns);
    const std::string words = has_formula ? unit : unit + " counted";
    Line line = before_number(row) + Line{{number + " " + words}};
    if (!has_formula && !row.mark.text.empty()) line = line + Line{{"  "}, row.mark};
    return line;
  };
  const auto beside = [&](const Equation& row) -> Line {
    if (!has_formula || row.counted.empty()) return {};
    return {{"   counted " + flush_right(row.counted, number_columns) + "  "}, row.mark};
  };
  const auto below = [&](const Equation& row) -> Line {
    return {{flush_right("counted", columns(before_number(row)) - 1) + " " +
             flush_right(row.counted, number_columns) + "  "},
            row.mark};
  };
  const bool fits = std::ranges::all_of(equations.rows, [&](const Equation& row) {
    return columns(value(row) + beside(row)) <= room;
  });
  const bool has_long_formula = std::ranges::any_of(
      equations.rows, [&](const Equation& row) { return columns(value(row)) > room; });
  std::vector<Line> result;
  for (const Equation& row : equations.rows) {
    if (has_long_formula && has_formula) {  // each in a line of its own, and the numbers below it
      const std::string equals = flush_right("", name_columns) + "= ";
      result.push_back(aligned(row.name, name_columns, Align::left) + Line{{row.formula}});
      result.push_back(Line{{equals + flush_right(row.value, number_columns) + " " + unit}} +
                       beside(row));
      continue;
    }
    result.push_back(fits ? value(row) + beside(row) : value(row));
    if (!fits && !beside(row).empty()) result.push_back(below(row));
  }
  return result;
}

Line ListingColumns::heads() const {
  std::vector<std::vector<Line>> cells;
  for (const Column& column : columns_) cells.push_back({in_style(column.head, Style::dim)});
  return cells.empty() ? Line() : rows(cells).front();
}

std::vector<Line> ListingColumns::rows(const std::vector<std::vector<Line>>& cells) const {
  std::size_t count = 0;
  for (const std::vector<Line>& cell : cells) count = std::max(count, cell.size());
  std::vector<Line> result(count);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    int width = columns_[i].width;
    for (const Line& row : cells[i]) width = std::max(width, columns(row));
    for (std::size_t r = 0; r < count; ++r) {
      const Line row = r < cells[i].size() ? cells[i][r] : Line();
      result[r] =
          result[r] + spaces(i == 0 ? 0 : columns_[i].gap) + aligned(row, width, columns_[i].align);
    }
  }
  // Where the first cells are empty the code beside them may be longer.
  for (Line& row : result) row = without_leading_spaces(std::move(row));
  return result;
}

}  // namespace gemm_tutor
