// What changed between two kernels, line by line.
#pragma once

#include <array>
#include <vector>

#include "course/excerpt.hpp"
#include "course/lesson.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// How much is folded into "… 12 lines as before, 8 gone".
struct ChangeFolds {
  int unchanged = 6;  // the longest stretch without a change that is not folded
  int context = 2;    // lines of it that stay beside a change
  int removed = unlimited, added = unlimited;  // the longest stretches of these that stay whole
  // Of a longer addition, each noted line is kept with this number of lines on either side.
  int beside_notes = 1;

  static constexpr int unlimited = 1 << 20;
};

// From little folded to much: what a page takes that fits.
inline constexpr std::array change_folds = {
    ChangeFolds{},
    ChangeFolds{.unchanged = 3, .context = 1},
    ChangeFolds{.unchanged = 3, .context = 1, .removed = 3},
    ChangeFolds{.unchanged = 1, .context = 0, .removed = 1, .added = 6},
    ChangeFolds{.unchanged = 0, .context = 0, .removed = 0, .added = 2},
    ChangeFolds{.unchanged = 0, .context = 0, .removed = 0, .added = 0, .beside_notes = 0},
};

// Each line with its numbers in the two files and a mark: "-" for one that is gone, "+" for one
// that is new; in colour, what differs within a line that was only changed stands out. Below a new
// line are its notes. Code is never cut.
Listing change_listing(const std::vector<SourceLine>& before, const std::vector<SourceLine>& now,
                       const std::vector<Note>& notes = {}, const ChangeFolds& folds = {});

}  // namespace gemm_tutor
