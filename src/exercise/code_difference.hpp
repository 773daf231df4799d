// How a learner's code differs from the solution's, word by word, a statement at a time.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "exercise/code_words.hpp"
#include "source/definitions.hpp"

namespace gemm_tutor {

// A part of a file whose words are compared with the same part of the solution.
struct CodePart {
  std::string name;  // of a function, and which of that name; empty for all outside of functions
  CodeWords words;
};

std::vector<CodePart> parts_of(const source::File& file);

// Words of the file from `begin` to `end`, and those that the solution has in their place.
struct Hunk {
  std::size_t begin = 0, end = 0;
  std::size_t solution_begin = 0, solution_end = 0;

  bool adds_only() const { return begin == end; }
  bool removes_only() const { return solution_begin == solution_end; }
};

// The hunks of one statement, which are tried together.
struct Group {
  const CodeWords* words = nullptr;
  const CodeWords* solution = nullptr;
  std::vector<Hunk> hunks;

  std::size_t begin() const { return hunks.front().begin; }
  std::size_t end() const { return hunks.back().end; }

  int first_line() const;
  int last_line() const;

  // Whole statements, and nothing besides.
  bool is_of_statements() const;

  // Whether it may be of one of those lines.
  bool touches(const std::set<int>& lines) const;
};

// Of the parts that both files have. Those of the solution alone are not missing here: it compiles.
std::vector<Group> differences(const std::vector<CodePart>& parts,
                               const std::vector<CodePart>& solution);

// What the words from `begin` to `end` are with the group's hunks as in the solution.
std::string corrected_text(const Group& group, std::size_t begin, std::size_t end);

// The file with these hunks as in the solution.
std::string with(std::string source, const std::vector<const Group*>& groups);

}  // namespace gemm_tutor
