// Leaves out of a report's parts what the course does not show.
#pragma once

#include "view/document.hpp"

namespace gemm_tutor {

// Returns the parts without facts, paragraphs and rows of tables that use a term of a later place
// in the course, or name a command. Of facts that are separated by " · " the others stay. Code,
// listings and drawings stay as they are.
Parts known_parts(const Parts& parts, int place);

}  // namespace gemm_tutor
