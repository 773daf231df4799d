// A learner's code word by word.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "source/token.hpp"

namespace gemm_tutor {

// A token of code; "threadIdx.x" is one.
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

// On one line, with one blank where there was any space.
std::string text_of(const CodeWords& words, WordRange range);

// Whether as many brackets close as open, and none before it opens.
bool is_balanced(const CodeWords& words, WordRange range);

// With all words of the statements that it is in.
WordRange statement_around(const CodeWords& words, WordRange range);

// What is to be quoted of an expression, so that it can be found in its line: "compute(0)", and not
// "0".
WordRange quoted_around(const CodeWords& words, WordRange range);

inline bool is_any_of(const CodeWord& word, std::initializer_list<std::string_view> texts) {
  return std::ranges::find(texts, std::string_view(word.text)) != texts.end();
}

inline bool ends_statement(const CodeWord& word) { return is_any_of(word, {";", "{", "}"}); }

}  // namespace gemm_tutor
