#include "view/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "support/text.hpp"
#include "view/embedded_texts.hpp"
#include "view/highlight.hpp"
#include "view/style.hpp"

namespace gemm_tutor {
namespace {

bool leads_to_the_web(std::string_view address) {
  const std::string start = lower_case(address.substr(0, 8));
  return start.starts_with("http://") || start.starts_with("https://");
}

std::string span_html(const Span& span) {
  if (span.text == "\n") return "<br>\n";
  if (span.style == Style::swatch) return fmt::format("<span class=\"key {}\"></span>", span.text);
  if (span.style == Style::code) {
    return fmt::format("<code>{}</code>", escaped(breakable(span.text)));
  }
  const std::string text = escaped(span.text);
  if (text.empty()) return text;
  if (span.style == Style::heading) return fmt::format("<strong>{}</strong>", text);
  if (span.style == Style::emphasis) return fmt::format("<em>{}</em>", text);
  const std::string_view name = look_of(span.style).page_class;
  return name.empty() ? text : fmt::format("<span class=\"{}\">{}</span>", name, text);
}

// A page must not show paths of this machine: shortens a path to its last folder and the file.
std::string short_path(const std::string& path) {
  const std::filesystem::path file(path);
  return (file.parent_path().filename() / file.filename()).string();
}

std::string class_attribute(Align align, std::string_view style = "") {
  const std::string_view place = align == Align::right    ? "right"
                                 : align == Align::center ? "center"
                                                          : "";
  if (place.empty() && style.empty()) return "";
  return fmt::format(" class=\"{}{}{}\"", place, place.empty() || style.empty() ? "" : " ", style);
}

std::string code_block(const std::vector<std::string>& lines) {
  std::string html;
  for (const Line& line : highlight(lines)) html += code_html(line) + "\n";
  return fmt::format("<pre>{}</pre>\n", html);
}

// --- Parts

std::string html_of(const Heading& heading) {
  const int level = std::max(heading.level, 2);  // the document's own is the only one of level 1
  return fmt::format("<h{0}>{1}</h{0}>\n", level, line_html(heading.text));
}

std::string html_of(const Paragraph& paragraph) {
  return fmt::format("<p>{}</p>\n", line_html(paragraph.text));
}

std::string html_of(const Facts& facts) {
  std::string html;
  for (const Fact& fact : facts.lines) {
    const std::string right =
        fact.right.empty() ? ""
                           : fmt::format("<span class=\"beside\">{}</span>", line_html(fact.right));
    html += fmt::format("<p>{}{}</p>\n", line_html(fact.text), right);
  }
  return html.empty() ? "" : fmt::format("<div class=\"facts\">\n{}</div>\n", html);
}

std::string html_of(const Definitions& list) {
  std::string html;
  for (const Definition& entry : list.definitions) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", line_html(entry.name), line_html(entry.text));
  }
  return fmt::format("<dl>\n{}</dl>\n", html);
}

// Of a tight item its line alone.
std::string item_html(const Parts& item) {
  std::string html;
  for (const Part& part : item) {
    const auto* facts = std::get_if<Facts>(&part.content);
    html += facts && facts->lines.size() == 1 ? line_html(facts->lines.front().text)
                                              : parts_html({part});
  }
  return html;
}

std::string html_of(const List& list) {
  std::string items;
  for (const Parts& item : list.items) items += fmt::format("<li>{}</li>\n", item_html(item));
  switch (list.kind) {
    case List::Kind::numbers:
      return fmt::format("<ol start=\"{}\">\n{}</ol>\n", list.first, items);
    case List::Kind::questions:
      return fmt::format("<ol class=\"questions\">\n{}</ol>\n", items);
    case List::Kind::choices:
      return fmt::format("<ul class=\"choices\">\n{}</ul>\n", items);
    default:
      return fmt::format("<ul>\n{}</ul>\n", items);
  }
}

std::string html_of(const Quote& quote) {
  return fmt::format("<blockquote>\n{}</blockquote>\n", parts_html(quote.parts));
}

std::string html_of(const Rule&) { return "<hr>\n"; }

std::string html_of(const Code& code) {
  if (is_language_of_cuda(code.language)) return code_block(code.lines);
  return fmt::format("<pre>{}</pre>\n", escaped(join(code.lines, "\n")));
}

std::string html_of(const Statement& statement) { return code_block({statement.code}); }

std::string bar_html(double share) {
  return fmt::format("<td class=\"length\"><span style=\"width:{:.1f}%\"></span></td>",
                     100 * std::clamp(share, 0.0, 1.0));
}

// A cell of one style has it as a whole.
std::string cell_html(std::string_view tag, Align align, const Line& text) {
  const bool is_plain = text.size() != 1 || text[0].text.empty() || text[0].style == Style::code;
  const std::string_view style = is_plain ? "" : look_of(text[0].style).page_class;
  const std::string html = style.empty() ? line_html(text) : escaped(text[0].text);
  return fmt::format("<{}{}>{}</{}>", tag, class_attribute(align, style), html, tag.substr(0, 2));
}

// A name that is not broken; a longer one may be, else it leaves the columns after it no room.
bool is_short(const Line& name) {
  constexpr int most = 32;
  return columns(plain_text(name)) <= most;
}

std::string html_of(const Table& whole) {
  const Table table = shown_in(Medium::page, whole);
  std::string heads, rows;
  for (const Column& column : table.columns) {
    heads += fmt::format("<th{}>{}</th>", class_attribute(column.align), line_html(column.head));
  }
  for (const std::vector<Cell>& cells : table.rows) {
    rows += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (table.columns[i].is_bar) {
        rows += bar_html(cells[i].share);
        continue;
      }
      const bool is_name = i == 0 && !table.ruled;
      const std::string_view tag = !is_name                  ? "td"
                                   : is_short(cells[i].text) ? "th scope=\"row\" data-short"
                                                             : "th scope=\"row\"";
      rows += cell_html(tag, table.columns[i].align, cells[i].text);
    }
    rows += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\"><table{}>\n<thead>\n<tr>{}</tr>\n</thead>\n<tbody>\n"
      "{}</tbody>\n</table></div>\n",
      table.ruled ? " class=\"text\"" : "", heads, rows);
}

