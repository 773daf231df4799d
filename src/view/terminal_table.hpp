// Tables laid out in the columns of a terminal.
#pragma once

#include <vector>

#include "view/document.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

struct TableRow {
  Line text;
  bool is_apart = false;  // from the row before, by a blank one
  int hang = 0;           // columns that it is indented where it goes on below
};

// In `room` columns where it fits. A bar takes the width of its column, or what others leave.
std::vector<TableRow> laid_out(const Table& table, int room, const Terminal& terminal);

// The numbers of all rows below one another; counted beside predicted, or below it where the row
// would be too long.
std::vector<Line> laid_out(const Equations& equations, int room);

// What is beside the lines of a listing.
class ListingColumns {
 public:
  explicit ListingColumns(const std::vector<Column>& columns) : columns_(columns) {}

  Line heads() const;
  // Of ListingLine::beside: none for no cells.
  std::vector<Line> rows(const std::vector<std::vector<Line>>& cells) const;

 private:
  const std::vector<Column>& columns_;
};

}  // namespace gemm_tutor
