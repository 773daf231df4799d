#include "exercise/code_words.hpp"

#include <utility>

#include "source/definitions.hpp"

namespace gemm_tutor {

namespace {

// Finds where the bodies of a function's statements have no braces.
class Bodies {
 public:
  explicit Bodies(source::Tokens code) : code_(code), closing_(source::closings_of(code)) {
    block(0, code_.size());
  }

  // The offsets behind which a brace is missing, with that brace.
  std::vector<std::pair<std::size_t, char>> missing;

 private:
  bool is(std::size_t at, std::string_view text) const {
    return at < code_.size() && code_[at].is(text);
  }

  void block(std::size_t begin, std::size_t end) {
    while (begin < end) begin = std::max(begin + 1, after_statement(begin));
  }

  std::size_t after_statement(std::size_t at) {
    if (is(at, "{")) return after_block(at);
    if (is(at, "do")) return after_simple(after_body(at));
    if (!is(at, "if") && !is(at, "for") && !is(at, "while") && !is(at, "switch"))
      return after_simple(at);
    const std::size_t open = at + (is(at + 1, "constexpr") ? 2 : 1);
    if (!is(open, "(") || closing_[open] >= code_.size()) return after_simple(at);
    std::size_t end = after_body(closing_[open]);
    if (is(at, "if") && is(end, "else"))
      end = is(end + 1, "if") ? after_statement(end + 1) : after_body(end);
    return end;
  }

  std::size_t after_block(std::size_t open) {
    block(open + 1, closing_[open]);
    return std::min(closing_[open] + 1, code_.size());
  }

  // Of the body behind the head that ends there.
  std::size_t after_body(std::size_t head_end) {
    const std::size_t begin = head_end + 1;
    if (begin >= code_.size() || is(begin, "{") || is(begin, ";")) return after_statement(begin);
    missing.emplace_back(code_[head_end].end(), '{');
    const std::size_t end = after_statement(begin);
    missing.emplace_back(code_[end - 1].end(), '}');
    return end;
  }

  // A lambda in it has statements of its own.
  std::size_t after_simple(std::size_t at) {
    for (; at < code_.size() && !is(at, ";"); ++at) {
      if (is(at, "{")) at = std::min(after_block(at), code_.size()) - 1;
    }
    return std::min(at + 1, code_.size());
  }

  source::Tokens code_;
  std::vector<std::size_t> closing_;
};

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

BracedSource with_braces(std::string_view source) {
  BracedSource result;
  std::vector<std::pair<std::size_t, char>> missing;
  const source::File file(source);
  for (const source::Function& function : file.functions) {
    const Bodies bodies(function.body);
    missing.insert(missing.end(), bodies.missing.begin(), bodies.missing.end());
  }
  std::ranges::stable_sort(missing, {}, &std::pair<std::size_t, char>::first);
  std::size_t from = 0;
  for (const auto& [at, brace] : missing) {
    result.text += source.substr(from, at - from);
    result.inserted.insert(result.text.size());
    result.text += brace;
    from = at;
  }
  result.text += source.substr(from);
  return result;
}

CodeWords words_of(source::Tokens tokens, const std::set<std::size_t>& inserted) {
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
      words.push_back({std::string(token.text), token.at, token.end(), token.line,
                       token.after_blank, inserted.contains(token.at)});
    }
  }
  return words;
}

std::string text_of(const CodeWords& words, WordRange range) {
  std::string text;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (words[i].is_inserted) continue;
    if (words[i].after_blank && !text.empty()) text += ' ';
    text += words[i].text;
  }
  return text;
}

std::string whole_text_of(const CodeWords& words, WordRange range) {
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
