// The content of a report as a tree of parts, without its appearance. report/ makes documents of
// runs, traces, exercises and so on. terminal_text(), html_page() and markdown_text() show any
// document. The models are Pandoc (one document, many writers) and rich (renderable parts).
//
// Text is UTF-8 and is not escaped. A " · " between spaces separates facts and is not a product.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "view/style.hpp"

namespace gemm_tutor {

struct Part;

// A list of parts. Its constructors are defined in the .cpp file, where Part is complete.
class Parts : public std::vector<Part> {
 public:
  Parts();
  Parts(std::initializer_list<Part> parts);
  Parts(const Parts& other);
  Parts(Parts&& other) noexcept;
  Parts& operator=(const Parts& other);
  Parts& operator=(Parts&& other) noexcept;
  ~Parts();

  void add(Part part);
  void append(Parts parts);
  // Adds a fact. It is in one block with the previous part if that is Facts.
  void fact(Line text, Line right = {}, int hang = 0);
};

struct Heading {
  int level = 2;  // 1 is the document's title
  Line text;
};

// A block of prose.
struct Paragraph {
  Line text;
};

// A short line, with optional text at the right edge.
struct Fact {
  Line text;
  Line right = {};
  int hang = 0;  // indentation of its continuation lines, in columns of a terminal
};

// Lines without space between them.
struct Facts {
  std::vector<Fact> lines;

  void add(Line text, Line right = {}, int hang = 0) {
    lines.push_back({std::move(text), std::move(right), hang});
  }
};

// "name   text". The texts are aligned.
struct Definition {
  Line name;
  Line text;
  Line right = {};
  Span mark = {};
};
struct Definitions {
  std::vector<Definition> definitions;
  int indent = 0, gap = 2;  // columns of a terminal before the names, and after the longest name
  bool has_marks = false;   // there is a column of marks before the names
};

struct List {
  // Questions are numbered and have room for an answer. Choices have boxes to tick.
  enum class Kind { bullets, numbers, questions, choices };
  Kind kind = Kind::bullets;
  std::vector<Parts> items;
  unsigned first = 1;  // number
};

struct Quote {
  Parts parts;
};

// A horizontal line.
struct Rule {};

// Lines of code, or a drawing of characters. They are never wrapped or joined.
struct Code {
  std::vector<std::string> lines;
  std::string language = {};  // "cuda" is highlighted; "" for none
};

// A kernel launch. It is broken before its "<<<" if it is too long.
struct Statement {
  std::string code;
};

enum class Medium { any, terminal, page };  // page: HTML, Markdown

enum class Align { left, center, right };

struct Column {
  Line head = {};
  Align align = Align::left;
  // On a terminal: the minimum width, and the gap before the column.
  int width = 0, gap = 2;
  Medium medium = Medium::any;  // the only medium that shows it
  bool is_bar = false;          // the cells are bars
};

struct Cell {
  Line text = {};
  double share = 0;  // a bar's share of the column's width, 0 to 1
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  bool ruled = false;   // for prose: a line below the heads; if too wide, shown value by value
  bool splits = false;  // if too wide, split into several tables, each with the first column
};

// A number computed by a formula, and the counted number.
struct Equation {
  Line name;
  std::string formula;
  std::string value, counted;  // with thousands separators; `counted` may be empty
  Span mark = {};              // shows whether the two are equal
};
struct Equations {
  std::vector<Equation> rows;
  std::string unit;  // "floats"
};

// A line of source.
struct ListingLine {
  std::string number;  // "12", with the same width in all lines
  Line code = {};      // highlighted
  // One cell, with its rows, for each of Listing::columns; or empty.
  std::vector<std::vector<Line>> beside = {};
  std::vector<Line> values = {};  // evaluated from the line, shown next to it if there is room
  Parts below = {};               // remarks, drawings, …
  Span mark = {};                 // before the code: "+ " for a new line
  std::string gap = {};  // shown in place of lines that are left out before this one: "…"

