#include "documents/svg_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/text.hpp"
#include "support/utf8.hpp"
#include "view/embedded_texts.hpp"
#include "view/html.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

constexpr int line_height = 19, text_columns = 118, title_height = 24;

// In a bold font of fixed width, in which a character is at most 8 pixels wide.
constexpr int code_columns = 104, code_indent = 4;
constexpr std::string_view no_break_space = "\u00a0";  // which SVG keeps, unlike others in a row

using Colours = std::map<std::string, std::string>;  // "--ink": "#fff"

constexpr std::string_view dark = "@media (prefers-color-scheme: dark)";

// Those that are given in `css`; the later of two.
void add_colours(Colours& colours, std::string_view css) {
  for (std::size_t at = css.find("--"); at != css.npos; at = css.find("--", at + 2)) {
    const std::size_t name_end = css.find_first_of(":)", at);
    if (name_end == css.npos || css[name_end] != ':') continue;
    const std::size_t end = css.find(';', name_end);
    colours[std::string(css.substr(at, name_end - at))] =
        trimmed(css.substr(name_end + 1, end - name_end - 1));
  }
}

// A stylesheet begins with the light colours and then the dark ones; behind them is what uses them.
struct Stylesheet {
  explicit Stylesheet(std::string_view css) {
    const std::size_t dark_begin = css.find(dark), rules_begin = css.find("\n}\n", dark_begin) + 3;
    light_colours = css.substr(0, dark_begin);
    dark_colours = css.substr(dark_begin, rules_begin - dark_begin);
    rules = css.substr(rules_begin);
  }
  std::string_view light_colours, dark_colours, rules;
};

std::string with_colours(std::string_view rules, const Colours& colours) {
  constexpr std::string_view use = "var(";
  std::string result;
  while (true) {
    const std::size_t at = rules.find(use);
    result += rules.substr(0, at);
    if (at == rules.npos) return result;
    const std::size_t end = rules.find(')', at);
    result += colours.at(std::string(rules.substr(at + use.size(), end - at - use.size())));
    rules.remove_prefix(end + 1);
  }
}

std::string style() {
  const Stylesheet house(house_css()), picture(picture_css());
  const std::string rules = std::string(house.rules) + std::string(picture.rules);
  Colours colours;
  add_colours(colours, house.light_colours);
  add_colours(colours, picture.light_colours);
  std::string css = with_colours(rules, colours);
  add_colours(colours, house.dark_colours);
  add_colours(colours, picture.dark_colours);
  return css + fmt::format("{} {{\n{}}}\n", dark, with_colours(rules, colours));
}

}  // namespace

void SvgSheet::text(std::string_view kind, const std::string& text) {
  for (const Line& line : wrap({{printable(text)}}, text_columns, text_columns)) {
    std::string shown;
    for (const Span& span : line) shown += span.text;
    end_ += line_height;
    add_text(kind, shown, margin, end_ - 5);
  }
}

void SvgSheet::code(const std::string& number, const std::string& text) {
  const int room = code_columns - columns(number);
  std::string before = number;
  for (const Line& line : wrap({{printable(text)}}, room, room - code_indent)) {
    std::string shown = before;
    for (const Span& span : line) shown += span.text;
    end_ += line_height;
    add_text("code", shown, margin, end_ - 5);
    before.clear();
    for (int i = 0; i < columns(number) + code_indent; ++i) before += no_break_space;
  }
}

void SvgSheet::drawing(const Drawing& drawing) {
  add(drawing, margin, end_);
  end_ += drawing.height;
}

int SvgSheet::place(const std::string& title, const Drawing& drawing, int x, int y) {
  add_text("kind", title, x, y + 14);
  add(drawing, x, y + title_height);
  end_ = std::max(end_, y + title_height + drawing.height);
  return y + title_height + drawing.height;
}

std::string SvgSheet::svg(const std::string& title, const std::string& description) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sheet\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n"
      "<style>\n{4}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{5}</svg>\n",
      right_ + margin, end_ + margin, escaped(title), escaped(description), style(), body_);
}

void SvgSheet::add(const Drawing& drawing, int x, int y) {
  body_ += fmt::format("<g class=\"{}\" transform=\"translate({} {})\">{}</g>\n", drawing.kind, x,
                       y, drawing.body);
  right_ = std::max(right_, x + drawing.width);
}

void SvgSheet::add_text(std::string_view kind, const std::string& text, int x, int y) {
  body_ +=
      fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", kind, x, y, escaped(text));
}

}  // namespace gemm_tutor
