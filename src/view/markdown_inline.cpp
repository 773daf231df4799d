#include "view/markdown_inline.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "support/utf8.hpp"

namespace gemm_tutor {
namespace {

constexpr int code_columns_kept_together = 32;

// Those that are likely in a lesson; md4c knows none, and others are shown as they stand.
constexpr auto entities = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"&amp;", "&"},
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&quot;", "\""},
    {"&apos;", "'"},
    {"&nbsp;", "\u00a0"},
    {"&times;", "×"},
    {"&middot;", "·"},
    {"&hellip;", "…"},
    {"&ndash;", "–"},
    {"&mdash;", "—"},
    {"&le;", "≤"},
    {"&ge;", "≥"},
    {"&plusmn;", "±"},
    {"&asymp;", "≈"},
    {"&rarr;", "→"},
    {"&micro;", "µ"},
});

std::string utf8(char32_t value) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  const auto tail = [&](int shift, char32_t code) { return byte(0x80 | (code >> shift & 0x3f)); };
  if (value == 0 || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return "\ufffd";
  if (value < 0x80) return {byte(value)};
  if (value < 0x800) return {byte(0xc0 | value >> 6), tail(0, value)};
  if (value < 0x10000) return {byte(0xe0 | value >> 12), tail(6, value), tail(0, value)};
  return {byte(0xf0 | value >> 18), tail(12, value), tail(6, value), tail(0, value)};
}

// "&amp;", "&#1234;" or "&#x12ab;".
std::string entity_text(std::string_view entity) {
  if (entity.starts_with("&#")) {
    const bool is_hexadecimal = entity[2] == 'x' || entity[2] == 'X';
    const std::string_view digits = entity.substr(is_hexadecimal ? 3 : 2);
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hexadecimal ? 16 : 10);
    return utf8(value);
  }
  const auto known = std::ranges::find(entities, entity, &decltype(entities)::value_type::first);
  return std::string(known == entities.end() ? entity : known->second);
}

// "17 %" stays on one line.
std::string with_percent_kept(std::string text) {
  for (std::size_t at = 0; (at = text.find(" %", at)) != text.npos; at += 2) {
    text.replace(at, 1, unbreakable(" "));
  }
  return text;
}

std::string piece(MD_TEXTTYPE type, std::string_view text) {
  switch (type) {
    case MD_TEXT_BR:
      return "\n";
    case MD_TEXT_SOFTBR:
      return " ";
    case MD_TEXT_NULLCHAR:
      return "\ufffd";
    case MD_TEXT_ENTITY:
      return entity_text(text);
    case MD_TEXT_NORMAL:
      return with_percent_kept(std::string(text));
    default:
      return std::string(text);
  }
}

Style style_of(MD_SPANTYPE type, Style around) {
  switch (type) {
    case MD_SPAN_CODE:
      return Style::code;
    case MD_SPAN_EM:
      return Style::emphasis;
    case MD_SPAN_STRONG:
      return Style::heading;
    case MD_SPAN_IMG:
      return Style::picture;
    default:
      return around;
  }
}

std::string address_of(MD_SPANTYPE type, const void* detail) {
  switch (type) {
    case MD_SPAN_A:
      return attribute_text(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
    case MD_SPAN_IMG:
      return attribute_text(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src);
    default:
      return "";
  }
}

}  // namespace

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string text;
  for (int i = 0; attribute.size > 0 && attribute.substr_offsets[i] < attribute.size; ++i) {
    const MD_OFFSET begin = attribute.substr_offsets[i], end = attribute.substr_offsets[i + 1];
    text += piece(attribute.substr_types[i], {attribute.text + begin, end - begin});
  }
  return text;
}

void InlineText::enter(MD_SPANTYPE type, const void* detail) {
  const Opened around = opened_.empty() ? Opened{} : opened_.back();
  const std::string address = address_of(type, detail);
  opened_.push_back(
      {style_of(type, around.style), address.empty() ? around.address : address, line_.size()});
}

void InlineText::leave(MD_SPANTYPE type) {
  const Opened span = std::move(opened_.back());
  opened_.pop_back();
  const std::size_t start = std::min(span.start_size, line_.size());
  const bool has_address = type == MD_SPAN_A || type == MD_SPAN_IMG;
  if (has_address && start == line_.size()) line_.push_back({"", span.style, span.address});
  if (type != MD_SPAN_CODE || start == line_.size()) return;
  std::string& code = line_.back().text;  // which is one span
  if (columns(code) <= code_columns_kept_together) code = unbreakable(code);
}

void InlineText::add(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size) {
  const Opened within = opened_.empty() ? Opened{} : opened_.back();
  const bool begins = !opened_.empty() && line_.size() == within.start_size;
  const std::string more = piece(type, {text, size});
  const bool goes_on = !line_.empty() && !begins && type != MD_TEXT_BR &&
                       line_.back().text != "\n" && line_.back().style == within.style &&
                       line_.back().address == within.address;
  if (goes_on) {
    line_.back().text += more;
  } else {
    line_.push_back({more, within.style, within.address});
  }
}

Line InlineText::take() { return std::exchange(line_, {}); }

}  // namespace gemm_tutor
