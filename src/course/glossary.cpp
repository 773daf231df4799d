#include "course/glossary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "course/embedded_lessons.hpp"
#include "course/lesson.hpp"
#include "course/recorded.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::string_view name_mark = "## ",
                           also_mark = "also: ", example_mark = "Example: ", see_mark = "See ",
                           found_mark = "found by: ";

// What follows the mark that a paragraph begins with.
std::string_view after(std::string_view mark, std::string_view paragraph) {
  return paragraph.substr(mark.size());
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  for (const std::string& word : split(list, ',')) words.emplace_back(trimmed(word));
  return words;
}

void add_paragraph(GlossaryTerm& term, const std::string& paragraph) {
  if (paragraph.starts_with(also_mark)) {
    term.also = words_of(after(also_mark, paragraph));
  } else if (paragraph.starts_with(found_mark)) {
    term.found_by = words_of(after(found_mark, paragraph));
  } else if (paragraph.starts_with(example_mark)) {
    term.example = after(example_mark, paragraph);
  } else if (paragraph.starts_with(see_mark)) {
    const std::vector<std::string> words = split(after(see_mark, paragraph), ' ');
    if (words.size() == 2) term.lesson = words.back().substr(0, words.back().find('.'));
  } else {
    term.text += (term.text.empty() ? "" : "\n\n") + paragraph;
  }
}

void check_whole(const GlossaryTerm& term) {
  if (!term.text.empty() && !term.example.empty() && !term.lesson.empty()) return;
  throw std::logic_error(
      fmt::format("glossary: '{}' needs a text, an example and a lesson", term.name));
}

// What is compared: "Bank-Conflict" as "bank conflict", "__syncthreads()" as "syncthreads".
std::string normalised(std::string_view word) {
  std::string result;
  for (const char c : word) {
    const bool is_gap = c == ' ' || c == '-' || c == '_' || c == '\t';
    if (is_gap && (result.empty() || result.back() == ' ')) continue;
    if (c == '(' || c == ')') continue;
    result += is_gap ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

// Returns the word and its possible singulars.
std::vector<std::string> singulars(const std::string& word) {
  std::vector<std::string> result = {word};
  if (word.ends_with("ies")) result.push_back(word.substr(0, word.size() - 3) + "y");
  if (word.ends_with("es")) result.push_back(word.substr(0, word.size() - 2));
  if (word.ends_with("s")) result.push_back(word.substr(0, word.size() - 1));
  return result;
}

// All that a reader may look it up by.
std::vector<std::string> names_of(const GlossaryTerm& term) {
  std::vector<std::string> names = {term.name};
  names.insert(names.end(), term.also.begin(), term.also.end());
  names.insert(names.end(), term.found_by.begin(), term.found_by.end());
  return names;
}

bool is_called(const GlossaryTerm& term, const std::string& normalised_word) {
  const auto matches = [&](const std::string& name) { return normalised(name) == normalised_word; };
  return std::ranges::any_of(names_of(term), matches);
}

// With a space for what is shown as one: a line break, or a space that is not broken.
std::string with_plain_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_space = static_cast<unsigned char>(c) <= ' ';
    if (!is_space || !result.ends_with(' ')) result += is_space ? ' ' : c;
  }
  return result;
}

// A sign, such as "≈", is found anywhere. A word may be a plural, and has neither letters nor "_"
// beside it. An abbreviation, such as "SM", is only found in capitals.
bool has_word(std::string_view text, std::string_view name) {
  const auto are_alike = [](char a, char b) { return a == b || std::tolower(a) == b; };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), name.begin(), name.end(), are_alike);
    if (at == text.end()) return false;
    if (!is_word_character(name.back())) return true;
    auto end = at + std::ssize(name);
    if (end != text.end() && *end == 's') ++end;
    const bool begins = at == text.begin() || !is_word_character(*(at - 1));
    if (begins && (end == text.end() || !is_word_character(*end))) return true;
  }
}

