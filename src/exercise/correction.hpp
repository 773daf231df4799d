// What is wrong in a learner's file, found by trying: the fewest of its differences from one that
// is right that must go until it is right, too.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exercise/exercise.hpp"

namespace gemm_tutor {

// Code of the file, and what is right in its place.
struct CodeChange {
  int first_line = 0, last_line = 0;  // of the code; where it is missing, the line before
  std::string code, replacement;      // on one line; one may be empty
  bool is_of_statements = false;      // whole ones are missing, or too many
  bool is_long = false;               // too long to be quoted
  int added_tokens = 0;
};

struct Correction {
  // In the order of the file. None: all that is wrong is in the gaps that are as handed out.
  std::vector<CodeChange> changes;
  bool leaves_gaps = false;  // some are as handed out
};

// A file that is as it should be.
struct RightFile {
  const std::string& source;
  std::function<bool(const std::string& source)> is_enough;  // whether another file is so too
};

// Nothing where the file differs from the reference in too much to say what of it is wrong.
// `has_race`: a race was found, as where a barrier is missing.
std::optional<Correction> find_correction(const Exercise& exercise, std::string_view source,
                                          bool has_race, const RightFile& reference);

// "In line 23 `k0 + ty` should be `k0 + tx`. So changed, the kernel solves the exercise." `result`:
// what follows "So changed".
std::string text_of(const Correction& correction, std::string_view result);

// Where that is, with the file's own code and not what is right: "Look at line 23, `k0 + ty`."
std::string place_of(const Correction& correction);

// Whether the code is that of the handout, whatever its comments and blanks.
bool is_as_handed_out(const Exercise& exercise, std::string_view source);

}  // namespace gemm_tutor
