// Shows a lesson's code: the changes from an earlier kernel, the functions that earlier lessons
// have shown, and the lesson's other kernels.
#pragma once

#include <array>
#include <vector>

#include "course/lesson.hpp"
#include "course/shown_code.hpp"
#include "source/excerpt.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// "From vectorized_loads (lesson 7) to conflict_free_reads".
Line from_to(const Predecessor& before, const Kernel& kernel);

// "Settings: BN 128 → 256, TN 8 → 16. New settings: STAGES 4." Empty where all are the same.
Parts changed_settings(const Settings& before, const Settings& now);

// The whole kernel with its notes.
Listing kernel_listing(const Lesson& lesson, const Kernel& kernel);

// The section "What changes": for the lesson's first kernel the sentence, and for any kernel the
// changes of its settings and its code from the predecessor. A terminal shows a difference only if
// it is shorter than the kernel. A page folds a longer one. Empty if there is no predecessor.
Section change_section(const Lesson& lesson, const Kernel& kernel, const Settings& settings);

// The functions with a line before them; empty if there are none.
Parts functions_listing(const Kernel& kernel, const std::vector<SourceLine>& functions);

// "Lesson 7 shows load4 and store4."; empty if no earlier lesson shows any.
Parts earlier_functions(const ShownCode& code);

// The lesson's other kernels, each folded, with notes and with functions that the page has not
// shown. A kernel is shown as a difference if that is shorter than the kernel.
Parts other_kernels(const Lesson& lesson, const Kernel& shown);

// The kernel's name and title.
Line kernel_line(const Kernel& kernel);

// Shows the changes between two kernels, line by line.

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
