// md4c reports where blocks and spans begin and end, and the text between them.
#include "view/markdown.hpp"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/text.hpp"
#include "view/html_page.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

// --- The text within one block

constexpr int code_columns_kept_together = 32;

// Those that are likely in a lesson; md4c knows none, and others are shown as they are.
constexpr auto entities = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"&amp;", "&"},
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&quot;", "\""},
    {"&apos;", "'"},
    {"&nbsp;", "\u00a0"},
    {"&times;", "×"},
    {"&middot;", "·"},
    {"&hellip;", "…"},
    {"&ndash;", "–"},
    {"&mdash;", "—"},
    {"&le;", "≤"},
    {"&ge;", "≥"},
    {"&plusmn;", "±"},
    {"&asymp;", "≈"},
    {"&rarr;", "→"},
    {"&micro;", "µ"},
});

std::string utf8(char32_t value) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  const auto tail = [&](int shift, char32_t code) { return byte(0x80 | (code >> shift & 0x3f)); };
  if (value == 0 || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return "\ufffd";
  if (value < 0x80) return {byte(value)};
  if (value < 0x800) return {byte(0xc0 | value >> 6), tail(0, value)};
  if (value < 0x10000) return {byte(0xe0 | value >> 12), tail(6, value), tail(0, value)};
  return {byte(0xf0 | value >> 18), tail(12, value), tail(6, value), tail(0, value)};
}

// "&amp;", "&#1234;" or "&#x12ab;".
std::string entity_text(std::string_view entity) {
  if (entity.starts_with("&#")) {
    const bool is_hexadecimal = entity[2] == 'x' || entity[2] == 'X';
    const std::string_view digits = entity.substr(is_hexadecimal ? 3 : 2);
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hexadecimal ? 16 : 10);
    return utf8(value);
  }
  const auto known = std::ranges::find(entities, entity, &decltype(entities)::value_type::first);
  return std::string(known == entities.end() ? entity : known->second);
}

// "17 %" stays on one line.
std::string with_percent_kept(std::string text) {
  for (std::size_t at = 0; (at = text.find(" %", at)) != text.npos; at += 2) {
    text.replace(at, 1, unbreakable(" "));
  }
  return text;
}

std::string piece(MD_TEXTTYPE type, std::string_view text) {
  switch (type) {
    case MD_TEXT_BR:
      return "\n";
    case MD_TEXT_SOFTBR:
      return " ";
    case MD_TEXT_NULLCHAR:
      return "\ufffd";
    case MD_TEXT_ENTITY:
      return entity_text(text);
    case MD_TEXT_NORMAL:
      return with_percent_kept(std::string(text));
    default:
      return std::string(text);
  }
}

// The text of an md4c attribute, its entities as characters.
std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string text;
  for (int i = 0; attribute.size > 0 && attribute.substr_offsets[i] < attribute.size; ++i) {
    const MD_OFFSET begin = attribute.substr_offsets[i], end = attribute.substr_offsets[i + 1];
    text += piece(attribute.substr_types[i], {attribute.text + begin, end - begin});
  }
  return text;
}

Style style_of(MD_SPANTYPE type, Style around) {
  switch (type) {
    case MD_SPAN_CODE:
      return Style::code;
    case MD_SPAN_EM:
      return Style::emphasis;
    case MD_SPAN_STRONG:
      return Style::heading;
    case MD_SPAN_IMG:
      return Style::picture;
    default:
      return around;
  }
}

