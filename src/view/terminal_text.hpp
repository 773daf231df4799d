// Writes documents in a terminal's columns.
#pragma once

#include <string>
#include <vector>

#include "view/document.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// Returns the rows of the parts. No row is wider than the terminal, except a compiler's quoted
// lines and single wide characters.
std::vector<Line> terminal_rows(const Parts& parts, const Terminal& terminal);

// Returns the whole document, painted.
std::string terminal_text(const Document& document, const Terminal& terminal);

// Lays out tables in a terminal's columns.
struct TableRow {
  Line text;
  bool is_apart = false;  // a blank row is before it
  int hang = 0;           // indentation of continuation lines, in columns
};

// Lays out the table in `room` columns, if it fits. A bar has its column's width, or the rest.
std::vector<TableRow> laid_out(const Table& table, int room, const Terminal& terminal);

// Aligns the numbers of all rows. The counted number is next to the predicted one, or below it if
// the row would be too long.
std::vector<Line> laid_out(const Equations& equations, int room);

// The columns next to a listing's lines.
class ListingColumns {
 public:
  explicit ListingColumns(const std::vector<Column>& columns) : columns_(columns) {}

  Line heads() const;
  // `cells` is ListingLine::beside. Returns no rows for no cells.
  std::vector<Line> rows(const std::vector<std::vector<Line>>& cells) const;

 private:
  const std::vector<Column>& columns_;
};

}  // namespace gemm_tutor
