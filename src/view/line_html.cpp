#include "view/line_html.hpp"

#include <fmt/format.h>

#include "view/highlight.hpp"
#include "view/html.hpp"

namespace gemm_tutor {
namespace {

std::string_view class_of(Style style) {
  switch (style) {
    case Style::dim:
      return "dim";
    case Style::good:
    case Style::added:
    case Style::added_word:
      return "good";
    case Style::bad:
    case Style::removed:
    case Style::removed_word:
      return "bad";
    case Style::doubtful:
      return "doubtful";
    case Style::keyword:
    case Style::directive:
      return "keyword";
    case Style::type:
      return "type";
    case Style::builtin:
      return "builtin";
    case Style::literal:
      return "literal";
    case Style::comment:
      return "comment";
    default:
      return "";
  }
}

std::string span_html(const Span& span) {
  const std::string text = escaped(span.text);
  if (text.empty() || span.style == Style::plain) return text;
  if (span.style == Style::heading) return fmt::format("<strong>{}</strong>", text);
  if (span.style == Style::code) return fmt::format("<code>{}</code>", text);
  return fmt::format("<span class=\"{}\">{}</span>", class_of(span.style), text);
}

}  // namespace

std::string line_html(const Line& line) {
  std::string html;
  for (const Span& span : line) html += span_html(span);
  return html;
}

std::string paragraphs_html(const std::vector<Line>& lines) {
  std::string html;
  for (const Line& line : lines) html += fmt::format("<p>{}</p>\n", line_html(line));
  return html;
}

std::string code_block_html(const std::vector<std::string>& lines) {
  std::string html;
  for (const Line& line : highlight(lines)) html += line_html(line) + "\n";
  return fmt::format("<pre>{}</pre>\n", html);
}

}  // namespace gemm_tutor
