#include "report/glossary_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "course/lesson.hpp"
#include "report/json.hpp"
#include "support/text.hpp"
#include "view/markdown.hpp"

namespace gemm_tutor {
namespace {

std::string_view first_sentence(std::string_view text) {
  for (const std::string_view end : {". ", ".\n"}) {
    text = text.substr(0, std::min(text.find(end), text.size() - 1) + 1);
  }
  return text;
}

// "(also under: WM, WN)"; empty where there are none.
std::string other_names(const GlossaryTerm& term) {
  return term.also.empty() ? "" : fmt::format("(also under: {})", join(term.also));
}

// The terms that its text speaks of, each by its own name.
std::vector<std::string> names_within(const GlossaryTerm& term) {
  std::vector<std::string> names;
  for (const std::string& word : terms_within(term)) {
    const GlossaryTerm* other = look_up(word);
    if (!other || other->name == term.name) continue;
    if (std::ranges::find(names, other->name) == names.end()) names.push_back(other->name);
  }
  return names;
}

Json to_json(const GlossaryTerm& term) {
  return {{"name", term.name},
          {"also", term.also},
          {"text", term.text},
          {"example", term.example},
          {"lesson", key_json(find_lesson(term.lesson))}};
}

// Its text, its example and its lesson.
Parts meaning(const GlossaryTerm& term) {
  return {
      Prose{read_markdown(term.text)}, section("Example", {facts({first_paragraph(term.example)})}),
      section("Lesson",
              {facts({{{fmt::format("{} · {}", term.lesson, find_lesson(term.lesson).title)}}})})};
}

}  // namespace

Parts term_parts(const GlossaryTerm& term) {
  Parts parts = meaning(term);
  if (const std::string names = other_names(term); !names.empty()) {
    parts.insert(parts.begin(), Paragraph{{{names, Style::dim}}});
  }
  return parts;
}

Definitions term_definitions(const std::vector<GlossaryTerm>& terms) {
  Definitions definitions;
  for (const GlossaryTerm& term : terms) {
    definitions.definitions.push_back(
        {{{term.name, Style::code}}, first_paragraph(first_sentence(term.text))});
  }
  return definitions;
}

Document term_document(const GlossaryTerm& term) {
  Commands next{{{fmt::format("gemm-tutor lesson {}", term.lesson)}}};
  for (const std::string& name : names_within(term)) {
    next.commands.push_back({"gemm-tutor explain " + name});
  }
  Line title = {{term.name, Style::heading}};
  if (const std::string names = other_names(term); !names.empty()) {
    title.push_back({"  " + names, Style::dim});
  }
  Document document{.subtitles = {{.text = title, .hang = 2}}, .parts = meaning(term)};
  document.parts.add(section("Next", {std::move(next)}));
  return document;
}

Document terms_document(const std::vector<GlossaryTerm>& terms) {
  return {.parts = {term_definitions(terms),
                    section("Next", {Commands{{{"gemm-tutor explain warp"}}}})}};
}

std::string term_json(const GlossaryTerm& term) {
  Json json;
  json["term"] = to_json(term);
  return to_text(json);
}

std::string terms_json(const std::vector<GlossaryTerm>& terms) {
  Json json;
  json["terms"] = Json::array();
  for (const GlossaryTerm& term : terms) json["terms"].push_back(to_json(term));
  return to_text(json);
}

}  // namespace gemm_tutor
