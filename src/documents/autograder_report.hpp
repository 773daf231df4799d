// One student's gradebook as autograders read it. The same submission gives the same bytes: there
// is no time, and no path of the machine.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "classroom/bundle.hpp"
#include "classroom/gradebook.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// `hidden` has names of parts that students do not see (part_names of classroom/marks.hpp).

// Gradescope's results.json: a test for each part of each exercise.
std::string gradescope_json(const Gradebook& book, const std::set<std::string>& hidden);

// JUnit's XML: a test suite for each exercise, with its points as properties, and a test case for
// each part. Hidden parts have no text.
std::string junit_xml(const Gradebook& book, const std::set<std::string>& hidden);

// What was written to `folder`, and what to do with it.
Document bundle_document(const std::string& folder, const std::vector<BundleFile>& files);

}  // namespace gemm_tutor
