// The glossary of the course: lessons/glossary.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

// A term. Texts are Markdown, one line per paragraph. An *emphasised* word is also a term.
struct GlossaryTerm {
  std::string name;                    // "bank conflict"
  std::vector<std::string> also = {};  // other words for it
  std::string text = {};
  std::string example = {};  // "Lesson 5: …"
  std::string lesson = {};   // the lesson or chapter that introduces it: "7", "edges"
  // Words with an everyday meaning beside it: it is found by them, but a text with one of them need
  // not mean the term.
  std::vector<std::string> found_by = {};
};

// An entry is "## name", optionally "also: word, word" and "found by: word", paragraphs,
// "Example: …" and "See lesson N." or "See chapter NAME.". Throws std::logic_error with the name of
// a malformed entry.
std::vector<GlossaryTerm> parse_glossary(std::string_view markdown);

// The terms sorted by name.
const std::vector<GlossaryTerm>& glossary();

// Finds a term by its name or another word for it, in singular or plural, without regard to case
// and hyphens. Null if there is none.
const GlossaryTerm* look_up(std::string_view word);

// The same, also by a unique prefix. Throws Error (usage) with the terms that have this prefix, or
// with the nearest term.
const GlossaryTerm& find_term(std::string_view word);

// The place in the course where it is introduced (Lesson::place).
int place_of(const GlossaryTerm& term);

// Returns a term that the text uses and a place later in the course introduces. Null if there is
// none. A word counts in singular and plural, and with a capital; an abbreviation only in capitals.
const GlossaryTerm* later_term(std::string_view text, int place);

// Returns the other terms that its text emphasises, each once.
std::vector<std::string> terms_within(const GlossaryTerm& term);

}  // namespace gemm_tutor
