// Shows the changes between two kernels, line by line.
#pragma once

#include <array>
#include <vector>

#include "course/lesson.hpp"
#include "source/excerpt.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Limits from which lines are folded into "… 12 lines as before, 8 gone".
struct ChangeFolds {
  int unchanged = 6;                           // the longest unchanged part that is not folded
  int context = 2;                             // unchanged lines that stay next to a change
  int removed = unlimited, added = unlimited;  // the longest parts of these that are not folded
  // In a longer addition, lines with notes are kept, with this number of lines on either side.
  int beside_notes = 1;

  static constexpr int unlimited = 1 << 20;
};

// From little to much folding. A page takes the first that fits.
inline constexpr std::array change_folds = {
    ChangeFolds{},
    ChangeFolds{.unchanged = 3, .context = 1},
    ChangeFolds{.unchanged = 3, .context = 1, .removed = 3},
    ChangeFolds{.unchanged = 1, .context = 0, .removed = 1, .added = 6},
    ChangeFolds{.unchanged = 0, .context = 0, .removed = 0, .added = 2},
    ChangeFolds{.unchanged = 0, .context = 0, .removed = 0, .added = 0, .beside_notes = 0},
};

// Each line has its numbers in both files and a mark: "-" for a removed line, "+" for a new one.
// With colour, the differing words of a changed line are highlighted. Notes are below new lines.
// Code is never cut.
Listing change_listing(const std::vector<SourceLine>& before, const std::vector<SourceLine>& now,
                       const std::vector<Note>& notes = {}, const ChangeFolds& folds = {});

}  // namespace gemm_tutor
