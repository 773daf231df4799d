// The elements of an SVG drawing, read as XML is.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

struct SvgElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;                // directly in it, as it is written
  std::vector<std::string> above;  // classes of the elements that it is in

  std::string attribute(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

// Throws std::runtime_error for what is not well-formed.
class SvgReader {
 public:
  explicit SvgReader(std::string_view text) : rest_(text) {}

  std::vector<SvgElement> elements() {
    do {
      rest_.starts_with('<') ? read_tag() : read_text();
      if (open_.empty()) break;
    } while (true);
    check(rest_.empty() || rest_ == "\n", "more than one element");
    return elements_;
  }

 private:
  static void check(bool good, const std::string& what) {
    if (!good) throw std::runtime_error(what);
  }

  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view take_until(std::string_view end) {
    const std::size_t at = rest_.find(end);
    check(at != rest_.npos, "no end: " + std::string(rest_.substr(0, 40)));
    const std::string_view taken = take(at);
    take(end.size());
    return taken;
  }

  static void check_text(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      check(static_cast<unsigned char>(text[i]) >= 0x20 || text[i] == '\n', "control character");
      check(text[i] != '<', "< in text");
      const std::string_view rest = text.substr(i);
      bool is_entity = text[i] != '&';
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
        is_entity = is_entity || rest.starts_with(entity);
      }
      check(is_entity, "& in text");
    }
  }

  void read_text() {
    check(!open_.empty(), "text around the element");
    const std::string_view text = take(rest_.find('<'));
    check_text(text);
    elements_[open_.back()].text += text;
  }

  void read_tag() {
    std::string_view tag = take_until(">");
    tag.remove_prefix(1);
    if (tag.starts_with('/')) {
      check(!open_.empty() && elements_[open_.back()].name == tag.substr(1),
            "closes what is not open: " + std::string(tag));
      open_.pop_back();
      return;
    }
    const bool is_whole = tag.ends_with('/');
    if (is_whole) tag.remove_suffix(1);
    SvgElement element;
    for (const std::size_t place : open_) {
      element.above.push_back(elements_[place].attribute("class"));
    }
    element.name = tag.substr(0, tag.find(' '));
    tag.remove_prefix(element.name.size());
    while (!tag.empty()) {
      check(tag.starts_with(' '), "no space before an attribute");
      const std::size_t quote = tag.find("=\"");
      const std::size_t end = tag.find('"', quote + 2);
      check(quote != tag.npos && end != tag.npos, "no attribute: " + std::string(tag));
      const std::string value(tag.substr(quote + 2, end - quote - 2));
      check_text(value);
      check(element.attributes.emplace(tag.substr(1, quote - 1), value).second, "twice the same");
      tag.remove_prefix(end + 1);
    }
    if (!is_whole) open_.push_back(elements_.size());
    elements_.push_back(std::move(element));
  }

  std::string_view rest_;
  std::vector<SvgElement> elements_;
  std::vector<std::size_t> open_;
};

inline std::vector<SvgElement> elements_of(std::string_view svg) {
  return SvgReader(svg).elements();
}

}  // namespace gemm_tutor
