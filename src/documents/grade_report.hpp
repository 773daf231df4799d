// A gradebook as a document, as CSV and as JSON. The same gradebook gives the same bytes:
// there is no date in them, and no time unless it is asked for.
#pragma once

#include <string>

#include "classroom/gradebook.hpp"
#include "exercise/exercise.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// `times` adds the seconds that each took.
// A table of points, of one exercise what its points are made of, and the reasons; as a page that
// for each exercise.
Document grade_document(const Gradebook& book, bool times);

// RFC 4180 but for the line ends, with a header: one line for each student and exercise. A field
// that a spreadsheet would take for a formula has an apostrophe before it.
std::string grade_csv(const Gradebook& book, bool times);

// {"exercises": […], "most_points", "students": [{"student", "points", "exercises": […]}], "notes"}
std::string grade_json(const Gradebook& book, bool times);

}  // namespace gemm_tutor
