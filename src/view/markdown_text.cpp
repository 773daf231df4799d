#include "view/markdown_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "support/characters.hpp"
#include "support/text.hpp"
#include "view/mathematics.hpp"

namespace gemm_tutor {
namespace {

using LinkOfLesson = std::function<std::string(int)>;

bool is_blank(std::string_view line) { return trimmed(line).empty(); }
bool is_indented(std::string_view line) { return line.starts_with("    "); }
bool is_fence(std::string_view line) { return trimmed(line).starts_with("```"); }

// "lesson 7" and "Lesson 7" as links.
std::string with_links(const std::string& text, const LinkOfLesson& link_of_lesson) {
  constexpr std::string_view word = "esson ";
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const bool is_lesson = at > done && (text[at - 1] == 'l' || text[at - 1] == 'L');
    std::size_t end = at + word.size();
    while (end < text.size() && is_digit(text[end])) ++end;
    const std::string number = text.substr(at + word.size(), end - at - word.size());
    if (!is_lesson || number.empty() || number.size() > 3) continue;
    const std::string link = link_of_lesson(std::stoi(number));
    if (link.empty()) continue;
    result += fmt::format("{}[{}]({})", text.substr(done, at - 1 - done),
                          text.substr(at - 1, end - at + 1), link);
    done = end;
  }
  return result + text.substr(done);
}

// A paragraph under way: code and addresses stay as they are, and marks of emphasis are no
// products.
class Paragraph {
 public:
  explicit Paragraph(const LinkOfLesson& link_of_lesson) : link_of_lesson_(link_of_lesson) {}

  std::string set(std::string_view text) {
    std::string result;
    while (!text.empty()) {
      const std::size_t mark = std::min(text.find_first_of("`*[]<"), text.size());
      result += with_links(tex_in_text(text.substr(0, mark), "$", "$"), link_of_lesson_);
      text.remove_prefix(mark);
      const std::size_t kept = length_of_kept(text);
      result += text.substr(0, kept);
      text.remove_prefix(kept);
    }
    return result;
  }

 private:
  // From a mark on, what nothing is set in.
  static std::size_t length_of_kept(std::string_view text) {
    const auto up_to = [&](std::string_view end, std::size_t from) {
      const std::size_t found = text.find(end, from);
      return found == text.npos ? std::size_t{1} : found + end.size();
    };
    if (text.empty()) return 0;
    if (text[0] == '`') {
      const std::size_t ticks = std::min(text.find_first_not_of('`'), text.size());
      return std::max(ticks, up_to(text.substr(0, ticks), ticks));
    }
    if (text.starts_with("](")) return up_to(")", 0);
    return 1;
  }

  const LinkOfLesson& link_of_lesson_;
};

std::string in_text_command(const std::string& words) {
  if (words.empty()) return "";
  const std::string set = tex_in_text(words, "} ", " \\text{");
  return fmt::format(" \\quad \\text{{{}}}", set);
}

// Indented code of one line that is a formula, with the words behind it.
std::optional<std::string> own_line(const std::vector<std::string>& block) {
  if (block.size() != 1) return {};
  const std::string_view line = trimmed(block.front());
  const auto formula = leading_formula(line);
  if (!formula) return {};
  const std::string words(trimmed(line.substr(formula->length)));
  const std::string end = words == "." ? words : in_text_command(words);
  return fmt::format("$$\n{}{}\n$$\n", formula->tex, end);
}

// Whole blocks of Markdown, line by line.
class Text {
 public:
  Text(std::string_view markdown, const LinkOfLesson& link_of_lesson)
      : lines_(split_lines(markdown)), link_of_lesson_(link_of_lesson) {}

  std::string set() {
    while (next_ < lines_.size()) {
      if (is_fence(lines_[next_])) {
        result_ += fenced();
      } else if (is_indented(lines_[next_]) && behind_blank()) {
        result_ += indented();
      } else {
        result_ += paragraph();
      }
    }
    return std::move(result_);
  }

 private:
  bool behind_blank() const { return next_ == 0 || is_blank(lines_[next_ - 1]); }

  std::string fenced() {
    std::string block = lines_[next_++] + "\n";
    while (next_ < lines_.size()) {
      block += lines_[next_] + "\n";
      if (is_fence(lines_[next_++])) break;
    }
    return block;
  }

  // With blank lines within, and without those behind.
  std::string indented() {
    std::vector<std::string> block;
    std::size_t end = next_;
    for (std::size_t i = next_; i < lines_.size(); ++i) {
      if (!is_indented(lines_[i]) && !is_blank(lines_[i])) break;
      if (!is_blank(lines_[i])) end = i + 1;
    }
    for (; next_ < end; ++next_) block.push_back(lines_[next_]);
    if (const auto formula = own_line(block)) return *formula;
    std::string text = "```text\n";
    for (const std::string& line : block) text += (is_blank(line) ? "" : line.substr(4)) + "\n";
    return text + "```\n";
  }

  std::string paragraph() {
    std::string text;
    while (next_ < lines_.size()) {
      const bool ends = is_fence(lines_[next_]) || is_blank(lines_[next_]);
      if (ends && !text.empty()) break;
      text += lines_[next_++] + "\n";
      if (ends) break;
    }
    return Paragraph(link_of_lesson_).set(text);
  }

  std::vector<std::string> lines_;
  const LinkOfLesson& link_of_lesson_;
  std::size_t next_ = 0;
  std::string result_;
};

// A formula keeps what it is made of; in the rest no character is a mark.
std::string escaped_markdown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|$#").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string with_mathematics(std::string_view markdown, const LinkOfLesson& link_of_lesson) {
  return Text(markdown, link_of_lesson).set();
}

std::string as_markdown(std::string_view text) {
  return tex_in_text(breakable(std::string(text)), "$", "$", escaped_markdown);
}

std::string as_markdown(const Line& line) {
  std::string result, plain;
  for (const Span& span : line) {
    if (span.style != Style::code) {
      plain += span.text;
      continue;
    }
    result += as_markdown(std::exchange(plain, "")) + markdown_code(span.text);
  }
  return result + as_markdown(plain);
}

std::string markdown_code(std::string_view text, bool in_table) {
  std::string code = breakable(std::string(text));
  for (std::size_t at = 0; in_table && (at = code.find('|', at)) != code.npos; at += 2) {
    code.insert(at, 1, '\\');
  }
  return fmt::format("`{}`", code);
}

}  // namespace gemm_tutor
