// What a report says, without a word of how it is shown: a tree of parts. documents/ describes a
// run, a trace, an exercise, … as one, and terminal_text(), html_page() and markdown_text() show
// any, knowing nothing of lessons. Pandoc (one document, many writers) and rich (what can be
// rendered) are the models.
//
// Text is UTF-8, not escaped for any medium. What is set as a formula, "M·N·K/2", is found in plain
// text by who can set one; " · " between spaces separates facts and is no product.
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

// In order. What makes and ends it is defined where a Part is complete.
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
  // Close below the one before, if that is such a line.
  void fact(Line text, Line right = {}, int hang = 0);
};

struct Heading {
  int level = 2;  // 1 is the document's own
  Line text;
};

// A block of prose.
struct Paragraph {
  Line text;
};

// A short line, and what is flush with the right edge beside it.
struct Fact {
  Line text;
  Line right = {};
  int hang = 0;  // columns of a terminal that its further lines are indented
};

// Lines close below one another.
struct Facts {
  std::vector<Fact> lines;

  void add(Line text, Line right = {}, int hang = 0) {
    lines.push_back({std::move(text), std::move(right), hang});
  }
};

// "name   text": the texts begin below one another.
struct Definition {
  Line name;
  Line text;
  Line right = {};
  Span mark = {};
};
struct Definitions {
  std::vector<Definition> definitions;
  int indent = 0, gap = 2;  // columns of a terminal before the names, and after the longest
  bool has_marks = false;   // in a column of their own before the names
};

struct List {
  // Questions are numbered, and have room to write below them; choices have boxes to tick.
  enum class Kind { bullets, numbers, questions, choices };
  Kind kind = Kind::bullets;
  std::vector<Parts> items;
  unsigned first = 1;  // number
};

struct Quote {
  Parts parts;
};

// A line across the page.
struct Rule {};

// Lines of code, or a drawing of characters: never joined.
struct Code {
  std::vector<std::string> lines;
  std::string language = {};    // "cuda" is shown in colour; "" for none
  bool may_be_formula = false;  // a single line of it may be one, on a line of its own
};

// A call, which is no listing: broken before its "<<<" where it is too long.
struct Statement {
  std::string code;
};

enum class Medium { any, terminal, page };  // page: HTML, Markdown

enum class Align { left, center, right };

struct Column {
  Line head = {};
  Align align = Align::left;
  // On a terminal: the least width, and the gap to the column before.
  int width = 0, gap = 2;
  Medium medium = Medium::any;  // that alone shows it
  bool is_bar = false;          // its cells are bars
};

struct Cell {
  Line text = {};
  double share = 0;  // of the column's width that a bar takes, 0 to 1
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  bool ruled = false;   // of prose: a line below the heads; where it is too wide, value by value
  bool splits = false;  // where it is too wide: several, each with the first column
};

// A number by a formula, and as it was counted.
struct Equation {
  Line name;
  std::string formula;
  std::string value, counted;  // with their thousands separated; `counted` is empty for none
  Span mark = {};              // whether the two agree
};
struct Equations {
  std::vector<Equation> rows;
  std::string unit;  // "floats"
};

// A line of source.
struct ListingLine {
  std::string number;  // "12", of as many characters in all lines
  Line code = {};      // in colour
  // A cell's rows for each of Listing::columns, or none.
  std::vector<std::vector<Line>> beside = {};
  std::vector<Line> values = {};  // worked out of the line: beside it where there is room
  Parts below = {};               // remarks, drawings, …
  Span mark = {};                 // before the code: "+ " for a line that is new
  std::string gap = {};           // in place of lines that are left out before this one: "…"

  // At the end of a listing there may be no line after a gap: its number is blank.
  bool is_gap_alone() const { return number.find_first_not_of(' ') == number.npos && !gap.empty(); }
};
struct Listing {
  std::string file = {};  // its name; "" where it is said elsewhere
  std::string language = "cuda";
  std::vector<Column> columns = {};
  std::vector<ListingLine> lines = {};
  bool is_loose = false;  // a blank row between the lines
  bool columns_are_answers = false;

  bool is_change() const;  // some of its lines have marks
};

// What is said of a piece of code, below its line.
struct Remark {
  std::string code;
  Line text;
};

// Something drawn, in each medium its own way.
struct Picture {
  std::string kind;  // "request": a class of the page's style
  std::vector<Line> caption = {};
  std::string svg = {};                     // an <svg> element; "" for none
  std::string file = {}, description = {};  // of the same beside the document, where it has files
  // At most `columns` wide; null for none.
  std::function<Parts(int columns, const Terminal& terminal)> drawing = nullptr;
};

// A command to try.
struct Try {
  std::string command;
  std::string meaning = {};
  int status = 0;  // that it exits with
};
struct Commands {
  std::vector<Try> commands;
};

// What a compiler says: each line a line, and carets below what they point at.
struct Message {
  Span mark = {};
  std::string text;
};

// Room for an answer, and its unit.
struct Blank {
  std::string unit;
};

// Of rows that are close to one another: a heading and its table. A page folds one with a summary,
// until the reader opens it.
struct Group {
  Parts parts;
  Line summary = {};
};

// Markdown that somebody wrote.
struct Prose {
  Parts parts;
};

// A group with a name, or nothing where it has no parts. A terminal shows the label beside it, or
// where it has none the heading above it; a page shows the heading, or the label for want of it.
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
  Medium medium = Medium::any;  // that alone shows it
  bool is_answer = false;       // a page may hide it until the reader has guessed
};

Part for_terminals(Part part);
Part for_pages(Part part);
Part as_answer(Part part);

Section section(std::string label, Parts parts);
Facts facts(const std::vector<Line>& lines);
Definitions numbered(const std::vector<Line>& texts);
// Of what is typed, and what that does.
Definitions commands_in_words(const std::vector<std::pair<std::string, std::string>>& commands,
                              int gap = 2);

struct Document {
  // "Lesson 3 · A tile in shared memory" of a label and a title.
  std::string label = {}, title = {};
  Line right = {};                   // beside the title
  std::vector<Fact> subtitles = {};  // below it
  std::string without_answers = {};  // what a page calls itself without them; "" for no choice
  std::string origin = {};           // of a file that is written: who wrote it, from what
  Parts parts = {};

  Line heading() const;
};

// The table without the columns that are empty, and those that `medium` does not show.
Table shown_in(Medium medium, const Table& table);

Cell text_cell(std::string text, Style style = Style::plain);
Column number_column(std::string head, int width = 0, int gap = 2);  // flush with the right

// Without styles.
std::string plain_text(const Line& line);

// `change` is called with each line of prose in the parts.
void for_each_line(Parts& parts, const std::function<void(Line&)>& change);

}  // namespace gemm_tutor
