#include "exercise/code_words.hpp"

namespace gemm_tutor {

namespace {

// Words that end an expression outside of brackets.
bool ends_expression(const CodeWord& word) {
  return ends_statement(word) ||
         is_any_of(word, {",", "=", "+=", "-=", "*=", "/=", "?", ":", "&&", "||", "return"});
}

bool opens(const CodeWord& word) { return is_any_of(word, {"(", "[", "{"}); }
bool closes(const CodeWord& word) { return is_any_of(word, {")", "]", "}"}); }

// How many brackets open among them and do not close, and the other way round.
struct Unmatched {
  int opened = 0, closed = 0;
};

Unmatched unmatched(const CodeWords& words, std::size_t begin, std::size_t end) {
  Unmatched result;
  for (std::size_t i = begin; i < end; ++i) {
    if (opens(words[i])) ++result.opened;
    if (!closes(words[i])) continue;
    if (result.opened > 0) {
      --result.opened;
    } else {
      ++result.closed;
    }
  }
  return result;
}

// True if the expression continues with this word. `enters` is true for a bracket that is skipped
// as a whole. `level` is the current nesting of brackets, and `wanted` the number that must be
// left.
bool goes_on(const CodeWord& word, bool enters, bool leaves, int& level, int& wanted) {
  if (ends_statement(word)) return false;
  if (enters) return ++level, true;
  if (!leaves) return level > 0 || wanted > 0 || !ends_expression(word);
  if (level > 0) return --level, true;
  return wanted-- > 0;
}

WordRange expression_around(const CodeWords& words, WordRange range) {
  Unmatched wanted = unmatched(words, range.begin, range.end);
  int level = 0;
  for (std::size_t at = range.begin; at > 0; --at) {
    const CodeWord& word = words[at - 1];
    if (!goes_on(word, closes(word), opens(word), level, wanted.closed)) break;
    if (level == 0) range.begin = at - 1;
  }
  level = 0;
  for (std::size_t at = range.end; at < words.size(); ++at) {
    const CodeWord& word = words[at];
    if (!goes_on(word, opens(word), closes(word), level, wanted.opened)) break;
    if (level == 0) range.end = at + 1;
  }
  return range;
}

}  // namespace

CodeWords words_of(source::Tokens tokens) {
  CodeWords words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const source::Token& token = tokens[i];
    const bool is_member = i >= 2 && token.is_name() && tokens[i - 1].is(".") &&
                           tokens[i - 2].is_name() && words.size() >= 2;
    if (is_member) {
      words.pop_back();
      words.back().text += "." + std::string(token.text);
      words.back().end = token.end();
    } else {
      words.push_back(
          {std::string(token.text), token.at, token.end(), token.line, token.after_blank});
    }
  }
  return words;
}

std::string text_of(const CodeWords& words, WordRange range) {
  std::string text;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (words[i].after_blank && i > range.begin) text += ' ';
    text += words[i].text;
  }
  return text;
}

bool is_balanced(const CodeWords& words, WordRange range) {
  const Unmatched brackets = unmatched(words, range.begin, range.end);
  return brackets.opened == 0 && brackets.closed == 0;
}

WordRange statement_around(const CodeWords& words, WordRange range) {
  while (range.begin > 0 && !ends_statement(words[range.begin - 1])) --range.begin;
  while (range.end < words.size() && !ends_statement(words[range.end])) ++range.end;
  return range;
}

WordRange quoted_around(const CodeWords& words, WordRange range) {
  constexpr std::size_t enough = 4;
  range = expression_around(words, range);
  while (range.size() < enough) {
    WordRange wider = range;
    if (wider.begin > 0 && !ends_statement(words[wider.begin - 1])) --wider.begin;
    const bool has_bracket = wider.begin < range.begin && opens(words[wider.begin]);
    const bool has_next = range.end < words.size() && !ends_statement(words[range.end]);
    if (has_next && (has_bracket || (wider.begin == range.begin && !closes(words[range.end]))))
      ++wider.end;
    if (wider.size() == range.size()) break;
    range = expression_around(words, wider);
  }
  return range;
}

}  // namespace gemm_tutor