std::string address_of(MD_SPANTYPE type, const void* detail) {
  switch (type) {
    case MD_SPAN_A:
      return attribute_text(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
    case MD_SPAN_IMG:
      return attribute_text(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src);
    default:
      return "";
  }
}

// The text of a paragraph, a heading, a cell, … as one line to wrap: emphasis and code as styles,
// entities as characters, "\n" for a line break. Short code keeps together. Neighbours of the same
// style are one span.
class InlineText {
 public:
  void enter(MD_SPANTYPE type, const void* detail) {
    const Opened around = opened_.empty() ? Opened{} : opened_.back();
    const std::string address = address_of(type, detail);
    opened_.push_back(
        {style_of(type, around.style), address.empty() ? around.address : address, line_.size()});
  }

  void leave(MD_SPANTYPE type) {
    const Opened span = std::move(opened_.back());
    opened_.pop_back();
    const std::size_t start = std::min(span.start_size, line_.size());
    const bool has_address = type == MD_SPAN_A || type == MD_SPAN_IMG;
    if (has_address && start == line_.size()) line_.push_back({"", span.style, span.address});
    if (type != MD_SPAN_CODE || start == line_.size()) return;
    std::string& code = line_.back().text;  // which is one span
    if (columns(code) <= code_columns_kept_together) code = unbreakable(code);
  }

  void add(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size) {
    const Opened within = opened_.empty() ? Opened{} : opened_.back();
    const bool begins = !opened_.empty() && line_.size() == within.start_size;
    const std::string more = piece(type, {text, size});
    const bool goes_on = !line_.empty() && !begins && type != MD_TEXT_BR &&
                         line_.back().text != "\n" && line_.back().style == within.style &&
                         line_.back().address == within.address;
    if (goes_on) {
      line_.back().text += more;
    } else {
      line_.push_back({more, within.style, within.address});
    }
  }

  bool empty() const { return line_.empty(); }
  // What came since it was last taken.
  Line take() { return std::exchange(line_, {}); }

 private:
  struct Opened {
    Style style;
    std::string address;     // of a link or picture
    std::size_t start_size;  // of the line where its text begins
  };

  Line line_;
  std::vector<Opened> opened_;
};

// --- Blocks

Align align_of(MD_ALIGN align) {
  switch (align) {
    case MD_ALIGN_RIGHT:
      return Align::right;
    case MD_ALIGN_CENTER:
      return Align::center;
    default:
      return Align::left;
  }
}

class Reader {
 public:
  Parts take() {
    add_text();
    return std::move(open_.front());
  }

  void enter_block(MD_BLOCKTYPE type, const void* detail) {
    add_text();
    switch (type) {
      case MD_BLOCK_QUOTE:
      case MD_BLOCK_LI:
        open_.emplace_back();
        break;
      case MD_BLOCK_UL:
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        lists_.push_back(
            {List::Kind::numbers, {}, static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_CODE: {
        const auto& code = *static_cast<const MD_BLOCK_CODE_DETAIL*>(detail);
        code_ = Code{{}, attribute_text(code.lang)};
        code_text_.clear();
        break;
      }
      case MD_BLOCK_TABLE:
        table_ = Table{.columns = {}, .rows = {}, .ruled = true};
        break;
      case MD_BLOCK_TR:
        if (!table_->columns.empty()) table_->rows.emplace_back();
        break;
      default:
        break;
    }
  }

  void leave_block(MD_BLOCKTYPE type, const void* detail) {
    switch (type) {
      case MD_BLOCK_H:
        add(Heading{static_cast<int>(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level),
                    text_.take()});
        break;
      case MD_BLOCK_P:
        add(Paragraph{text_.take()});
        break;
      case MD_BLOCK_HR:
        add(Rule{});
        break;
      case MD_BLOCK_CODE:
        code_->lines = split_lines(code_text_);
        add(*std::exchange(code_, std::nullopt));
        break;
      case MD_BLOCK_TH:
        table_->columns.push_back(
            {text_.take(), align_of(static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align)});
        break;
      case MD_BLOCK_TD:
        table_->rows.back().push_back({text_.take()});
        break;
      case MD_BLOCK_TABLE:
        add(*std::exchange(table_, std::nullopt));
        break;
      case MD_BLOCK_LI:
        add_text();
        lists_.back().items.push_back(take_open());
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL: {
        List list = std::move(lists_.back());
        lists_.pop_back();
        add(std::move(list));
        break;
      }
      case MD_BLOCK_QUOTE:
        add(Quote{take_open()});
        break;
      default:
        break;
    }
  }

  void enter_span(MD_SPANTYPE type, const void* detail) { text_.enter(type, detail); }
  void leave_span(MD_SPANTYPE type) { text_.leave(type); }

  void add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size) {
    code_ ? void(code_text_.append(text, size)) : text_.add(type, text, size);
  }

 private:
  void add(Part part) { open_.back().push_back(std::move(part)); }

  // Of a tight item.
  void add_text() {
    if (!text_.empty() && !table_) add(facts({text_.take()}));
  }

  Parts take_open() {
    Parts parts = std::move(open_.back());
    open_.pop_back();
    return parts;
  }

  InlineText text_;
  std::vector<Parts> open_ = std::vector<Parts>(1);  // quotations and items, the innermost last
  std::vector<List> lists_;
  std::optional<Table> table_;
  std::optional<Code> code_;
  std::string code_text_;
};

Reader& reader(void* data) { return *static_cast<Reader*>(data); }

}  // namespace

Parts read_markdown(std::string_view markdown) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_COLLAPSEWHITESPACE | MD_FLAG_TABLES | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    reader(data).enter_block(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    reader(data).leave_block(type, detail);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
    reader(data).enter_span(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* data) {
    reader(data).leave_span(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
    reader(data).add_text(type, text, size);
    return 0;
  };
  Reader result;
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &result);
  return result.take();
}

Line first_paragraph(std::string_view markdown) {
  for (const Part& part : read_markdown(markdown)) {
    if (const auto* paragraph = std::get_if<Paragraph>(&part.content)) return paragraph->text;
  }
  return {};
}

namespace {

constexpr std::size_t text_columns = 100;

// Escapes Markdown's characters.
std::string escaped_markdown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|$#").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string code_markdown(const std::string& text, bool in_table) {
  std::string code = breakable(text);
  for (std::size_t at = 0; in_table && (at = code.find('|', at)) != code.npos; at += 2) {
    code.insert(at, 1, '\\');  // an unescaped bar would end the cell
  }
  return fmt::format("`{}`", code);
}

std::string span_markdown(const Span& span, bool in_table) {
  if (span.text == "\n") return "<br>\n";
  switch (span.style) {
    case Style::swatch:
      return "";
    case Style::code:
      return code_markdown(span.text, in_table);
    default:
      break;
  }
  const std::string text = escaped_markdown(breakable(span.text));
  if (span.style == Style::heading) return fmt::format("**{}**", text);
  if (span.style == Style::emphasis) return fmt::format("*{}*", text);
  return text;
}

std::string line_text(const Line& line, bool in_table) {
  std::string result;
  for (std::size_t i = 0; i < line.size();) {
    const std::string& address = line[i].address;
    std::string text;
    for (; i < line.size() && line[i].address == address; ++i) {
      text += span_markdown(line[i], in_table);
    }
    result += address.empty() ? text : fmt::format("[{}]({})", text, address);
  }
  return result;
}

// Whether a line of a paragraph may begin with it: other words would begin a list, a heading, ….
bool may_begin_line(std::string_view word) {
  const char c = word.empty() ? ' ' : word.front();
  return std::isalpha(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("([`\"").find(c) != std::string_view::npos;
}

// Split at spaces, but not within code.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  bool in_code = false;
  bool is_escaped = false;
  for (const char c : text) {
    if (!in_code && c == ' ') {
      words.emplace_back();
      continue;
    }
    words.back() += c;
    if (!is_escaped && c == '`') in_code = !in_code;
    is_escaped = !is_escaped && c == '\\';
  }
  return words;
}

// In lines of at most `text_columns`, as far as words allow.
std::string wrapped(const std::string& text) {
  std::string result;
  std::size_t line = 0;  // columns so far
  for (const std::string& word : words_of(text)) {
    const auto width = static_cast<std::size_t>(columns(word));
    if (line > 0 && line + 1 + width > text_columns && may_begin_line(word)) {
      result += "\n";
      line = 0;
    } else if (line > 0) {
      result += " ";
      ++line;
    }
    result += word;
    line += width;
  }
  return result + "\n";
}

std::string fenced(std::string_view language, const std::vector<std::string>& lines) {
  std::string text = fmt::format("```{}\n", language);
  for (const std::string& line : lines) text += line + "\n";
  return text + "```\n";
}

// The first line after `mark`, the others below its text.
std::string hanging(const std::string& mark, const std::string& text) {
  std::string result;
  for (const std::string& line : split_lines(text)) {
    const std::string before = result.empty() ? mark : std::string(mark.size(), ' ');
    result += line.empty() ? "\n" : before + line + "\n";
  }
  return result.empty() ? mark + "\n" : result;
}

std::string parts_markdown(const Parts& parts);

// --- Parts

std::string markdown_of(const Heading& heading) {
  return fmt::format("{} {}\n", std::string(static_cast<std::size_t>(heading.level), '#'),
                     line_markdown(heading.text));
}

std::string markdown_of(const Paragraph& paragraph) {
  return wrapped(line_markdown(paragraph.text));
}

std::string markdown_of(const Facts& facts) {
  std::vector<std::string> texts;
  for (const Fact& fact : facts.lines) texts.push_back(line_markdown(fact.text + fact.right));
  return texts.size() == 1 ? wrapped(texts[0]) : join(texts, "<br>\n") + "\n";
}

std::string markdown_of(const Definitions& list) {
  std::string text;
  for (const Definition& entry : list.definitions) {
    text += hanging("- ", wrapped(line_markdown(entry.name) + ": " + line_markdown(entry.text)));
  }
  return text;
}

bool is_loose(const List& list) {
  return std::ranges::any_of(list.items, [](const Parts& item) {
    return std::ranges::any_of(
        item, [](const Part& part) { return std::holds_alternative<Paragraph>(part.content); });
  });
}

std::string markdown_of(const List& list) {
  const bool has_numbers = list.kind == List::Kind::numbers || list.kind == List::Kind::questions;
  std::string text;
  unsigned number = list.first;
  for (const Parts& item : list.items) {
    if (!text.empty() && is_loose(list)) text += "\n";
    std::string body;
    for (const Part& part : item) {
      const std::string one = parts_markdown({part});
      const bool is_apart = !body.empty() && !std::holds_alternative<List>(part.content);
      body += one.empty() ? "" : (is_apart ? "\n" : "") + one;
    }
    text += hanging(has_numbers ? fmt::format("{}. ", number++) : "- ", body);
  }
  return text;
}

std::string markdown_of(const Quote& quote) {
  std::string text;
  for (const std::string& line : split_lines(parts_markdown(quote.parts))) {
    text += line.empty() ? ">\n" : "> " + line + "\n";
  }
  return text;
}

std::string markdown_of(const Rule&) { return "---\n"; }

std::string markdown_of(const Code& code) {
  return fenced(code.language.empty() ? "text" : code.language, code.lines);
}

std::string markdown_of(const Statement& statement) {
  return fenced("cuda", {statement.code + ";"});
}

std::string row_of(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", join(cells, " | "));
}

std::string markdown_of(const Table& whole) {
  const Table table = shown_in(Medium::page, whole);
  std::vector<std::string> heads, rules;
  for (const Column& column : table.columns) {
    heads.push_back(line_text(column.head, true));
    rules.emplace_back(column.align == Align::right    ? "---:"
                       : column.align == Align::center ? ":---:"
                                                       : "---");
  }
  std::string text = row_of(heads) + row_of(rules);
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Column& column = table.columns[i];
      std::string cell =
          column.is_bar ? bar_text(row[i].share, column.width, true) : line_text(row[i].text, true);
      std::erase(cell, '\n');  // of "<br>\n"
      cells.push_back(std::move(cell));
    }
    text += row_of(cells);
  }
  return text;
}

