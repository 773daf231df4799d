// md4c reports where blocks and spans begin and end. Its own HTML renderer has no place to set the
// formulas of a text, to colour code or to leave out a link.
#include "view/markdown_html.hpp"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "support/text.hpp"
#include "view/highlight.hpp"
#include "view/html.hpp"
#include "view/line_html.hpp"
#include "view/markdown_inline.hpp"
#include "view/mathematics.hpp"

namespace gemm_tutor {
namespace {

constexpr int proceed = 0, give_up = -1;  // what md4c takes for an answer

enum class Extent { all, first_paragraph };

bool leads_to_the_web(std::string_view address) {
  const std::string start = lower_case(address.substr(0, 8));
  return start.starts_with("http://") || start.starts_with("https://");
}

const char* class_of(MD_ALIGN alignment) {
  switch (alignment) {
    case MD_ALIGN_RIGHT:
      return " class=\"right\"";
    case MD_ALIGN_CENTER:
      return " class=\"center\"";
    default:
      return "";
  }
}

struct Tags {
  std::string_view opening, closing;
};

// The opening of a list with numbers and of a table's cells has attributes, and is none of these.
Tags tags_of(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      return {"<blockquote>\n", "</blockquote>\n"};
    case MD_BLOCK_UL:
      return {"<ul>\n", "</ul>\n"};
    case MD_BLOCK_OL:
      return {"", "</ol>\n"};
    case MD_BLOCK_LI:
      return {"<li>", "</li>\n"};
    case MD_BLOCK_HR:
      return {"<hr>\n", ""};
    case MD_BLOCK_TABLE:
      return {"<div class=\"scroll\"><table class=\"text\">\n", "</table></div>\n"};
    case MD_BLOCK_THEAD:
      return {"<thead>\n", "</thead>\n"};
    case MD_BLOCK_TBODY:
      return {"<tbody>\n", "</tbody>\n"};
    case MD_BLOCK_TR:
      return {"<tr>", "</tr>\n"};
    case MD_BLOCK_TH:
      return {"", "</th>"};
    case MD_BLOCK_TD:
      return {"", "</td>"};
    default:
      return {};
  }
}

class Renderer {
 public:
  explicit Renderer(Extent extent) : extent_(extent) {}

  std::string take() {
    flush();
    return std::move(html_);
  }

  int enter_block(MD_BLOCKTYPE type, const void* detail) {
    flush();
    switch (type) {
      case MD_BLOCK_CODE: {
        const auto& code = *static_cast<const MD_BLOCK_CODE_DETAIL*>(detail);
        code_.emplace();
        language_ = attribute_text(code.lang);
        is_indented_ = code.fence_char == '\0';
        break;
      }
      case MD_BLOCK_OL:
        html_ += fmt::format("<ol start=\"{}\">\n",
                             static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start);
        break;
      case MD_BLOCK_H:
        html_ += "<" + heading(detail) + ">";
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        html_ += fmt::format("<{}{}>", type == MD_BLOCK_TH ? "th" : "td",
                             class_of(static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align));
        break;
      case MD_BLOCK_P:
        if (extent_ == Extent::all) html_ += "<p>";
        break;
      default:
        html_ += tags_of(type).opening;
    }
    return proceed;
  }

  int leave_block(MD_BLOCKTYPE type, const void* detail) {
    flush();
    switch (type) {
      case MD_BLOCK_CODE:
        add_code();
        break;
      case MD_BLOCK_H:
        html_ += fmt::format("</{}>\n", heading(detail));
        break;
      case MD_BLOCK_P:
        if (extent_ == Extent::first_paragraph) return give_up;
        html_ += "</p>\n";
        break;
      default:
        html_ += tags_of(type).closing;
    }
    return proceed;
  }

  void enter_span(MD_SPANTYPE type, const void* detail) {
    flush();
    if (type == MD_SPAN_A) {
      const std::string address =
          attribute_text(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
      links_.push_back(leads_to_the_web(address));
      if (links_.back()) html_ += fmt::format("<a href=\"{}\">", escaped(address));
    } else if (const std::string name = name_of(type); !name.empty()) {
      html_ += "<" + name + ">";
    }
  }

  void leave_span(MD_SPANTYPE type) {
    flush();
    if (type == MD_SPAN_A) {
      if (links_.back()) html_ += "</a>";
      links_.pop_back();
    } else if (const std::string name = name_of(type); !name.empty()) {
      html_ += "</" + name + ">";
    }
  }

  void add_text(MD_TEXTTYPE type, std::string_view text) {
    if (code_) {
      *code_ += text;
    } else if (type == MD_TEXT_NORMAL) {
      text_ += text;
    } else if (type == MD_TEXT_SOFTBR) {
      text_ += '\n';  // within a formula, too
    } else if (type == MD_TEXT_NULLCHAR) {
      text_ += "\ufffd";
    } else {
      flush();
      html_ += type == MD_TEXT_BR       ? "<br>\n"
               : type == MD_TEXT_ENTITY ? std::string(text)
                                        : escaped(text);
    }
  }

 private:
  // The page's own heading is the only one of level 1.
  static std::string heading(const void* detail) {
    return fmt::format("h{}", std::max(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level, 2u));
  }

  static std::string name_of(MD_SPANTYPE type) {
    switch (type) {
      case MD_SPAN_EM:
        return "em";
      case MD_SPAN_STRONG:
        return "strong";
      case MD_SPAN_CODE:
        return "code";
      default:
        return "";  // of a picture its description is left
    }
  }

  void flush() { html_ += html_with_formulas(std::exchange(text_, "")); }

  void add_code() {
    const std::vector<std::string> lines = split_lines(*std::exchange(code_, std::nullopt));
    if (is_language_of_cuda(language_)) {
      html_ += code_block_html(lines);
    } else if (is_indented_ && lines.size() == 1 && leading_formula(lines[0])) {
      const LeadingFormula formula = *leading_formula(lines[0]);
      html_ += fmt::format(
          "<div class=\"formula\">{}<span>{}</span></div>\n", formula.mathml,
          html_with_formulas(trimmed(std::string_view(lines[0]).substr(formula.length))));
    } else {
      html_ += fmt::format("<pre>{}</pre>\n", escaped(join(lines, "\n")));
    }
  }

  Extent extent_;
  std::string html_;
  std::string text_;                 // that formulas may be in, and that goes on
  std::optional<std::string> code_;  // of the block of code under way
  std::string language_;
  bool is_indented_ = false;
  std::vector<bool> links_;  // those open: whether they are shown
};

Renderer& renderer(void* data) { return *static_cast<Renderer*>(data); }

std::string rendered(std::string_view markdown, Extent extent) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_COLLAPSEWHITESPACE | MD_FLAG_TABLES | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    return renderer(data).enter_block(type, detail);
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    return renderer(data).leave_block(type, detail);
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
    renderer(data).enter_span(type, detail);
    return proceed;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* data) {
    renderer(data).leave_span(type);
    return proceed;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
    renderer(data).add_text(type, {text, size});
    return proceed;
  };
  Renderer result(extent);
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &result);
  return result.take();
}

}  // namespace

std::string markdown_html(std::string_view markdown) { return rendered(markdown, Extent::all); }

std::string paragraph_html(std::string_view markdown) {
  return rendered(markdown, Extent::first_paragraph);
}

}  // namespace gemm_tutor
