// The terminal's properties, and text with the styles of reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

enum class ColorChoice { automatic, always, never };

// What a link to a file leads to: its address, or the running editor.
enum class Links { none, file, vscode };

struct Terminal {
  bool color = false;
  bool unicode = true;  // if false, symbols are replaced by ASCII
  int width = 80;       // columns
  // For screen readers: drawn lines, boxes and bars are left blank.
  bool spoken = false;
  // If false, the output is a file or a pipe, and the width is assumed.
  bool has_width = true;
  Links links = Links::none;  // escape codes of links (OSC 8), which take no columns
};

// Whether the variables that terminals set name one that is known to show links.
// FORCE_HYPERLINK=1 asks for them anyway, and FORCE_HYPERLINK=0 forbids them, as in other programs.
Links detect_links(bool is_terminal);

// Detects the properties of standard output (1) or standard error (2). Automatic colour needs a
// terminal and no NO_COLOR (https://no-color.org). The width is the terminal's, within readable
// limits, or 80.
Terminal detect_terminal(int file_descriptor, ColorChoice choice);

enum class Style {
  plain,
  heading,   // or strong
  emphasis,  // weaker
  picture,   // what a picture shows
  swatch,    // a sample of a picture's colour; the text is the colour's name and is not shown
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
  removed,  // for changes: a line, and the words that differ in it
  removed_word,
  added,
  added_word,
};

// The appearance of a style. Colours have the numbers of ANSI (escape codes 30 to 37) and curses.
enum class Color { none, red, green, yellow, blue, magenta, cyan };
struct Look {
  Color color = Color::none;
  bool bold = false, dim = false, italic = false, reversed = false;
  std::string_view page_class = {};  // "" if it has its own HTML element, or is plain text
};
const Look& look_of(Style style);

struct Span {
  std::string text;
  Style style = Style::plain;
  std::string address = {};  // a link's target
};
// A line, or a paragraph before it is wrapped.
using Line = std::vector<Span>;

// A file's name, or, with a line, text about it, that leads there on a terminal that shows links,
// if there is such a file. No page shows the link, because its reader has other files.
Span file_span(std::string text, Style style);
std::string file_address(std::string_view path, int line = 0);
bool is_file_address(std::string_view address);

Line operator+(Line left, const Line& right);

// Replaces spaces by unbreakable ones. paint() turns them into spaces again.
std::string unbreakable(std::string text);
std::string breakable(std::string text);  // the reverse
bool is_unbreakable_space(char c);

// Makes text safe for the terminal: no control characters, and only ASCII if it has no Unicode.
std::string shown(std::string_view text, const Terminal& terminal);

// Returns the columns of UTF-8 text: one per character, two for wide ones.
int columns(std::string_view text);
int columns(const Line& line);

// Converts to ASCII: "✓" becomes "ok", "×" "x", a "·" between words "-" and in a formula "*".
std::string to_ascii(std::string_view text);

// The same for a line whose columns are aligned with other lines. If the ASCII text is wider,
// adjacent spaces are removed.
std::string to_ascii_in_columns(std::string_view text);

// Adds the escape codes of the styles if the terminal has colour, and of links to files if it shows
// them.
std::string paint(const Line& line, const Terminal& terminal);

// Removes what paint() adds for links, for programs that would show it.
std::string without_addresses(std::string text);

}  // namespace gemm_tutor