  // A gap at the end of a listing has no line after it: its number is blank.
  bool is_gap_alone() const { return number.find_first_not_of(' ') == number.npos && !gap.empty(); }
};
struct Listing {
  std::string file = {};  // its name; "" if it is not shown
  std::string path = {};  // of the file that the numbers lead to, if it is not `file`
  std::string language = "cuda";
  std::vector<Column> columns = {};
  std::vector<ListingLine> lines = {};
  bool is_loose = false;  // blank rows between the lines
  bool columns_are_answers = false;

  bool is_change() const;  // true if a line has a mark
};

// A remark on a piece of code, below its line.
struct Remark {
  std::string code;
  Line text;
};

// A picture, in a form for each medium.
struct Picture {
  std::string kind;  // "request": a CSS class
  std::vector<Line> caption = {};
  std::string svg = {};                     // an <svg> element; may be empty
  std::string file = {}, description = {};  // the picture's file next to the document; may be empty
  // Draws it with at most `columns`. May be null.
  std::function<Parts(int columns, const Terminal& terminal)> drawing = nullptr;
};

// A command to try.
struct Try {
  std::string command;
  std::string meaning = {};
  int status = 0;  // its exit status
};
struct Commands {
  std::vector<Try> commands;
};

// A compiler's message. Line breaks and carets are kept.
struct Message {
  Span mark = {};
  std::string text;
};

// Room for an answer, and its unit.
struct Blank {
  std::string unit;
};

// Parts without space between them: a heading and its table. A page folds a group with a summary.
struct Group {
  Parts parts;
  Line summary = {};
};

// Parts that were written as Markdown.
struct Prose {
  Parts parts;
};

// Parts with a name. It is not shown if it has no parts. A terminal shows the label at the left, or
// the heading above if there is no label. A page shows the heading, or the label if there is none.
struct Section {
  std::string label;
  std::string heading = {};
  Parts parts = {};
};

struct Part {
  using Content = std::variant<Heading, Paragraph, Facts, Definitions, List, Quote, Rule, Code,
                               Statement, Table, Equations, Listing, Remark, Picture, Commands,
                               Message, Blank, Group, Prose, Section>;

  template <class Kind>
  Part(Kind kind) : content(std::move(kind)) {}  // NOLINT: any kind is a part

  Content content;
  Medium medium = Medium::any;  // the only medium that shows it
  bool is_answer = false;       // a page may hide it until the reader asks for it
};

Part for_terminals(Part part);
Part for_pages(Part part);
Part as_answer(Part part);

Section section(std::string label, Parts parts);
Facts facts(const std::vector<Line>& lines);
Definitions numbered(const std::vector<Line>& texts);
// Commands with their explanations.
Definitions commands_in_words(const std::vector<std::pair<std::string, std::string>>& commands,
                              int gap = 2);

struct Document {
  // Shown as "Lesson 3 · A tile in shared memory".
  std::string label = {}, title = {};
  Line right = {};                   // at the right of the title
  std::vector<Fact> subtitles = {};  // below the title
  std::string without_answers = {};  // name of the page's view without answers; "" if there is none
  std::string origin = {};           // for generated files: the generator and its input
  Parts parts = {};

  Line heading() const;
};

// Returns the table without empty columns and without columns that `medium` does not show.
Table shown_in(Medium medium, const Table& table);

Cell text_cell(std::string text, Style style = Style::plain);
Column number_column(std::string head, int width = 0, int gap = 2);  // aligned right

// Returns the text without styles.
std::string plain_text(const Line& line);

// Calls `change` with each line of prose in the parts.
void for_each_line(Parts& parts, const std::function<void(Line&)>& change);

// A drawing of boxes and texts on a grid. The drawing is data: a page shows it as SVG, and a
// terminal in characters. There a square of the grid is one column of one row.
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
