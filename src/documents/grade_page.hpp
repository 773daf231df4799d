// A gradebook as a page.
#pragma once

#include <string>

#include "classroom/gradebook.hpp"

namespace gemm_tutor {

// The same gradebook gives the same bytes: there is no date in them. `times` adds the seconds that
// each took. Without a script.
std::string grade_html(const Gradebook& book, bool times);

}  // namespace gemm_tutor
