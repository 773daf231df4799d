// A learner's code as words.
#pragma once

#include <algorithm>
#include <initializer_list>
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

  bool is(std::string_view what) const { return text == what; }
};
using CodeWords = std::vector<CodeWord>;

struct WordRange {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};

CodeWords words_of(source::Tokens tokens);

// Returns the text on one line, with one blank in place of any space.
std::string text_of(const CodeWords& words, WordRange range);

// True if its brackets are balanced.
bool is_balanced(const CodeWords& words, WordRange range);

// Extends the range to whole statements.
WordRange statement_around(const CodeWords& words, WordRange range);

// Extends the range so that its text can be found in its line: "compute(0)", not "0".
WordRange quoted_around(const CodeWords& words, WordRange range);

inline bool is_any_of(const CodeWord& word, std::initializer_list<std::string_view> texts) {
  return std::ranges::find(texts, std::string_view(word.text)) != texts.end();
}

inline bool ends_statement(const CodeWord& word) { return is_any_of(word, {";", "{", "}"}); }

}  // namespace gemm_tutor