std::string markdown_of(const Equations& equations) {
  Table table{.columns = {{{{equations.unit}}},
                          {{{"formula"}}},
                          {{{"by it"}}, Align::right},
                          {{{"counted"}}, Align::right},
                          {{}, Align::right}},
              .rows = {}};
  std::string rows;
  for (const Equation& row : equations.rows) {
    rows += row_of({line_text(row.name, true), code_markdown(row.formula, true), row.value,
                    row.counted, row.mark.text});
  }
  return markdown_of(table) + rows;
}

std::string markdown_of(const Remark& remark) {
  return fmt::format("- {}<br>\n{}", code_markdown(remark.code, false),
                     hanging("  ", wrapped(line_markdown(remark.text))));
}

std::string markdown_of(const Listing& listing) {
  const bool is_change = listing.is_change();
  std::vector<std::string> lines;
  std::string below;
  for (const ListingLine& line : listing.lines) {
    if (!line.gap.empty()) lines.push_back(fmt::format("{} {}", is_change ? "@@" : "//", line.gap));
    if (line.is_gap_alone()) continue;
    const std::string code = plain_text(line.code);
    lines.push_back(code.empty() ? std::string(trimmed(line.mark.text)) : line.mark.text + code);
    for (const Part& part : line.below) below += parts_markdown({part});
  }
  return fenced(is_change ? "diff" : listing.language, lines) + (below.empty() ? "" : "\n" + below);
}

