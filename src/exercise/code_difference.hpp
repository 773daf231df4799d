// Finds the differences between a learner's code and the solution, word by word, grouped by
// statement.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source/definitions.hpp"
#include "source/token.hpp"

namespace gemm_tutor {

// A learner's code as words.

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

// A part of a file whose words are compared with the same part of the solution.
struct CodePart {
  std::string name;  // of the function, with a number if it is not unique; empty outside functions
  CodeWords words;
};

// `inserted` are the offsets of braces that the file did not have (with_braces()).
std::vector<CodePart> parts_of(const source::File& file,
                               const std::set<std::size_t>& inserted = {});

// Gives the solution the learner's names for what both declare, so that a file in other names does
// not differ from it.
void take_names(const std::vector<CodePart>& parts, std::vector<CodePart>& solution);

// True if the word there is a name behind a type or in a list of declarations.
bool is_declaration(const CodeWords& words, std::size_t at);

// True if the name's first place is a declaration of a value, not of a reference.
bool declares(const CodeWords& words, const std::string& name);

// Words of the file from `begin` to `end`, and the solution's words in their place.
struct Hunk {
  std::size_t begin = 0, end = 0;
  std::size_t solution_begin = 0, solution_end = 0;

  bool adds_only() const { return begin == end; }
  bool removes_only() const { return solution_begin == solution_end; }
};

// The hunks of one statement. They are tried together.
struct HunkGroup {
  const CodeWords* words = nullptr;
  const CodeWords* solution = nullptr;
  std::vector<Hunk> hunks;

  std::size_t begin() const { return hunks.front().begin; }
  std::size_t end() const { return hunks.back().end; }

  int first_line() const;
  int last_line() const;

  // True if it consists of whole statements.
  bool is_of_statements() const;

  // True if it replaces several statements, of which some are right if the learner wrote the same
  // in another way.
  bool is_rewriting() const;

  // True if it may be in one of those lines.
  bool touches(const std::set<int>& lines) const;
};

// Compares the parts that both files have. The file compiles, so it does not need parts that only
// the solution has.
std::vector<HunkGroup> differences(const std::vector<CodePart>& parts,
                                   const std::vector<CodePart>& solution);

// Returns the words from `begin` to `end` with the group's hunks replaced by the solution's.
std::string corrected_text(const HunkGroup& group, std::size_t begin, std::size_t end);

// Returns the file with these hunks replaced by the solution's.
std::string with(std::string source, const std::vector<const HunkGroup*>& groups);

}  // namespace gemm_tutor
