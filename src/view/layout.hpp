// Text laid out in the columns of a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/style.hpp"

namespace gemm_tutor {

// Broken at spaces into lines of at most `first` and then `rest` columns; a longer word is broken
// after a "/", "," or ";", else where it must be. Never loses a character but the spaces at the
// breaks.
std::vector<Line> wrap(const Line& line, int first, int rest);

// Spaces that it begins with.
int indentation(const Line& line);

// Further columns that code is indented where it goes on below.
inline constexpr int continuation_indentation = 4;

Line spaces(int count);  // none for fewer than 0

// What is plain in it has `style`.
Line in_style(Line line, Style style);

// As the terminal shows it.
Line shown(Line line, const Terminal& terminal);

// Spaces after or before it, up to `width` columns; as it is where it has more.
std::string flush_left(const std::string& text, int width);
std::string flush_right(const std::string& text, int width);

// For a share from 0 to 1: by eighths of a column, the finest that a terminal draws, or by whole
// ones in ASCII.
std::string bar_text(double share, int columns, bool unicode);

// A mark before a list's rows, in as many columns whatever the terminal shows: "✓", "→", or none.
Line mark_column(const std::string& mark, Style style, const Terminal& terminal);

// A report under way: rows, and sections with their names at the left. All text comes in here, so
// here it is made what the terminal shows.
class Page {
 public:
  explicit Page(const Terminal& terminal) : terminal_(terminal) {}

  // A blank line, but at the top, then the name of the section beside its first row.
  void section(std::string_view name);
  // Wrapped, under the section's name, below the body's own indentation; `right` flush with the
  // right edge of its last line, or on a line of its own where there is no room.
  void text(const Line& body, const Line& right = {});
  // One row under the section's name, however wide: for lines one below the other.
  void unwrapped(const Line& body);
  // The same as text() with `gutter` at the left, and `gutter_below` where the body continues.
  void row(const Line& gutter, const Line& gutter_below, const Line& body, const Line& right = {});
  void blank();

  // Columns that text() has for one line.
  int text_columns() const;

  const Terminal& terminal() const { return terminal_; }

  // None wider than the terminal, unless a single character is, or unwrapped().
  const std::vector<Line>& rows() const { return rows_; }

  // The rows, painted, each with a line break.
  std::string str() const;

 private:
  Line take_name();  // in its column; blank once it is taken

  Terminal terminal_;
  std::string pending_name_;  // of the section that has no row yet
  std::vector<Line> rows_;
};

}  // namespace gemm_tutor
