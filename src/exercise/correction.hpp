// Finds the error in a learner's file by trying: the smallest set of differences from a right file
// that must be corrected.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exercise/code_difference.hpp"
#include "exercise/exercise.hpp"

namespace gemm_tutor {

// A piece of the file's code and its correction.
struct CodeChange {
  int first_line = 0, last_line = 0;  // of the code; if it is missing, the line before
  std::string code, replacement;      // on one line; one may be empty
  std::string next;                   // the code before which it is missing in this line
  bool is_of_statements = false;      // whole statements are missing or superfluous
  bool is_long = false;               // too long to be quoted
  int added_tokens = 0;
};

struct Correction {
  // In the order of the file. Empty if only the untouched gaps are wrong.
  std::vector<CodeChange> changes;
  bool leaves_gaps = false;  // some gaps are untouched
};

// A right file.
struct RightFile {
  const std::string& source;
  std::function<bool(const std::string& source)> is_enough;  // true if another file is also right
};

// Returns nothing if the file differs too much from the reference. `has_race` is true if a race was
// found, for example because a barrier is missing.
std::optional<Correction> find_correction(const Exercise& exercise, std::string_view source,
                                          bool has_race, const RightFile& reference);

// "In line 23 `k0 + ty` should be `k0 + tx`. So changed, the kernel solves the exercise." `result`
// is the text after "So changed".
std::string text_of(const Correction& correction, std::string_view result);

// Returns only the place, without the correction: "Look at line 23, `k0 + ty`."
std::string place_of(const Correction& correction);

// True if the code equals the handout's, except for comments and blanks.
bool is_as_handed_out(const Exercise& exercise, std::string_view source);

// A change that corrects a common slip: a wrong name, a missing barrier.
struct SmallChange {
  std::size_t begin = 0, end = 0;  // the replaced words
  CodeWords replacement;
};

// Returns at most `most` changes of the words from `begin` to `end`, the most likely first.
std::vector<SmallChange> small_changes(const CodeWords& words, std::size_t begin, std::size_t end,
                                       std::size_t most);

// Returns changes that add a __syncthreads() after each statement, the last statement first,
// because a barrier is often missing after a loop.
std::vector<SmallChange> barriers_added(const CodeWords& words, std::size_t begin, std::size_t end);

}  // namespace gemm_tutor
