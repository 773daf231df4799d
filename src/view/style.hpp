// What the output can show, and text in the few styles that the reports use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

enum class ColorChoice { automatic, always, never };

struct Terminal {
  bool color = false;
  bool unicode = true;  // else symbols degrade to ASCII
  int width = 80;       // columns
  // It is read aloud: what is drawn of lines, boxes and bars is left blank.
  bool spoken = false;
  // Its columns; else the output is a file or a pipe, for which the width is assumed.
  bool has_width = true;
};

// What standard output (1) or standard error (2) is. Automatic colour needs a terminal and no
// NO_COLOR (https://no-color.org); the width is the terminal's, within what reads well,
// or 80.
Terminal detect_terminal(int file_descriptor, ColorChoice choice);

enum class Style {
  plain,
  heading,   // or strong
  emphasis,  // weaker
  picture,   // what a picture shows
  swatch,    // of a picture's colour: the text is the colour's name, which is not shown
  dim,
  good,
  bad,
  doubtful,
  code,
  keyword,
  type,
  builtin,
  literal,
  comment,
  directive,
  removed,  // of a change: a line, and what differs in it
  removed_word,
  added,
  added_word,
};

// How a style looks. Colours have the numbers of ANSI (30 to 37 as escape codes) and of curses.
enum class Color { none, red, green, yellow, blue, magenta, cyan };
struct Look {
  Color color = Color::none;
  bool bold = false, dim = false, italic = false, reversed = false;
  std::string_view page_class = {};  // "" for an element of its own, or plain text
};
const Look& look_of(Style style);

struct Span {
  std::string text;
  Style style = Style::plain;
  std::string address = {};  // of a link
};
// A line, or a paragraph before it is wrapped.
using Line = std::vector<Span>;

Line operator+(Line left, const Line& right);

// The text with spaces that wrapping does not break at; paint() makes them spaces again.
std::string unbreakable(std::string text);
std::string breakable(std::string text);  // the spaces made spaces again
bool is_unbreakable_space(char c);

// What the terminal shows of it: nothing that would control it, and ASCII alone where it shows no
// more.
std::string shown(std::string_view text, const Terminal& terminal);

// Columns that UTF-8 text takes: one a character, two for a wide one.
int columns(std::string_view text);
int columns(const Line& line);

// In ASCII alone: "✓" becomes "ok", "×" "x", a "·" between words "-" and within a formula "*".
std::string to_ascii(std::string_view text);

// The same, for a line whose columns are below those of other lines: what takes more columns in
// ASCII takes them from the spaces beside it, where there are some.
std::string to_ascii_in_columns(std::string_view text);

// With the escape codes of its styles where the terminal shows colour.
std::string paint(const Line& line, const Terminal& terminal);

}  // namespace gemm_tutor
