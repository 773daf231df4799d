// Leaves out of a report's parts what the course does not show.
#pragma once

#include "course/lesson_number.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Returns the parts without facts, paragraphs and rows of tables that use a term of a later lesson,
// or name a command.
// Of facts that are separated by " · " the others stay. Code, listings and drawings stay as they
// are.
Parts known_parts(const Parts& parts, const LessonNumber& lesson);

}  // namespace gemm_tutor
