#include "documents/glossary_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "course/lesson.hpp"
#include "documents/json.hpp"
#include "support/text.hpp"
#include "view/markdown.hpp"

namespace gemm_tutor {
namespace {

constexpr int name_gap = 2;

std::string_view first_sentence(std::string_view text) {
  for (const std::string_view end : {". ", ".\n"}) {
    text = text.substr(0, std::min(text.find(end), text.size() - 1) + 1);
  }
  return text;
}

// "(also under: WM, WN)"; empty where there are none.
std::string other_names(const Term& term) {
  return term.also.empty() ? "" : fmt::format("(also under: {})", join(term.also));
}

// The terms that its text speaks of, each by its own name.
std::vector<std::string> names_within(const Term& term) {
  std::vector<std::string> names;
  for (const std::string& word : terms_within(term)) {
    const Term* other = look_up(word);
    if (!other || other->name == term.name) continue;
    if (std::ranges::find(names, other->name) == names.end()) names.push_back(other->name);
  }
  return names;
}

Json to_json(const Term& term) {
  return {{"name", term.name},
          {"also", term.also},
          {"text", term.text},
          {"example", term.example},
          {"lesson", term.lesson}};
}

// Its text, its example and its lesson.
void add_meaning(Page& page, const Term& term) {
  add_markdown(page, term.text);
  page.section("Example");
  page.text(first_paragraph(term.example));
  page.section("Lesson");
  page.text(
      {{fmt::format("{} · {}", term.lesson, find_lesson(std::to_string(term.lesson)).title)}});
}

}  // namespace

void add_term(Page& page, const Term& term) {
  if (const std::string names = other_names(term); !names.empty()) {
    page.row({}, {}, {{names, Style::dim}});
    page.blank();
  }
  add_meaning(page, term);
}

void add_terms(Page& page, const std::vector<Term>& terms) {
  std::size_t name_columns = 0;
  for (const Term& term : terms) name_columns = std::max(name_columns, term.name.size());
  for (const Term& term : terms) {
    const std::string name =
        fmt::format("{:<{}}", term.name, name_columns + static_cast<std::size_t>(name_gap));
    page.row({{name, Style::code}}, {{std::string(name.size(), ' ')}},
             first_paragraph(first_sentence(term.text)));
  }
}

std::string term_text(const Term& term, const Terminal& terminal) {
  Page page(terminal);
  const std::string gap(name_gap, ' '), names = other_names(term);
  Line title = {{term.name, Style::heading}};
  if (!names.empty()) title.push_back({gap + names, Style::dim});
  page.row({}, {{gap}}, title);
  page.blank();
  add_meaning(page, term);
  std::vector<std::string> commands = {fmt::format("gemm-tutor lesson {}", term.lesson)};
  for (const std::string& name : names_within(term)) {
    commands.back() += " ·";
    commands.push_back("gemm-tutor explain " + name);
  }
  std::ranges::transform(commands, commands.begin(), unbreakable);
  page.section("Next");
  page.text({{join(commands, " "), Style::code}});
  return page.str();
}

std::string terms_text(const std::vector<Term>& terms, const Terminal& terminal) {
  Page page(terminal);
  add_terms(page, terms);
  page.section("Next");
  page.text({{"gemm-tutor explain warp", Style::code}});
  return page.str();
}

std::string term_json(const Term& term) {
  Json json;
  json["term"] = to_json(term);
  return to_text(json);
}

std::string terms_json(const std::vector<Term>& terms) {
  Json json;
  json["terms"] = Json::array();
  for (const Term& term : terms) json["terms"].push_back(to_json(term));
  return to_text(json);
}

}  // namespace gemm_tutor
