// A gradebook as a document, as CSV and as JSON. The same gradebook gives the same bytes: there is
// no date, and no time unless `times` is set.
#pragma once

#include <string>

#include "classroom/gradebook.hpp"
#include "exercise/exercise.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// `times` adds the seconds of each submission.
// A table of points, of one exercise what its points are made of, and the reasons; as a page that
// for each exercise.
Document grade_document(const Gradebook& book, bool times);

// RFC 4180 except for the line ends: a header, and one line per student and exercise. A field that
// a spreadsheet would read as a formula gets an apostrophe.
std::string grade_csv(const Gradebook& book, bool times);

// {"exercises": […], "most_points", "students": [{"student", "points", "exercises": […]}], "notes"}
std::string grade_json(const Gradebook& book, bool times);

}  // namespace gemm_tutor
