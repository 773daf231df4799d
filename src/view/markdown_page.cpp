// add_markdown(): md4c reports where blocks begin and end, and what is between becomes rows.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "support/text.hpp"
#include "support/utf8.hpp"
#include "view/highlight.hpp"
#include "view/markdown.hpp"
#include "view/markdown_inline.hpp"

namespace gemm_tutor {
namespace {

constexpr int code_indentation = 4, continuation_indentation = 4, column_gap = 2;

Line spaces(int count) {
  return {{std::string(static_cast<std::size_t>(std::max(count, 0)), ' ')}};
}

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

Line in_bold(Line line) {
  for (Span& span : line) {
    if (span.style == Style::plain) span.style = Style::heading;
  }
  return line;
}

// What the rows of a list's item or a quotation have at their left.
struct Container {
  Line first, below;  // of as many columns
  bool begun = false;
};

struct List {
  std::optional<unsigned> number;  // of the next item, where they are numbered
};

struct Table {
  std::vector<MD_ALIGN> alignments;
  std::vector<std::vector<Line>> rows;  // the first is the header
};

std::vector<int> column_widths(const Table& table) {
  std::vector<int> widths(table.rows.front().size());
  for (const std::vector<Line>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  return widths;
}

Line aligned(const Line& cell, int width, MD_ALIGN alignment) {
  const int room = width - columns(cell);
  const int left = alignment == MD_ALIGN_RIGHT ? room : alignment == MD_ALIGN_CENTER ? room / 2 : 0;
  return spaces(left) + cell + spaces(room - left);
}

class Renderer {
 public:
  explicit Renderer(Page& page) : page_(page) {}

  void enter_block(MD_BLOCKTYPE type, const void* detail) {
    add_text_row();
    switch (type) {
      case MD_BLOCK_QUOTE:
        begin_block();
        separate();  // with no mark of the quotation beside the blank row
        containers_.push_back({{{"│ ", Style::dim}}, {{"│ ", Style::dim}}});
        break;
      case MD_BLOCK_UL:
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        lists_.push_back({static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_LI:
        add_item();
        break;
      case MD_BLOCK_CODE:
        begin_block();
        code_.emplace();
        is_cuda_ = is_language_of_cuda(
            attribute_text(static_cast<const MD_BLOCK_CODE_DETAIL*>(detail)->lang));
        break;
      case MD_BLOCK_TABLE:
        begin_block();
        table_ = {};
        break;
      case MD_BLOCK_TR:
        table_.rows.emplace_back();
        break;
      case MD_BLOCK_TH:
        table_.alignments.push_back(static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align);
        break;
      case MD_BLOCK_H:
      case MD_BLOCK_HR:
        begin_block();
        break;
      default:
        break;
    }
  }

  void leave_block(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_H:
        add_row(in_bold(text_.take()));
        break;
      case MD_BLOCK_HR:
        add_row({{repeated("─", room()), Style::dim}});
        break;
      case MD_BLOCK_CODE:
        add_code();
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        table_.rows.back().push_back(cell());
        return;
      case MD_BLOCK_TABLE:
        add_table();
        break;
      case MD_BLOCK_LI:
        add_text_row();
        if (!containers_.back().begun) add_row({});  // an item without a text
        containers_.pop_back();
        return;
      case MD_BLOCK_QUOTE:
        containers_.pop_back();
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        lists_.pop_back();
        if (!lists_.empty()) return;  // the items around it decide
        break;
      case MD_BLOCK_P:
        add_text_row();
        break;
      default:
        return;
    }
    separate_ = true;
  }

  void enter_span(MD_SPANTYPE type, const void* detail) { text_.enter(type, detail); }
  void leave_span(MD_SPANTYPE type) { text_.leave(type); }

  void add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size) {
    if (code_) {
      code_->append(text, size);
    } else if (type == MD_TEXT_BR) {
      add_text_row();
    } else {
      text_.add(type, text, size);
    }
  }

 private:
  // The innermost that leave half the page to the text.
  Line gutter(Line Container::*part_of_begun, Line Container::*part_of_new) const {
    Line line;
    for (auto at = containers_.rbegin(); at != containers_.rend(); ++at) {
      const Line& part = (*at).*(at->begun ? part_of_begun : part_of_new);
      if (columns(line) + columns(part) > page_.terminal().width / 2) break;
      line = part + line;
    }
    return line;
  }
  Line gutter() const { return gutter(&Container::below, &Container::first); }
  Line gutter_below() const { return gutter(&Container::below, &Container::below); }

  int room() const { return page_.terminal().width - columns(gutter_below()); }

  // Before a block that is set off from any text before it, but not from the mark of its item.
  void begin_block() {
    if (containers_.empty() || containers_.back().begun) separate_ = true;
  }

  void separate() {
    if (separate_ && has_rows_) page_.row(gutter_below(), {}, {});
    separate_ = false;
  }

  void add_row(const Line& body, int indentation = 0, int indentation_below = 0) {
    separate();
    page_.row(gutter() + spaces(indentation), gutter_below() + spaces(indentation_below), body);
    for (Container& container : containers_) container.begun = true;
    has_rows_ = true;
  }

  void add_text_row() {
    if (!text_.empty() && table_.rows.empty()) add_row(text_.take());
  }

  void add_item() {
    std::optional<unsigned>& number = lists_.back().number;
    const std::string mark = number ? std::to_string((*number)++) + ". " : "- ";
    containers_.push_back({{{mark}}, spaces(static_cast<int>(mark.size()))});
  }

  void add_code() {
    std::vector<std::string> lines = split_lines(*std::exchange(code_, std::nullopt));
    int widest = 0;
    for (std::string& line : lines) {
      line = printable(line);
      if (!page_.terminal().unicode) line = to_ascii_in_columns(line);
      widest = std::max(widest, columns(line));
    }
    const int indentation = std::clamp(room() - widest, 0, code_indentation);
    for (const Line& line : is_cuda_ ? highlight(lines) : plain(lines)) {
      add_row(line, indentation, indentation + below_code(line));
    }
  }

  static std::vector<Line> plain(const std::vector<std::string>& lines) {
    std::vector<Line> result;
    for (const std::string& line : lines) result.push_back({{line}});
    return result;
  }

  // How much further than the line what goes on below is indented.
  int below_code(const Line& line) const {
    std::string text;
    for (const Span& span : line) text += span.text;
    const int own = static_cast<int>(std::min(text.find_first_not_of(' '), text.size()));
    return std::min(own + continuation_indentation, room() / 2);
  }

  // As it is shown, because that is what has to fit.
  Line cell() {
    Line line = text_.take();
    for (Span& span : line) span.text = shown(span.text, page_.terminal());
    return line;
  }

  void add_table() {
    const Table table = std::exchange(table_, {});
    const std::vector<int> widths = column_widths(table);
    int total = -column_gap;
    for (const int width : widths) total += width + column_gap;
    total <= room() ? add_columns(table, widths) : add_values(table);
  }

  void add_columns(const Table& table, const std::vector<int>& widths) {
    std::vector<Line> rule;
    for (const int width : widths) rule.push_back({{repeated("─", width), Style::dim}});
    for (const std::vector<Line>& row : table.rows) {
      const bool is_header = &row == &table.rows.front();
      add_row(in_columns(table, widths, row, is_header));
      if (is_header) add_row(in_columns(table, widths, rule, false));
    }
  }

  static Line in_columns(const Table& table, const std::vector<int>& widths,
                         const std::vector<Line>& cells, bool bold) {
    Line line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line = line + spaces(column_gap);
      line = line + aligned(bold ? in_bold(cells[i]) : cells[i], widths[i], table.alignments[i]);
    }
    return line;
  }

  // "header: value", a row of the table after the other.
  void add_values(const Table& table) {
    const std::vector<Line>& header = table.rows.front();
    for (std::size_t r = 1; r < table.rows.size(); ++r) {
      if (r > 1) separate_ = true;
      for (std::size_t i = 0; i < header.size(); ++i) {
        const Line& value = table.rows[r][i];
        if (value.empty()) continue;
        add_row(header[i].empty() ? value : in_bold(header[i]) + Line{{": "}} + value, 0,
                continuation_indentation);
      }
    }
  }

  Page& page_;
  InlineText text_{true};
  std::vector<Container> containers_;
  std::vector<List> lists_;
  std::optional<std::string> code_;  // of the block of code under way
  bool is_cuda_ = false;
  Table table_;
  bool has_rows_ = false;
  bool separate_ = false;  // by a blank row, before the next one
};

Renderer& renderer(void* data) { return *static_cast<Renderer*>(data); }

}  // namespace

void add_markdown(Page& page, std::string_view markdown) {
  MD_PARSER parser{};
  // HTML is text: nothing else is worth showing of it.
  parser.flags = MD_FLAG_COLLAPSEWHITESPACE | MD_FLAG_TABLES | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    renderer(data).enter_block(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* data) {
    renderer(data).leave_block(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
    renderer(data).enter_span(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* data) {
    renderer(data).leave_span(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
    renderer(data).add_text(type, text, size);
    return 0;
  };
  Renderer result(page);
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &result);
}

}  // namespace gemm_tutor
