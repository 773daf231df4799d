// What `list` says, and how far a learner is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.hpp"
#include "course/progress.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Of the lessons there are: "4 of 12 lessons done · 9 of 12 predictions right".
std::string summary_of(const std::vector<Lesson>& lessons, const Progress& progress);

// The command that goes on, and with which lesson.
Line next_step(const std::vector<Lesson>& lessons, const Progress& progress);

// "Your progress in /…/progress.json is damaged"; empty for a file that is good, or not there.
std::string trouble_with(const StoredProgress& stored);

// A row for each lesson, with what is done of it, and the summary; the lessons alone before the
// learner has begun.
Parts lesson_rows(const std::vector<Lesson>& lessons, const Progress& progress);

Document list_document(const std::vector<Lesson>& lessons, const StoredProgress& stored);
std::string list_json(const std::vector<Lesson>& lessons, const StoredProgress& stored);

Document overview_document(std::string_view version, const std::vector<Lesson>& lessons,
                           const Progress& progress);

}  // namespace gemm_tutor