// The terms with a word that has this prefix.
std::vector<const GlossaryTerm*> terms_beginning_with(const std::string& start) {
  std::vector<const GlossaryTerm*> found;
  const auto begins_so = [&](const std::string& word) {
    return normalised(word).starts_with(start);
  };
  for (const GlossaryTerm& term : glossary()) {
    const bool begins = std::ranges::any_of(names_of(term), begins_so);
    if (begins && !start.empty()) found.push_back(&term);
  }
  return found;
}

std::vector<std::string> all_words() {
  std::vector<std::string> words;
  for (const GlossaryTerm& term : glossary()) {
    const std::vector<std::string> names = names_of(term);
    words.insert(words.end(), names.begin(), names.end());
  }
  return words;
}

}  // namespace

std::vector<GlossaryTerm> parse_glossary(std::string_view markdown) {
  std::vector<GlossaryTerm> terms;
  std::string paragraph;
  const auto finish_paragraph = [&] {
    if (!terms.empty() && !paragraph.empty()) add_paragraph(terms.back(), paragraph);
    paragraph.clear();
  };
  for (const std::string& line : split_lines(markdown)) {
    if (line.starts_with(name_mark)) {
      finish_paragraph();
      terms.push_back({.name = std::string(after(name_mark, line))});
    } else if (line.empty()) {
      finish_paragraph();
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  finish_paragraph();
  std::ranges::for_each(terms, check_whole);
  return terms;
}

const std::vector<GlossaryTerm>& glossary() {
  static const std::vector<GlossaryTerm> terms =
      parse_glossary(with_recorded_numbers(embedded_glossary(), "lessons/glossary.md"));
  return terms;
}

const GlossaryTerm* look_up(std::string_view word) {
  for (const std::string& singular : singulars(normalised(word))) {
    const auto called_so = [&](const GlossaryTerm& term) { return is_called(term, singular); };
    const auto term = std::ranges::find_if(glossary(), called_so);
    if (term != glossary().end()) return &*term;
  }
  return nullptr;
}

const GlossaryTerm& find_term(std::string_view word) {
  if (const GlossaryTerm* term = look_up(word)) return *term;
  const std::vector<const GlossaryTerm*> begun = terms_beginning_with(normalised(word));
  if (begun.size() == 1) return *begun.front();
  if (!begun.empty()) {
    std::vector<std::string> names;
    for (const GlossaryTerm* term : begun) names.push_back(term->name);
    throw Error(ExitStatus::usage,
                fmt::format("several words of the glossary begin with '{}'", word),
                fmt::format("Give more of one: {}.", join(names)));
  }
  const std::string near = near_name(normalised(word), all_words());
  const std::string question = near.empty() ? "" : fmt::format("Did you mean '{}'? ", near);
  throw Error(ExitStatus::usage, fmt::format("the glossary does not have '{}'", word),
              question + "'gemm-tutor explain' lists the words that it has.");
}

std::vector<std::string> terms_within(const GlossaryTerm& term) {
  std::vector<std::string> names;
  std::string_view text = term.text;
  for (std::size_t open = text.find('*'); open != text.npos; open = text.find('*')) {
    const std::size_t close = text.find('*', open + 1);
    if (close == text.npos) break;
    const std::string name(text.substr(open + 1, close - open - 1));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    text.remove_prefix(close + 1);
  }
  return names;
}

int place_of(const GlossaryTerm& term) { return find_lesson(term.lesson).place; }

const GlossaryTerm* later_term(std::string_view text, int place) {
  const std::string words = with_plain_spaces(text);
  for (const GlossaryTerm& term : glossary()) {
    if (place_of(term) <= place) continue;
    const auto is_used = [&](const std::string& name) { return has_word(words, name); };
    if (is_used(term.name) || std::ranges::any_of(term.also, is_used)) return &term;
  }
  return nullptr;
}

}  // namespace gemm_tutor
