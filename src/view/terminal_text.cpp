#include "view/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "support/text.hpp"
#include "view/highlight.hpp"
#include "view/layout.hpp"
#include "view/output.hpp"

namespace gemm_tutor {
namespace {

// It has characters of boxes or bars.
bool has_drawing(const std::string& text) {
  return shown(text, {.spoken = true}) != shown(text, {});
}

constexpr int code_indentation = 4;
constexpr std::string_view hard_break = "\n";

// A link's address is shown in parentheses after its text, unless it is in the text.
Line with_addresses(const Line& line) {
  Line result;
  for (std::size_t i = 0; i < line.size();) {
    const std::string& address = line[i].address;
    std::string text;
    const bool is_file = is_file_address(address);
    for (; i < line.size() && line[i].address == address; ++i) {
      text += line[i].text;
      result.push_back({line[i].text, line[i].style, is_file ? address : ""});
    }
    if (address.empty() || is_file || (!text.empty() && address.ends_with(breakable(text))))
      continue;
    result.push_back({text.empty() ? address : " (" + address + ")"});
  }
  return result;
}

std::vector<Line> split_at_breaks(const Line& line) {
  std::vector<Line> result(1);
  for (const Span& span : line) {
    if (span.text == hard_break) {
      result.emplace_back();
    } else {
      result.back().push_back(span);
    }
  }
  return result;
}

// What the rows of a list's item, of a quotation or below a line of source have at their left.
struct Container {
  Line first, below;     // of as many columns
  bool is_kept = false;  // however little room it leaves
  bool begun = false;
};

// Blank rows between parts: always, never, or by what they are, as within an item of a list.
enum class Spacing { apart, close, by_kind };

bool sets_itself_apart(const Part::Content& content) {
  return std::holds_alternative<Quote>(content) || std::holds_alternative<Code>(content) ||
         std::holds_alternative<Table>(content) || std::holds_alternative<Heading>(content) ||
         std::holds_alternative<Rule>(content);
}

class Renderer {
 public:
  explicit Renderer(Page& page) : page_(page) {}

  void add(const Parts& parts, Spacing spacing) {
    bool is_first = true;
    for (const Part& part : parts) {
      if (part.medium == Medium::page) continue;
      const bool is_apart = sets_itself_apart(part.content);
      if (spacing == Spacing::close && !is_first) separate_ = false;
      if (spacing == Spacing::apart && (!is_first || is_outermost())) separate_ = true;
      if (spacing == Spacing::by_kind && is_apart) begin_block();
      std::visit([this](const auto& content) { add(content); }, part.content);
      if (spacing == Spacing::by_kind) {
        separate_ = separate_ || is_apart || std::holds_alternative<Paragraph>(part.content);
      }
      is_first = false;
    }
  }

 private:
  const Terminal& terminal() const { return page_.terminal(); }

  // After the document's title, if it has one.
  bool is_outermost() const { return containers_.empty() && !in_section_; }

  // --- Rows

  Line gutter(Line Container::*part_of_begun, Line Container::*part_of_new) const {
    Line line;
    for (auto at = containers_.rbegin(); at != containers_.rend(); ++at) {
      const Line& part = (*at).*(at->begun ? part_of_begun : part_of_new);
      // The innermost of a list that leave half the page to the text.
      if (!at->is_kept && columns(line) + columns(part) > terminal().width / 2) break;
      line = part + line;
    }
    return line;
  }
  Line gutter() const { return gutter(&Container::below, &Container::first); }
  Line gutter_below() const { return gutter(&Container::below, &Container::below); }

  bool is_beside_name() const { return in_section_ && containers_.empty(); }

  int room() const {
    return is_beside_name() ? page_.text_columns() : terminal().width - columns(gutter_below());
  }

  // Before a block that is set off from any text before it, but not from the mark of its item.
  void begin_block() {
    if (containers_.empty() || containers_.back().begun) separate_ = true;
  }

  void separate() {
    if (separate_ && !page_.rows().empty()) page_.row(gutter_below(), {}, {});
    separate_ = false;
  }

  void add_row(const Line& first, const Line& below, const Line& body, const Line& right = {}) {
    separate();
    page_.row(gutter() + first, gutter_below() + below, body, right);
    for (Container& container : containers_) container.begun = true;
  }

  void add_text(const Line& text, const Line& right = {}, int hang = 0) {
    for (const Line& line : split_at_breaks(with_addresses(text))) {
      if (is_beside_name()) {
        separate();
        page_.text(line, right);
      } else {
        add_row({}, spaces(hang), line, right);
      }
    }
  }

  template <class Add>
  void within(const Container& container, const Add& add_parts) {
    containers_.push_back(container);
    add_parts();
    containers_.pop_back();
  }

  // --- Prose

