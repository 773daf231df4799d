#include "classroom/screening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "classroom/one_line.hpp"
#include "support/text.hpp"
#include "support/utf8.hpp"

namespace gemm_tutor {
namespace {

// Thrown within this file alone.
struct Refusal {
  std::string reason;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_of_name(char c) { return begins_name(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Line ends as "\n", and without the mark of UTF-8 before the first line.
std::string with_plain_ends(std::string_view source) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (source.starts_with(mark)) source.remove_prefix(mark.size());
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    text += source[i];
  }
  return text;
}

// The second phase of translation: each line with those that it goes on in, then as many empty
// ones.
std::string spliced(std::string_view text) {
  std::string result;
  std::size_t joined = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++joined;
      ++i;
      continue;
    }
    result += text[i];
    if (text[i] == '\n') result.append(std::exchange(joined, 0), '\n');
  }
  return result;
}

// The instructions that copy asynchronously, and those that wait for copies, each on one line. A
// text of these characters can name no file.
bool are_instructions_of_copies(std::string_view code) {
  constexpr std::array allowed = {"cp.async.", "mbarrier.", "fence.", "selp.", ".reg "};
  const auto is_allowed = [](char c) {
    return (is_of_name(c) && static_cast<unsigned char>(c) < 0x80) ||
           std::string_view(".%[]{},: ").find(c) != std::string_view::npos;
  };
  std::vector<std::string> instructions = split(code, ';');
  for (std::string& one : instructions) {
    std::size_t begin = 0;
    while (begin < one.size()) {
      const std::string_view rest = std::string_view(one).substr(begin);
      const bool is_escape = rest.starts_with("\\n") || rest.starts_with("\\t");
      if (!is_escape && std::string_view("{} ").find(rest[0]) == rest.npos) break;
      begin += is_escape ? 2 : 1;
    }
    one.erase(0, begin);
  }
  const bool ends = instructions.back().empty();
  instructions.pop_back();
  return ends && !instructions.empty() &&
         std::ranges::all_of(instructions, [&](const std::string& one) {
           return std::ranges::any_of(allowed, [&](const char* a) { return one.starts_with(a); }) &&
                  std::ranges::all_of(one, is_allowed);
         });
}

// The third phase, as far as comments are concerned: they become blanks.
class CommentRemover {
 public:
  explicit CommentRemover(std::string_view text) : text_(text) {}

  std::string without_comments() {
    while (at_ < text_.size()) take();
    return result_;
  }

 private:
  char next(std::size_t ahead = 1) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Refusal{fmt::format("line {} {}", line_, what)};
  }

  void take() {
    const char c = text_[at_];
    if (c == '/' && next() == '/') {
      blank_until(text_.find('\n', at_));
    } else if (c == '/' && next() == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == text_.npos) refuse("begins a comment that does not end");
      blank_until(end + 2);
    } else if (c == '"' || c == '\'') {
      keep_literal();
    } else if (begins_name(c)) {
      keep_name();
    } else if (is_digit(c) || (c == '.' && is_digit(next()))) {
      keep_number();
    } else if (c == '\\') {
      refuse("has a backslash that is no end of a line and in no literal");
    } else {
      keep();
    }
  }

  void keep() {
    const char c = text_[at_];
    const bool is_control = (static_cast<unsigned char>(c) < ' ' || c == '\x7f');
    if (c == '?' && next() == '?' &&
        std::string_view("=/'()!<>-").find(next(2)) != std::string_view::npos) {
      refuse("has a trigraph, such as ?\?=");
    }
    if (is_control && c != '\n' && c != '\t' && c != '\f' && c != '\v') {
      refuse("has a control character");
    }
    line_ += c == '\n';
    result_ += c == '\f' || c == '\v' ? ' ' : c;
    ++at_;
  }

  void blank_until(std::size_t end) {
    for (end = std::min(end, text_.size()); at_ < end; ++at_) {
      const bool ends_line = text_[at_] == '\n';
      line_ += ends_line;
      result_ += ends_line ? '\n' : ' ';
    }
  }

  void keep_literal() {
    const char quote = text_[at_];
    keep();
    while (next(0) != quote) {
      if (at_ >= text_.size() || text_[at_] == '\n') {
        refuse(fmt::format("has a {} without its other", quote));
      }
      if (text_[at_] == '\\' && next() != '\n') keep();
      keep();
    }
    keep();
  }

  void keep_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_of_name(text_[at_])) keep();
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.ends_with('R') && next(0) == '"') {
      refuse("has a raw string, which no kernel of this course needs");
    }
    if (!(name == "asm" && is_of_copies(text_.substr(at_)))) check(name);
  }

  // Whether "asm" is followed by literals alone, as in `volatile ("cp.async…;"`, which are
  // instructions of asynchronous copies.
  static bool is_of_copies(std::string_view text) {
    const auto skip = [&](std::string_view what) {
      if (text.starts_with(what)) text.remove_prefix(what.size());
      text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
    };
    skip("");
    skip("volatile");
    if (!text.starts_with('(')) return false;
    std::string code;
    for (skip("("); text.starts_with('"'); skip("\"")) {
      const std::size_t end = text.find('"', 1);
      if (end == text.npos) return false;
      code += text.substr(1, end - 1);
      text.remove_prefix(end);
    }
    return (text.starts_with(':') || text.starts_with(')')) && are_instructions_of_copies(code);
  }

  // Digits with letters, points, signs of exponents, and quotes between digits: "1'000.5e-3f".
  void keep_number() {
    while (at_ < text_.size()) {
      const bool is_exponent = std::string_view("eEpP").find(text_[at_]) != std::string_view::npos;
      if (is_exponent && (next() == '+' || next() == '-')) {
        keep();
      } else if (text_[at_] == '\'') {
        if (!is_of_name(next())) return;
      } else if (!is_of_name(text_[at_]) && text_[at_] != '.') {
        return;
      }
      keep();
    }
  }

  void check(std::string_view name) const {
    constexpr std::array clock = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
    if (name == "asm" || name.starts_with("__asm")) {
      refuse("has inline assembly for more than asynchronous copies");
    }
    if (name.starts_with("__has_include") || name.starts_with("__has_embed")) {
      refuse(fmt::format("asks for a file with {}", one_line(name, 40)));
    }
    if (std::ranges::count(clock, name)) {
      refuse(fmt::format("has {}, with which it is not the same twice", name));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string result_;
};

std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}