std::string markdown_of(const Picture& picture) {
  if (picture.file.empty()) return "";
  return fmt::format("![{}]({})\n", picture.description, picture.file);
}

// Markdown is no more than text in it.
std::string summary_html(const Line& line) {
  std::string html;
  for (const Span& span : line) {
    const std::string text = escaped(breakable(span.text));
    html += span.style == Style::code ? fmt::format("<code>{}</code>", text) : text;
  }
  return html;
}

// Commands that fail on purpose are marked for scripts that run a page's commands.
std::string markdown_of(const Commands& commands) {
  std::vector<std::string> blocks;
  std::vector<std::string> lines;
  const auto finish = [&](int status) {
    if (lines.empty()) return;
    const std::string mark = status == 0 ? "" : fmt::format("<!-- exit: {} -->\n", status);
    blocks.push_back(mark + fenced("sh", std::exchange(lines, {})));
  };
  for (const Try& one : commands.commands) {
    if (one.status != 0) finish(0);
    lines.push_back(one.meaning.empty() ? one.command : one.command + "  # " + one.meaning);
    if (one.status != 0) finish(one.status);
  }
  finish(0);
  return join(blocks, "\n");
}

std::string markdown_of(const Message& message) {
  return fenced("text", split_lines(message.text));
}

std::string markdown_of(const Blank&) { return ""; }
std::string markdown_of(const Group& group) {
  const std::string text = parts_markdown(group.parts);
  if (group.summary.empty() || text.empty()) return text;
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}\n</details>\n",
                     summary_html(group.summary), text);
}
std::string markdown_of(const Prose& prose) { return parts_markdown(prose.parts); }

std::string markdown_of(const Section& section) {
  const std::string text = parts_markdown(section.parts);
  if (text.empty()) return "";
  return fmt::format("## {}\n\n{}", section.heading.empty() ? section.label : section.heading,
                     text);
}

// With an empty line between.
std::string parts_markdown(const Parts& parts) {
  std::vector<std::string> texts;
  for (const Part& part : parts) {
    if (part.medium == Medium::terminal) continue;
    std::string text =
        std::visit([](const auto& content) { return markdown_of(content); }, part.content);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return join(texts, "\n");
}

}  // namespace

std::string line_markdown(const Line& line) { return line_text(line, false); }

std::string markdown_text(const Document& document) {
  const std::string origin =
      document.origin.empty() ? "" : fmt::format("<!-- {} -->\n\n", document.origin);
  const std::string title =
      document.label.empty() ? document.title : document.label + ": " + document.title;
  return fmt::format("{}# {}\n\n{}", origin, line_markdown({{title}}),
                     parts_markdown(document.parts));
}

}  // namespace gemm_tutor
