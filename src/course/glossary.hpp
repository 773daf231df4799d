// What the words of the course mean: lessons/glossary.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/lesson_number.hpp"

namespace gemm_tutor {

// Texts are Markdown, a line for each paragraph. An *emphasised* word is a term, too.
struct Term {
  std::string name;               // "bank conflict"
  std::vector<std::string> also;  // other words for it
  std::string text;
  std::string example;  // "Lesson 5: …"
  LessonNumber lesson;  // where it matters
};

// An entry is "## name", perhaps "also: word, word", paragraphs, "Example: …" and "See lesson N.".
// Throws std::logic_error that names the entry which is not.
std::vector<Term> parse_glossary(std::string_view markdown);

// By name.
const std::vector<Term>& glossary();

// By its name or another word for it, in singular or plural; capitals and hyphens do not matter.
// Null when there is none.
const Term* look_up(std::string_view word);

// The same, or by how one alone begins; throws Error (usage) that names those that begin so, or the
// nearest.
const Term& find_term(std::string_view word);

// The words that its text emphasises, once each: other terms.
std::vector<std::string> terms_within(const Term& term);

}  // namespace gemm_tutor
