// The report of `list`, and a learner's progress.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.hpp"
#include "course/progress.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// "4 of 12 lessons done · 9 of 12 predictions right".
std::string summary_of(const std::vector<Lesson>& lessons, const Progress& progress);

// ", 1 at the second try", after the number of those that were right at once. Empty for none.
std::string at_second_try(const Score& score);

// The command to continue, with the lesson.
Line next_step(const std::vector<Lesson>& lessons, const Progress& progress);

// "Your progress in /…/progress.json is damaged"; empty if the file is good or missing.
std::string trouble_with(const StoredProgress& stored);

// "Your progress: 1 of 20 lessons done · 1 exercise solved · 3 hints taken.", or the trouble with
// it.
std::string description_of(const StoredProgress& stored);

// The trouble as a sentence, with what the course will do about it.
std::string note_on(const StoredProgress& stored);
Parts note_parts(const StoredProgress& stored);

// One row per lesson with its progress, the chapters, and the summary. Only
// the lessons if the learner has not begun.
Parts lesson_rows(const std::vector<Lesson>& lessons, const Progress& progress);

Document list_document(const std::vector<Lesson>& lessons, const StoredProgress& stored);
std::string list_json(const std::vector<Lesson>& lessons, const StoredProgress& stored);

Document overview_document(std::string_view version, const std::vector<Lesson>& lessons,
                           const StoredProgress& stored);

}  // namespace gemm_tutor
