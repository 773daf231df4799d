// md4c reports where blocks and spans begin and end, and the text between them.
#include "view/markdown_reader.hpp"

#include <md4c.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/text.hpp"
#include "view/markdown_inline.hpp"

namespace gemm_tutor {
namespace {

Align align_of(MD_ALIGN align) {
  switch (align) {
    case MD_ALIGN_RIGHT:
      return Align::right;
    case MD_ALIGN_CENTER:
      return Align::center;
    default:
      return Align::left;
  }
}

class Reader {
 public:
  Parts take() {
    add_text();
    return std::move(open_.front());
  }

  void enter_block(MD_BLOCKTYPE type, const void* detail) {
    add_text();
    switch (type) {
      case MD_BLOCK_QUOTE:
      case MD_BLOCK_LI:
        open_.emplace_back();
        break;
      case MD_BLOCK_UL:
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        lists_.push_back(
            {List::Kind::numbers, {}, static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_CODE: {
        const auto& code = *static_cast<const MD_BLOCK_CODE_DETAIL*>(detail);
        code_ = Code{{}, attribute_text(code.lang), code.fence_char == '\0'};
        code_text_.clear();
        break;
      }
      case MD_BLOCK_TABLE:
        table_ = Table{.columns = {}, .rows = {}, .ruled = true};
        break;
      case MD_BLOCK_TR:
        if (!table_->columns.empty()) table_->rows.emplace_back();
        break;
      default:
        break;
    }
  }

  void leave_block(MD_BLOCKTYPE type, const void* detail) {
    switch (type) {
      case MD_BLOCK_H:
        add(Heading{static_cast<int>(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level),
                    text_.take()});
        break;
      case MD_BLOCK_P:
        add(Paragraph{text_.take()});
        break;
      case MD_BLOCK_HR:
        add(Rule{});
        break;
      case MD_BLOCK_CODE:
        code_->lines = split_lines(code_text_);
        add(*std::exchange(code_, std::nullopt));
        break;
      case MD_BLOCK_TH:
        table_->columns.push_back(
            {text_.take(), align_of(static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align)});
        break;
      case MD_BLOCK_TD:
        table_->rows.back().push_back({text_.take()});
        break;
      case MD_BLOCK_TABLE:
        add(*std::exchange(table_, std::nullopt));
        break;
      case MD_BLOCK_LI:
        add_text();
        lists_.back().items.push_back(take_open());
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL: {
        List list = std::move(lists_.back());
        lists_.pop_back();
        add(std::move(list));
        break;
      }
      case MD_BLOCK_QUOTE:
        add(Quote{take_open()});
        break;
      default:
        break;
    }
  }

  void enter_span(MD_SPANTYPE type, const void* detail) { text_.enter(type, detail); }
  void leave_span(MD_SPANTYPE type) { text_.leave(type); }

  void add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size) {
    code_ ? void(code_text_.append(text, size)) : text_.add(type, text, size);
  }

 private:
  void add(Part part) { open_.back().push_back(std::move(part)); }

  // Of a tight item.
  void add_text() {
    if (!text_.empty() && !table_) add(facts({text_.take()}));
  }

  Parts take_open() {
    Parts parts = std::move(open_.back());
    open_.pop_back();
    return parts;
  }

  InlineText text_;
  std::vector<Parts> open_ = std::vector<Parts>(1);  // quotations and items, the innermost last
  std::vector<List> lists_;
  std::optional<Table> table_;
  std::optional<Code> code_;
  std::string code_text_;
};

Reader& reader(void* data) { return *static_cast<Reader*>(data); }

}  // namespace

Parts read_markdown(std::string_view markdown) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_COLLAPSEWHITESPACE | MD_FLAG_TABLES | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    reader(data).enter_block(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    reader(data).leave_block(type, detail);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
    reader(data).enter_span(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* data) {
    reader(data).leave_span(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
    reader(data).add_text(type, text, size);
    return 0;
  };
  Reader result;
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &result);
  return result.take();
}

Line first_paragraph(std::string_view markdown) {
  for (const Part& part : read_markdown(markdown)) {
    if (const auto* paragraph = std::get_if<Paragraph>(&part.content)) return paragraph->text;
  }
  return {};
}

}  // namespace gemm_tutor
