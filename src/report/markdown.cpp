#include "report/markdown.hpp"

#include <md4c.h>

#include <vector>

namespace gemm_tutor {
namespace {

constexpr int go_on = 0, stop = -1;

struct Paragraph {
  Line line;
  bool open = false;
  std::vector<Style> styles = {Style::plain};  // of the emphasis and code around the text
};

Paragraph& paragraph(void* data) { return *static_cast<Paragraph*>(data); }

Style style_of(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_CODE:
      return Style::code;
    case MD_SPAN_EM:
    case MD_SPAN_STRONG:
      return Style::heading;
    default:
      return Style::plain;
  }
}

int enter_block(MD_BLOCKTYPE type, void*, void* data) {
  if (type == MD_BLOCK_P) paragraph(data).open = true;
  return go_on;
}

int leave_block(MD_BLOCKTYPE type, void*, void*) { return type == MD_BLOCK_P ? stop : go_on; }

int enter_span(MD_SPANTYPE type, void*, void* data) {
  paragraph(data).styles.push_back(style_of(type));
  return go_on;
}

int leave_span(MD_SPANTYPE, void*, void* data) {
  paragraph(data).styles.pop_back();
  return go_on;
}

int add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
  Paragraph& p = paragraph(data);
  if (!p.open) return go_on;
  const bool line_break = type == MD_TEXT_BR || type == MD_TEXT_SOFTBR;
  p.line.push_back({line_break ? " " : std::string(text, size), p.styles.back()});
  return go_on;
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
  return result.line;
}

}  // namespace gemm_tutor
