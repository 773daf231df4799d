// Lays out text in a terminal's columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/style.hpp"

namespace gemm_tutor {

// Wraps at spaces. The first line has at most `first` columns, the others `rest`. A longer word is
// broken after a "/", "," or ";", otherwise anywhere. Only spaces at breaks are lost.
std::vector<Line> wrap(const Line& line, int first, int rest);

// Returns the number of leading spaces.
int indentation(const Line& line);

// Additional indentation of continued code, in columns.
inline constexpr int continuation_indentation = 4;

Line spaces(int count);  // empty if negative

// Gives the plain spans `style`.
Line in_style(Line line, Style style);

// Replaces what the terminal cannot show.
Line shown(Line line, const Terminal& terminal);

// Pads with spaces to `width` columns. Longer text stays.
std::string flush_left(const std::string& text, int width);
std::string flush_right(const std::string& text, int width);

// Returns a bar for a share from 0 to 1, with a resolution of eighths of a column, or whole columns
// in ASCII.
std::string bar_text(double share, int columns, bool unicode);

// Returns a mark before a list's row: "✓", "→" or blank. All have the same width.
Line mark_column(const std::string& mark, Style style, const Terminal& terminal);

// Builds a report of rows and sections with their names at the left. All text of a report passes
// through it, so it replaces what the terminal cannot show.
class Page {
 public:
  explicit Page(const Terminal& terminal) : terminal_(terminal) {}

  // Begins a section: a blank line unless at the top, and the name at the left of its first row.
  void section(std::string_view name);
  // Adds wrapped text, with continuation lines indented like the body. `right` is at the right edge
  // of the last line, or on its own line if there is no room.
  void text(const Line& body, const Line& right = {});
  // Adds one row of any width.
  void unwrapped(const Line& body);
  // The same as text(), with `gutter` at the left of the first line and `gutter_below` of the
  // others.
  void row(const Line& gutter, const Line& gutter_below, const Line& body, const Line& right = {});
  void blank();

  // Returns the columns of a line of text().
  int text_columns() const;

  const Terminal& terminal() const { return terminal_; }

  // No row is wider than the terminal, except those of unwrapped() and single wide characters.
  const std::vector<Line>& rows() const { return rows_; }

  // Returns the painted rows with line breaks.
  std::string str() const;

 private:
  Line take_name();  // the section's name in its column; blank after the first call

  Terminal terminal_;
  std::string pending_name_;  // name of a section without rows
  std::vector<Line> rows_;
};

}  // namespace gemm_tutor