std::string html_of(const Equations& equations) {
  const bool has_formula = !equations.rows.empty() && !equations.rows.front().formula.empty();
  std::string html = fmt::format(
      "<div class=\"scroll\"><table class=\"equations\">\n<thead><tr><th></th>{}<th>counted</th>"
      "<th></th></tr></thead>\n<tbody>\n",
      has_formula ? fmt::format("<th>by the formula</th><th>{}</th>", equations.unit) : "");
  for (const Equation& row : equations.rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", line_html(row.name));
    if (has_formula) {
      html += fmt::format("<td><code>{}</code></td><td>{}</td>", escaped(row.formula), row.value);
    }
    html += fmt::format("<td>{}</td><td>{}</td></tr>\n", row.counted, line_html({row.mark}));
  }
  return html + "</tbody></table></div>\n";
}

std::string cells_html(const Listing& listing, const ListingLine& line) {
  if (line.beside.empty()) return "";
  std::string html;
  for (const std::vector<Line>& cell : line.beside) {
    std::vector<std::string> rows;
    for (const Line& row : cell) {
      // One row is flush with the right whatever comes after it; several are as they are aligned.
      const std::string text = plain_text(row);
      const std::string shown = escaped(cell.size() == 1 ? trimmed(text) : text);
      const bool is_bad = !row.empty() && row.front().style == Style::bad;
      rows.push_back(is_bad ? fmt::format("<b class=\"bad\">{}</b>", shown) : shown);
    }
    html += fmt::format("<span>{}</span>", join(rows, "\n"));
  }
  return fmt::format("<span class=\"counts{}\">{}</span>",
                     listing.columns_are_answers ? " after" : "", html);
}

std::string html_of(const Listing& listing) {
  std::string rows;
  for (const ListingLine& line : listing.lines) {
    if (!line.gap.empty()) {
      rows += fmt::format("<div class=\"line\"><span></span><span class=\"dim\">{}</span></div>\n",
                          escaped(line.gap));
    }
    if (line.is_gap_alone()) continue;
    rows += fmt::format("<div class=\"line\"><span class=\"number\">{}</span><code>{}{}</code>{}",
                        listing.is_change() ? line.number : trimmed(line.number),
                        code_html({line.mark}), code_html(line.code), cells_html(listing, line));
    for (const Line& value : line.values) {
      rows += fmt::format("<span class=\"value good\">{}</span>", code_html(value));
    }
    rows += "</div>\n" + parts_html(line.below);
  }
  const std::string file = listing.file.empty()
                               ? ""
                               : fmt::format("<p class=\"dim\"><code>{}</code></p>\n",
                                             escaped(short_path(listing.file)));
  return fmt::format(
      "{}<div class=\"source{}\" tabindex=\"0\"><div class=\"lines\">\n{}</div></div>\n", file,
      listing.is_change() ? " change" : "", rows);
}

std::string html_of(const Remark& remark) {
  return fmt::format("<p class=\"note\">{}</p>\n", line_html(remark.text));
}

std::string html_of(const Picture& picture) {
  if (picture.svg.empty()) return "";
  std::vector<std::string> caption;
  for (const Line& line : picture.caption) caption.push_back(line_html(line));
  return fmt::format(
      "<figure class=\"{}\">\n<figcaption>{}</figcaption>\n<div class=\"scroll\" tabindex=\"0\">{}"
      "</div>\n</figure>\n",
      picture.kind, join(caption, "<br>"), picture.svg);
}

