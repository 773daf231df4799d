#include "view/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr int section_columns = 9;
constexpr int mark_columns = 2;  // of "ok" and "->", where there is only ASCII

// A character with the marks that combine with it, and its style.
struct Glyph {
  std::string text;
  const Span* span;
  int width;

  bool is_space() const { return text == " "; }
  // A long path or statement reads best when it is broken after one of these.
  bool is_joint() const { return text == "/" || text == "," || text == ";"; }
};

std::vector<Glyph> glyphs(const Line& line) {
  std::vector<Glyph> result;
  for (const Span& span : line) {
    for (const CodePoint& point : code_points(span.text)) {
      const int width = columns_of(point.value);
      if (width == 0 && !result.empty()) {
        result.back().text += point.bytes;
      } else {
        result.push_back({std::string(point.bytes), &span, width});
      }
    }
  }
  return result;
}

using GlyphIterator = std::vector<Glyph>::const_iterator;

Line to_line(GlyphIterator begin, GlyphIterator end) {
  Line line;
  const Span* span = nullptr;
  for (; begin != end; ++begin) {
    if (begin->span != span) {
      span = begin->span;
      const bool goes_on =
          !line.empty() && line.back().style == span->style && line.back().address == span->address;
      if (!goes_on) line.push_back({"", span->style, span->address});
    }
    line.back().text += begin->text;
  }
  return line;
}

// How far `width` columns reach; at least one glyph.
GlyphIterator reach(GlyphIterator begin, GlyphIterator end, int width) {
  auto at = begin;
  for (int used = 0; at != end && (used += at->width) <= width;) ++at;
  return at == begin && begin != end ? begin + 1 : at;
}

// Where a line that starts at `begin` and may not reach beyond `limit` ends.
GlyphIterator line_end(GlyphIterator begin, GlyphIterator limit) {
  const auto first_word =
      std::find_if_not(begin, limit, [](const Glyph& g) { return g.is_space(); });
  for (auto at = limit; at != first_word; --at) {
    if (at->is_space()) return at;
  }
  for (auto at = limit; at != first_word; --at) {
    if ((at - 1)->is_joint()) return at;
  }
  return limit;
}

// As the terminal shows it.
Line finished(Line line) {
  for (Span& span : line) span.text = breakable(std::move(span.text));
  while (!line.empty()) {
    std::string& text = line.back().text;
    text.resize(text.find_last_not_of(' ') + 1);
    if (!text.empty()) break;
    line.pop_back();
  }
  return line;
}

}  // namespace

Line spaces(int count) {
  return {{std::string(static_cast<std::size_t>(std::max(count, 0)), ' ')}};
}

Line in_style(Line line, Style style) {
  for (Span& span : line) {
    if (span.style == Style::plain) span.style = style;
  }
  return line;
}

Line shown(Line line, const Terminal& terminal) {
  for (Span& span : line) span.text = shown(span.text, terminal);
  return line;
}

std::string flush_left(const std::string& text, int width) {
  return text + std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ');
}

std::string flush_right(const std::string& text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ') + text;
}

std::string bar_text(double share, int columns, bool unicode) {
  const double length = std::clamp(share, 0.0, 1.0) * columns;
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(length)), '#');
  static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int parts = static_cast<int>(std::lround(8 * length));
  std::string text;
  for (int i = 0; i < parts / 8; ++i) text += "█";
  return text + eighths[parts % 8];
}

Line mark_column(const std::string& mark, Style style, const Terminal& terminal) {
  const int blanks = mark_columns - columns(gemm_tutor::shown(mark, terminal));
  return {{mark, style}, {std::string(static_cast<std::size_t>(blanks), ' ')}};
}

int indentation(const Line& line) {
  std::string text;
  for (const Span& span : line) text += span.text;
  return static_cast<int>(std::min(text.find_first_not_of(' '), text.size()));
}

std::vector<Line> wrap(const Line& line, int first, int rest) {
  const std::vector<Glyph> all = glyphs(line);
  std::vector<Line> lines;
  auto begin = all.begin();
  int width = std::max(first, 1);
  for (auto limit = reach(begin, all.end(), width); limit != all.end();
       limit = reach(begin, all.end(), width)) {
    const auto end = line_end(begin, limit);
    lines.push_back(to_line(begin, end));
    begin = std::find_if_not(end, all.end(), [](const Glyph& g) { return g.is_space(); });
    width = std::max(rest, 1);
  }
  if (begin != all.end() || lines.empty()) lines.push_back(to_line(begin, all.end()));
  return lines;
}

void Page::section(std::string_view name) {
  if (!rows_.empty()) blank();
  pending_name_ = name;
}

Line Page::take_name() {
  const std::string name = std::exchange(pending_name_, "");
  return Line{{name, Style::heading}} + spaces(section_columns - columns(name));
}

void Page::text(const Line& body, const Line& right) {
  const int indented = indentation(body);
  const bool leaves_room = 2 * indented <= text_columns();
  row(take_name(), spaces(section_columns + (leaves_room ? indented : 0)), body, right);
}

void Page::unwrapped(const Line& body) {
  rows_.push_back(finished(take_name() + shown(body, terminal_)));
}

void Page::row(const Line& gutter, const Line& gutter_below, const Line& body, const Line& right) {
  const Line left = shown(gutter, terminal_), left_below = shown(gutter_below, terminal_);
  const Line flush = shown(right, terminal_);
  std::vector<Line> lines = wrap(shown(body, terminal_), terminal_.width - columns(left),
                                 terminal_.width - columns(left_below));
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = (i == 0 ? left : left_below) + lines[i];
  if (!flush.empty()) {
    if (columns(lines.back()) + 1 + columns(flush) > terminal_.width) lines.push_back(left_below);
    lines.back() =
        lines.back() + spaces(terminal_.width - columns(lines.back()) - columns(flush)) + flush;
  }
  for (const Line& line : lines) rows_.push_back(finished(line));
}

void Page::blank() { rows_.emplace_back(); }

std::string Page::str() const {
  std::string text;
  for (const Line& row : rows_) text += paint(row, terminal_) + "\n";
  return text;
}

int Page::text_columns() const { return terminal_.width - section_columns; }

}  // namespace gemm_tutor
