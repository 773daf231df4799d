// A lesson's code beside that of other lessons: what changed, what was shown before, and the other
// kernels.
#pragma once

#include "course/lesson.hpp"
#include "course/shown_code.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// "From vectorized_loads (lesson 7) to bank_conflicts".
Line from_to(const Predecessor& before, const Kernel& kernel);

// All of it, with its notes.
Listing kernel_listing(const Lesson& lesson, const Kernel& kernel);

// "What changes": for the lesson's own kernel the sentence, and for any kernel its settings and its
// code against the kernel that it is compared with. A terminal shows a difference only if it is
// shorter than the kernel, and a page folds a longer one. Empty for a kernel that is compared with
// no other.
Section change_section(const Lesson& lesson, const Kernel& kernel, const Settings& settings);

// With a line before them; nothing for none.
Parts functions_listing(const Kernel& kernel, const std::vector<SourceLine>& functions);

// "Lesson 7 shows load4 and store4."; nothing where no earlier lesson shows any.
Parts earlier_functions(const ShownCode& code);

// The lesson's kernels but this one, each folded with its notes: as a difference if that is shorter
// than the kernel, else whole; with those functions that the page has not shown.
Parts other_kernels(const Lesson& lesson, const Kernel& shown);

// The kernel: what is special about it.
Line kernel_line(const Kernel& kernel);

}  // namespace gemm_tutor
