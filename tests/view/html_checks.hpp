// What tests ask of a page.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {

// The first element that is closed without being open, or still open at the end; "" where each is
// closed in its turn. Elements that end themselves ("<rect/>") and those that have no end count
// not.
inline std::string unbalanced_element(const std::string& html) {
  static constexpr auto empty =
      std::to_array<std::string_view>({"meta", "link", "br", "hr", "input", "wbr"});
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == html.npos) return html.substr(at, 20);
    if (html[at + 1] == '!' || html[end - 1] == '/') continue;
    const bool closes = html[at + 1] == '/';
    const std::size_t begin = at + (closes ? 2 : 1);
    const std::string name = html.substr(begin, html.find_first_of(" >\n", begin) - begin);
    if (std::ranges::count(empty, name) > 0) continue;
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "/" + name;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

// The text between the tags, with the characters that HTML escapes; invisible ones left out.
inline std::string text_of_html(std::string html) {
  for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at)) {
    html.erase(at, html.find('>', at) - at + 1);
  }
  static constexpr std::array<std::array<std::string_view, 2>, 6> entities = {{{"&lt;", "<"},
                                                                               {"&gt;", ">"},
                                                                               {"&quot;", "\""},
                                                                               {"&#39;", "'"},
                                                                               {"&#x2061;", ""},
                                                                               {"&amp;", "&"}}};
  for (const auto& [entity, character] : entities) {
    for (std::size_t at = html.find(entity); at != html.npos; at = html.find(entity, at)) {
      html.replace(at, entity.size(), character);
      at += character.size();
    }
  }
  return html;
}

inline std::string without_blanks(std::string text) {
  constexpr std::string_view kept = "\u00a0";  // between a number and its unit
  for (std::size_t at = text.find(kept); at != text.npos; at = text.find(kept, at))
    text.erase(at, kept.size());
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// Without the elements of that name and what is in them.
inline std::string without(std::string html, const std::string& name) {
  for (std::size_t at = html.find("<" + name); at != html.npos; at = html.find("<" + name)) {
    const std::string end = "</" + name + ">";
    html.erase(at, html.find(end, at) + end.size() - at);
  }
  return html;
}

// It is one file, and holds nothing of the machine that it was made on. Scripts may be in it.
inline void check_needs_no_other(const std::string& html) {
  CHECK(control_character(html) == "");
  CHECK(html.starts_with("<!DOCTYPE html>\n"));
  CHECK(html.ends_with("</html>\n"));
  CHECK(unbalanced_element(without(html, "script")) == "");
  for (const char* outside : {"http", "src=", "@import", "url(", PROJECT_SOURCE_DIR}) {
    INFO(outside);
    CHECK(html.find(outside) == html.npos);
  }
}

inline void check_stands_alone(const std::string& html) {
  check_needs_no_other(html);
  CHECK(html.find("<script") == html.npos);
}

}  // namespace gemm_tutor