std::string html_of(const Commands& commands) {
  std::string html;
  for (const Try& one : commands.commands) {
    html += fmt::format("<li><code>{}</code>{}</li>\n", escaped(one.command),
                        one.meaning.empty() ? "" : " " + escaped(one.meaning));
  }
  return fmt::format("<ul class=\"commands\">\n{}</ul>\n", html);
}

std::string html_of(const Message& message) {
  return fmt::format("<pre>{}</pre>\n", escaped(message.text));
}

std::string html_of(const Blank& blank) {
  return fmt::format("<p class=\"answer\"><span class=\"blank\"></span> {}</p>\n",
                     escaped(blank.unit));
}

std::string html_of(const Group& group) {
  const std::string html = parts_html(group.parts);
  if (group.summary.empty() || html.empty()) return html;
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", line_html(group.summary),
                     html);
}

std::string html_of(const Prose& prose) {
  const std::string html = parts_html(prose.parts);
  return html.empty() ? "" : fmt::format("<article>\n{}</article>\n", html);
}

std::string html_of(const Section& section) {
  const std::string html = parts_html(section.parts);
  if (html.empty()) return "";
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n",
                     escaped(section.heading.empty() ? section.label : section.heading), html);
}

std::string header_html(const Document& document) {
  std::string html = "<header>\n";
  if (!document.label.empty()) {
    html += fmt::format("<p class=\"number\">{}</p>\n", escaped(document.label));
  }
  html += fmt::format("<h1>{}</h1>\n", escaped(document.title));
  std::vector<std::string> beside;
  if (!document.right.empty()) beside.push_back(escaped(plain_text(document.right)));
  for (const Fact& subtitle : document.subtitles) {
    if (!subtitle.right.empty()) beside.push_back(escaped(plain_text(subtitle.right)));
  }
  if (!beside.empty()) html += fmt::format("<p class=\"dim\">{}</p>\n", join(beside, " · "));
  for (const Fact& subtitle : document.subtitles) {
    if (!subtitle.text.empty()) html += fmt::format("<p>{}</p>\n", line_html(subtitle.text));
  }
  return html + "</header>\n";
}

}  // namespace

std::string line_html(const Line& line) {
  std::string html;
  for (std::size_t i = 0; i < line.size();) {
    const std::string& address = line[i].address;
    std::string text;
    for (; i < line.size() && line[i].address == address; ++i) text += span_html(line[i]);
    const bool is_link = leads_to_the_web(address) && line[i - 1].style != Style::picture;
    html += is_link ? fmt::format("<a href=\"{}\">{}</a>", escaped(address), text) : text;
  }
  return html;
}

std::string code_html(const Line& code) {
  std::string html;
  for (const Span& span : code) {
    const std::string text = escaped(breakable(span.text));
    const std::string_view name = look_of(span.style).page_class;
    html += name.empty() || text.empty() ? text
                                         : fmt::format("<span class=\"{}\">{}</span>", name, text);
  }
  return html;
}

std::string parts_html(const Parts& parts) {
  std::string html;
  for (const Part& part : parts) {
    if (part.medium == Medium::terminal) continue;
    const std::string one =
        std::visit([](const auto& content) { return html_of(content); }, part.content);
    html += part.is_answer && !one.empty() ? fmt::format("<div class=\"after\">\n{}</div>\n", one)
                                           : one;
  }
  return html;
}

// The style sheet hides the answers. So the page needs no script, and any school's server can host
// it.
std::string html_page(const Document& document) {
  std::string body = header_html(document);
  if (!document.without_answers.empty()) {
    body += fmt::format(
        "<input type=\"checkbox\" id=\"without-answers\"> <label for=\"without-answers\">{}</label>"
        "\n",
        escaped(document.without_answers));
  }
  const std::string style = std::string(picture_css()) + line_css() + document_css();
  return html_text({plain_text(document.heading()), style, body + parts_html(document.parts), {}});
}

std::string escaped(std::string_view text) {
  constexpr std::string_view no_break_space = "\u00a0";
  std::string shown;
  for (const char c : text) {
    shown += is_unbreakable_space(c) ? no_break_space : std::string_view(&c, 1);
  }
  std::string result;
  for (const char c : printable(shown, '\n')) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string html_text(const HtmlPage& page) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{0}</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n{3}",
      escaped(page.title), house_css(), page.style, page.body);
  if (!page.script.empty()) html += fmt::format("<script>\n{}</script>\n", page.script);
  return html + "</body>\n</html>\n";
}

}  // namespace gemm_tutor
