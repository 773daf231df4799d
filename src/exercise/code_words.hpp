// A learner's code as words.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source/token.hpp"

namespace gemm_tutor {

// A token of code; "threadIdx.x" is one word.
struct CodeWord {
  std::string text;
  std::size_t begin = 0, end = 0;  // in the source
  int line = 0;
  bool after_blank = false;
  bool is_inserted = false;  // a brace of with_braces()

  bool is(std::string_view what) const { return text == what; }
};
using CodeWords = std::vector<CodeWord>;

struct WordRange {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};

// A source in which each body of an if, an else and a loop has braces, on the lines that it had, so
// that two files that differ in such braces do not differ.
struct BracedSource {
  std::string text;
  std::set<std::size_t> inserted;  // the offsets of the braces that it did not have
};

BracedSource with_braces(std::string_view source);

CodeWords words_of(source::Tokens tokens, const std::set<std::size_t>& inserted = {});

// Returns the text on one line, with one blank in place of any space, as the learner or the
// solution has it: without inserted braces.
std::string text_of(const CodeWords& words, WordRange range);

// Returns the same with them.
std::string whole_text_of(const CodeWords& words, WordRange range);

// True if its brackets are balanced.
bool is_balanced(const CodeWords& words, WordRange range);

inline std::span<const CodeWord> words_in(const CodeWords& words, WordRange range) {
  return std::span(words).subspan(range.begin, range.size());
}

// Extends the range to whole statements.
WordRange statement_around(const CodeWords& words, WordRange range);

// Extends the range so that its text can be found in its line: "compute(0)", not "0".
WordRange quoted_around(const CodeWords& words, WordRange range);

inline bool is_any_of(const CodeWord& word, std::initializer_list<std::string_view> texts) {
  return std::ranges::find(texts, std::string_view(word.text)) != texts.end();
}

// The head of a loop without braces and its body are one statement.
inline bool ends_statement(const CodeWord& word) {
  return is_any_of(word, {";", "}"}) || (word.is("{") && !word.is_inserted);
}

}  // namespace gemm_tutor