  void add(const Heading& heading) { add_text(in_style(heading.text, Style::heading)); }
  void add(const Paragraph& paragraph) { add_text(paragraph.text); }
  void add(const Facts& facts) {
    for (const Fact& fact : facts.lines) add_text(fact.text, fact.right, fact.hang);
  }
  void add(const Prose& prose) { add(prose.parts, Spacing::apart); }
  void add(const Group& group) {
    if (!group.summary.empty()) add_text(group.summary);
    add(group.parts, Spacing::close);
  }
  void add(const Blank&) {}

  void add(const Quote& quote) {
    separate();  // with no mark of the quotation beside the blank row
    const Line bar = {{"│ ", Style::dim}};
    within({bar, bar}, [&] { add(quote.parts, Spacing::apart); });
  }

  void add(const Rule&) {
    std::string line;
    for (int i = 0; i < room(); ++i) line += "─";
    add_text({{line, Style::dim}});
  }

  void add(const List& list) {
    unsigned number = list.first;
    for (const Parts& item : list.items) {
      const std::string mark =
          list.kind == List::Kind::numbers ? std::to_string(number++) + ". " : "- ";
      within({{{mark}}, spaces(static_cast<int>(mark.size()))}, [&] {
        add(item, Spacing::by_kind);
        if (!containers_.back().begun) add_row({}, {}, {});  // an item without a text
      });
    }
  }

  int columns_shown(const Line& line) const {
    int total = 0;
    for (const Span& span : line) total += columns(shown(span.text, terminal()));
    return total;
  }

  void add(const Definitions& list) {
    int name_columns = 0;
    for (const Definition& entry : list.definitions) {
      name_columns = std::max(name_columns, columns(entry.name));
    }
    for (const Definition& entry : list.definitions) {
      Line first = spaces(list.indent);
      if (list.has_marks)
        first = first + mark_column(entry.mark.text, entry.mark.style, terminal());
      first = first + entry.name + spaces(name_columns + list.gap - columns(entry.name));
      const int hang = columns_shown(first);
      add_row(first, spaces(hang), entry.text, entry.right);
    }
  }

  // --- Code

  void add(const Code& code) {
    std::vector<std::string> lines;
    int widest = 0;
    // For screen readers, boxes are replaced by letters.
    const bool is_drawn = terminal().spoken && std::ranges::any_of(code.lines, has_drawing);
    for (const std::string& text : code.lines) {
      lines.push_back(printable(text));
      if (is_drawn || !terminal().unicode) lines.back() = to_ascii_in_columns(lines.back());
      widest = std::max(widest, columns(lines.back()));
    }
    if (is_beside_name()) {
      for (const std::string& line : lines) add_text({{"  " + line, Style::code}});
      return;
    }
    const int indent = std::clamp(room() - widest, 0, code_indentation);
    const bool is_cuda = is_language_of_cuda(code.language);
    for (const Line& line : is_cuda ? highlight(lines) : plain(lines)) {
      const int hang = std::min(indentation(line) + continuation_indentation, room() / 2);
      add_row(spaces(indent), spaces(indent + hang), line);
    }
  }

  static std::vector<Line> plain(const std::vector<std::string>& lines) {
    std::vector<Line> result;
    for (const std::string& line : lines) result.push_back({{line}});
    return result;
  }

  void add(const Statement& statement) {
    const std::string& code = statement.code;
    const std::size_t chevrons = code.find("<<<");
    if (columns(code) <= room() || chevrons == code.npos) {
      return add_text({{code, Style::code}});
    }
    add_text({{code.substr(0, chevrons), Style::code}});
    add_text({{"    " + code.substr(chevrons), Style::code}});
  }

  void add(const Message& message) {
    const int indent = columns(message.mark.text);
    Line before = {message.mark};
    bool is_first = true;
    const int width = quote_columns(terminal(), terminal().width - room() + indent);
    for (const MessageLine& line : message_lines(message.text, terminal(), width)) {
      const Line body = before + place_linked(line.text, is_first ? Style::plain : Style::code);
      line.is_quote ? page_.unwrapped(body) : add_text(body);
      before = spaces(indent);
      is_first = false;
    }
  }

  // --- Tables

  void add(const Table& table) {
    for (const TableRow& row : laid_out(shown_in(Medium::terminal, table), room(), terminal())) {
      separate_ = separate_ || row.is_apart;
      if (is_beside_name()) {
        add_text(row.text);
      } else {
        add_row({}, spaces(row.hang), row.text);
      }
    }
  }

  void add(const Equations& equations) {
    for (const Line& row : laid_out(equations, room())) add_text(row);
  }

  // --- Source

