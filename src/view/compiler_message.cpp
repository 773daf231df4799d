#include "view/compiler_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "support/text.hpp"
#include "support/utf8.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {
namespace {

constexpr int longest_quote = 200;           // columns, where no terminal says how many there are
constexpr std::size_t longest_words = 1000;  // characters: a name may be of any length
constexpr std::string_view quote_indent = "  ";

// "    ^", or "  ~~^~~".
bool is_caret_line(std::string_view line) {
  return line.find('^') != line.npos && line.find_first_not_of(" \t^~") == line.npos;
}

// The columns from `begin` to `end`; the half of a wide character is a space.
std::string between(std::string_view text, int begin, int end) {
  std::string result;
  int column = 0;
  for (const CodePoint& point : code_points(text)) {
    const int next = column + columns_of(point.value);
    if (column >= begin && next <= end) {
      result += point.bytes;
    } else {
      const int inside = std::min(next, end) - std::max(column, begin);
      result.append(static_cast<std::size_t>(std::max(inside, 0)), ' ');
    }
    column = next;
  }
  return result;
}

// A line of the source, and the carets below it.
struct QuotedLine {
  std::string source, carets;
  int cut = 0;  // columns that are missing at the left
};

// Both begin with the compiler's indentation, which is kept.
QuotedLine fitted(const QuotedLine& quote, int width, const std::string& ellipsis) {
  const int length = std::max(columns(quote.source), columns(quote.carets));
  if (length <= width) return quote;
  const int indent = columns(quote_indent), room = width - indent;
  // A third of the room after the caret: more of what is wrong is before it.
  const int caret = columns(quote.carets.substr(0, quote.carets.find('^')));
  const int begin = std::clamp(caret - 2 * room / 3, indent, length - room), end = begin + room;
  const int mark = columns(ellipsis);
  const bool cut_before = begin > indent, cut_behind = end < columns(quote.source);
  std::string source =
      between(quote.source, begin + (cut_before ? mark : 0), end - (cut_behind ? mark : 0));
  if (cut_before) source = ellipsis + source;
  if (cut_behind) source += ellipsis;
  return {std::string(quote_indent) + source,
          std::string(quote_indent) + between(quote.carets, begin, end), begin - indent};
}

}  // namespace

int quote_columns(const Terminal& terminal, int indent) {
  return (terminal.has_width ? terminal.width : longest_quote) - indent;
}

Line place_linked(const std::string& text, Style style) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t mark = text.find_first_of("(: ", begin);
  if (mark == text.npos || text[mark] == ' ') return {{text, style}};
  const std::string path = text.substr(begin, mark - begin);
  const int line = std::atoi(text.c_str() + mark + 1);
  if (path.empty() || line <= 0) return {{text, style}};
  return {{text.substr(0, begin), style},
          {path, style, file_address(path, line)},
          {text.substr(mark), style}};
}

std::vector<MessageLine> message_lines(std::string_view message, const Terminal& terminal,
                                       int width) {
  const std::string ellipsis = shown("…", terminal);
  std::vector<MessageLine> result;
  int cut = 0;  // of the quote above
  const std::vector<std::string> lines = split_lines(message);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 < lines.size() && is_caret_line(lines[i + 1])) {
      const QuotedLine quote =
          fitted({shown(lines[i], terminal), shown(lines[i + 1], terminal)}, width, ellipsis);
      result.push_back({quote.source, true});
      result.push_back({quote.carets, true});
      cut = quote.cut;
      ++i;
      continue;
    }
    std::string text = shown(shortened(lines[i], longest_words), terminal);
    // Clang's correction is below the caret.
    if (cut > 0 && indentation({{text}}) > cut) text.erase(0, static_cast<std::size_t>(cut));
    if (!text.starts_with(' ')) cut = 0;
    result.push_back({std::move(text)});
  }
  return result;
}

}  // namespace gemm_tutor