std::size_t behind_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_of_name(text[end])) ++end;
  return text.substr(at, end - at);
}

// "<cuda/pipeline>", and nothing above the folders it is looked for in.
bool names_toolkit_header(std::string_view operand) {
  if (!operand.starts_with('<')) return false;
  const std::string_view name = operand.substr(1, operand.find('>') - 1);
  const auto allowed = [](char c) {
    return (is_of_name(c) && c != '$' && static_cast<unsigned char>(c) < 0x80) ||
           std::string_view("./+-").find(c) != std::string_view::npos;
  };
  return operand.find('>') != operand.npos && !name.empty() && name.front() != '/' &&
         name.find("..") == name.npos && std::ranges::all_of(name, allowed);
}

bool is_first_on_line(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_not_of(" \t");
  return before == text.npos || text[before] == '\n';
}

// `mark` is where the # or %: stands, `word` what is behind it. In a string too: what is no
// directive here must be none to a compiler that reads the string otherwise.
void check_directive(std::string_view text, std::size_t mark, std::size_t word) {
  constexpr std::array including = {"include", "include_next", "import", "embed"};
  const std::string_view name = word_at(text, word);
  const auto line = [&] { return 1 + std::ranges::count(text.substr(0, mark), '\n'); };
  if (std::ranges::count(including, name)) {
    const std::string_view operand = line_at(text, behind_blanks(text, word + name.size()));
    if (names_toolkit_header(operand)) return;
    throw Refusal{fmt::format(
        "line {} includes {}: a submission may include only the toolkit's own headers, in < >",
        line(), operand.empty() ? "nothing" : one_line(operand, 60))};
  }
  if (!is_first_on_line(text, mark)) return;
  if (name == "line" || (!name.empty() && is_digit(name.front()))) {
    throw Refusal{fmt::format("line {} gives itself another line's number", line())};
  }
}

void check_directives(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_digraph = text[at] == '%' && at + 1 < text.size() && text[at + 1] == ':';
    if (text[at] != '#' && !is_digraph) continue;
    check_directive(text, at, behind_blanks(text, at + (is_digraph ? 2 : 1)));
  }
}

// Without one that could be read otherwise than it was here.
void check_characters(std::string_view text) {
  int line = 1;
  for (const CodePoint& point : code_points(text)) {
    const bool is_damaged = point.value == 0xfffd && point.bytes.size() == 1;
    if (is_damaged) throw Refusal{fmt::format("line {} is no UTF-8", line)};
    line += point.value == '\n';
  }
}

}  // namespace

Screened screened(std::string_view source) {
  try {
    if (source.find('\0') != source.npos) throw Refusal{"it is no text: it has a zero byte"};
    const std::string text = CommentRemover(spliced(with_plain_ends(source))).without_comments();
    check_characters(text);
    check_directives(text);
    return {"", text};
  } catch (const Refusal& refusal) {
    return {refusal.reason, ""};
  }
}

}  // namespace gemm_tutor
