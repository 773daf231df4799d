#include "view/html.hpp"

#include <fmt/format.h>

#include "support/utf8.hpp"
#include "view/embedded_texts.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

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
