// What `exercise list`, `start` and `hint` say.
#pragma once

#include <string>
#include <vector>

#include "course/progress.hpp"
#include "exercise/exercise.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A row for each, by what is to be done, with what the learner has done of it.
Document exercises_document(const std::vector<Exercise>& exercises, const Progress& progress);
std::string exercises_json(const std::vector<Exercise>& exercises, const Progress& progress);

// The task, and what is asked: the sizes and the goals.
Parts task_parts(const Exercise& exercise);

// Of a file just handed out.
Document started_document(const Exercise& exercise, const std::string& file);

// The first `count` hints, or all there are; after the last, how to see the solution, which is
// shown to whom `has_tried`.
Document hints_document(const Exercise& exercise, int count, bool has_tried);

}  // namespace gemm_tutor