  void add(const Listing& listing) {
    const ListingColumns columns_beside(listing.columns);
    if (!listing.file.empty()) {
      add_text({file_span(listing.file, Style::plain)}, columns_beside.heads());
    }
    const std::string& path = listing.path.empty() ? listing.file : listing.path;
    for (const ListingLine& line : listing.lines) {
      separate_ = listing.is_loose;
      if (!line.gap.empty()) {
        add_row({{std::string(line.number.size() + 1, ' ') + "│ ", Style::dim}}, {},
                {{line.gap, Style::dim}});
      }
      if (!line.is_gap_alone()) add(line, columns_beside.rows(line.beside), path);
    }
  }

  // A line's number leads to it in the file at `path`, unless that is empty.
  static Line number_in(const std::string& path, const std::string& text) {
    const std::string digits(trimmed(text));
    const bool is_number = digits.find_first_not_of("0123456789") == digits.npos;
    if (path.empty() || digits.empty() || !is_number) return {{text, Style::dim}};
    return {{std::string(text.size() - digits.size(), ' '), Style::dim},
            {digits, Style::dim, file_address(path, std::stoi(digits))}};
  }

  void add(const ListingLine& line, const std::vector<Line>& beside, const std::string& path) {
    const int bar_columns = static_cast<int>(line.number.size()) + 3;
    const Line bar = {{std::string(line.number.size(), ' ') + " │ ", Style::dim}};
    const int hang = columns(line.mark.text) + indentation(line.code) + continuation_indentation;
    std::vector<Line> below = line.values;
    Line right = beside.empty() ? Line() : beside.front();
    if (!below.empty() &&
        bar_columns + least_gap + columns(line.code) + columns(below[0]) <= terminal().width) {
      right = in_style(below[0], Style::good);
      for (Span& span : right) span.text = unbreakable(span.text);
      below.erase(below.begin());
    }
    add_row(number_in(path, line.number) + Line{{" │ ", Style::dim}, line.mark}, bar + spaces(hang),
            line.code, right);
    for (std::size_t i = 1; i < beside.size(); ++i) add_row(bar, bar, {}, beside[i]);
    const Line indented = bar + spaces(indentation(line.code));
    for (const Line& value : below) {
      add_row(indented + spaces(2), indented + spaces(6), in_style(value, Style::good));
    }
    separate_ = false;
    listing_indentation_ = indentation(line.code);
    within({bar, bar, true}, [&] { add(line.below, Spacing::close); });
  }
  static constexpr int least_gap = 3;

  void add(const Remark& remark) {
    const std::string mark = terminal().spoken ? "Note: " : "╰ ";
    const Line indent = spaces(listing_indentation_);
    add_row(indent + Line{{mark, Style::heading}}, indent + spaces(2),
            in_style(with_addresses(remark.text), Style::heading));
  }

  void add(const Picture& picture) {
    if (picture.drawing == nullptr) return;
    for (const Line& line : picture.caption) add_text(line);
    add(picture.drawing(room(), terminal()), Spacing::close);
  }

  // --- The rest

  void add(const Commands& commands) {
    constexpr int margin = 3;  // the point after it
    std::vector<std::string> texts;
    Line line;
    for (const Try& one : commands.commands) {
      if (!line.empty()) line.push_back({unbreakable(" ·") + " ", Style::code});
      const bool fits = columns(one.command) + margin <= room();
      line.push_back({fits ? unbreakable(one.command) : one.command, Style::code});
      if (!one.meaning.empty()) line.push_back({" · " + one.meaning});
    }
    add_text(line);
  }

  void add(const Section& section) {
    if (std::ranges::all_of(section.parts,
                            [](const Part& part) { return part.medium == Medium::page; })) {
      return;
    }
    in_section_ = !section.label.empty() || section.heading.empty();
    if (in_section_) {
      page_.section(section.label);
      separate_ = false;
    } else {
      add(Heading{2, {{section.heading}}});
    }
    add(section.parts, Spacing::close);
    in_section_ = false;
  }

  Page& page_;
  std::vector<Container> containers_;
  bool in_section_ = false;
  bool separate_ = false;        // by a blank row, before the next one
  int listing_indentation_ = 0;  // of the line of source that something is below
};

}  // namespace

std::vector<Line> terminal_rows(const Parts& parts, const Terminal& terminal) {
  Page page(terminal);
  Renderer(page).add(parts, Spacing::apart);
  return page.rows();
}

std::string terminal_text(const Document& document, const Terminal& terminal) {
  Page page(terminal);
  if (const Line heading = document.heading(); !heading.empty()) {
    page.row({}, {}, in_style(heading, Style::heading), document.right);
  }
  for (const Fact& subtitle : document.subtitles) {
    page.row({}, spaces(subtitle.hang), subtitle.text, subtitle.right);
  }
  Renderer(page).add(document.parts, Spacing::apart);
  return page.str();
}

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
