#include "view/markdown_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "support/characters.hpp"
#include "support/text.hpp"
#include "view/html.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
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
