// A gradebook as a document, as CSV and as JSON. The same gradebook gives the same bytes: there is
// no date, and no time unless `times` is set.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "classroom/bundle.hpp"
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

// "3 · A tile in shared memory", without a number if the exercise belongs to no lesson.
std::string full_name(const Exercise& exercise);

// Scores for a learning platform's import, one line per student. What was not handed in is empty.
// Canvas: "Student,ID,SIS User ID,SIS Login ID,Section", and the points of each exercise.
std::string canvas_csv(const Gradebook& book);
// Moodle: the columns of an assignment's grading worksheet, and "Username" for the import into the
// gradebook. The grade is the sum.
std::string moodle_csv(const Gradebook& book);

// {"exercises": […], "most_points", "students": [{"student", "points", "exercises": […]}], "notes"}
std::string grade_json(const Gradebook& book, bool times);

// One student's gradebook as autograders read it. The same submission gives the same bytes: there
// is no time, and no path of the machine.

// `hidden` has names of parts that students do not see (part_names of classroom/marks.hpp).

// Gradescope's results.json: a test for each part of each exercise.
std::string gradescope_json(const Gradebook& book, const std::set<std::string>& hidden);

// JUnit's XML: a test suite for each exercise, with its points as properties, and a test case for
// each part. Hidden parts have no text.
std::string junit_xml(const Gradebook& book, const std::set<std::string>& hidden);

// What was written to `folder`, and what to do with it.
Document bundle_document(const std::string& folder, const std::vector<BundleFile>& files);

}  // namespace gemm_tutor
