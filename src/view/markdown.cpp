#include "view/markdown.hpp"

#include <algorithm>
#include <utility>

#include "support/text.hpp"
#include "view/markdown_inline.hpp"

namespace gemm_tutor {
namespace {

constexpr int go_on = 0, stop = -1;

struct Paragraph {
  InlineText text{false};
  bool open = false;
};

Paragraph& paragraph(void* data) { return *static_cast<Paragraph*>(data); }

int enter_block(MD_BLOCKTYPE type, void*, void* data) {
  if (type == MD_BLOCK_P) paragraph(data).open = true;
  return go_on;
}

int leave_block(MD_BLOCKTYPE type, void*, void*) { return type == MD_BLOCK_P ? stop : go_on; }

int enter_span(MD_SPANTYPE type, void* detail, void* data) {
  paragraph(data).text.enter(type, detail);
  return go_on;
}

int leave_span(MD_SPANTYPE type, void*, void* data) {
  paragraph(data).text.leave(type);
  return go_on;
}

int add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
  if (paragraph(data).open) paragraph(data).text.add(type, text, size);
  return go_on;
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Of code, by indentation, and no mark of a heading or a fence.
bool is_indented(std::string_view line) { return indentation(line) >= 4; }

// Whether the lines given to it, one after the other, are of a fenced block of code; its fences
// are.
class Fence {
 public:
  bool holds(std::string_view line) {
    const std::string_view text = trimmed(line);
    const std::size_t length = std::min(text.find_first_not_of(text.substr(0, 1)), text.size());
    const bool is_mark =
        length >= 3 && !is_indented(line) &&
        (text[0] == '~' || (text[0] == '`' && text.find('`', length) == text.npos));
    if (open_.empty()) {
      if (is_mark) open_ = text.substr(0, length);
      return is_mark;
    }
    if (is_mark && length == text.size() && text.starts_with(open_)) open_.clear();
    return true;
  }

 private:
  std::string open_;  // the mark that began the block, such as "```"
};

// 2 for "## Heading", 0 for what is no heading.
std::size_t heading_level(std::string_view line) {
  const std::string_view text = line.substr(indentation(line));
  const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
  const bool ends = level == text.size() || text[level] == ' ' || text[level] == '\t';
  return level <= 6 && ends && !is_indented(line) ? level : 0;
}

// Of "## Heading", which may also end with such marks: "## Heading ##".
std::string heading_text(std::string_view line) {
  std::string_view text = trimmed(line);
  text = trimmed(text.substr(std::min(text.find_first_not_of('#'), text.size())));
  const std::size_t last = text.find_last_not_of('#');
  if (last == text.npos) return "";
  return std::string(text[last] == ' ' ? trimmed(text.substr(0, last)) : text);
}

// Without blank lines at its beginning and end.
std::string without_margin(const std::vector<std::string>& lines) {
  const auto is_text = [](const std::string& line) { return !trimmed(line).empty(); };
  const auto begin = std::ranges::find_if(lines, is_text);
  const auto end = std::find_if(lines.rbegin(), std::make_reverse_iterator(begin), is_text).base();
  std::string text;
  for (auto line = begin; line != end; ++line) text += *line + "\n";
  return text;
}

}  // namespace

Line first_paragraph(std::string_view markdown) {
  MD_PARSER parser{};
  parser.enter_block = enter_block;
  parser.leave_block = leave_block;
  parser.enter_span = enter_span;
  parser.leave_span = leave_span;
  parser.text = add_text;
  Paragraph result;
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &result);
  return result.text.take();
}

std::vector<MarkdownSection> sections(std::string_view markdown) {
  std::vector<MarkdownSection> result(1);
  std::vector<std::string> lines;
  Fence fence;
  bool is_beginning = true;
  const auto finish = [&] { result.back().text = without_margin(std::exchange(lines, {})); };
  for (std::string& line : split_lines(markdown)) {
    const std::size_t level = fence.holds(line) ? 0 : heading_level(line);
    const bool is_title = level == 1 && is_beginning;
    is_beginning = is_beginning && trimmed(line).empty();
    if (level == 2) {
      finish();
      result.push_back({heading_text(line), ""});
    } else if (!is_title) {
      lines.push_back(std::move(line));
    }
  }
  finish();
  return result;
}

}  // namespace gemm_tutor
