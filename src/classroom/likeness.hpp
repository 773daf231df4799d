// Compares a submission with the solution, for the teacher's eyes: it takes no points.
#pragma once

#include <string>

#include "exercise/exercise.hpp"

namespace gemm_tutor {

// Returns "has the structure of the solution in 97 % of what it adds", or that it is the solution's
// text; empty if it is not that near. Names, comments and the layout may differ. The structure of
// gaps that are filled in rightly is the solution's, so there the lines count: the solution and the
// handout break them at other places, and have other comments.
std::string likeness_text(const Exercise& exercise, const std::string& source);

}  // namespace gemm_tutor
