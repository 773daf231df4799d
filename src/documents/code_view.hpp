// Shows a lesson's code: the changes from an earlier kernel, the functions that earlier lessons
// have shown, and the lesson's other kernels.
#pragma once

#include "course/lesson.hpp"
#include "course/shown_code.hpp"
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

}  // namespace gemm_tutor
