// What `exercise list`, `start` and `hint` print.
#pragma once

#include <string>
#include <vector>

#include "course/progress.hpp"
#include "exercise/exercise.hpp"
#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// A row for each, by what is to be done, with what the learner has done of it.
std::string exercises_text(const std::vector<Exercise>& exercises, const Progress& progress,
                           const Terminal& terminal);
std::string exercises_json(const std::vector<Exercise>& exercises, const Progress& progress);

// The task, and what is asked: the sizes and the goals.
void add_task(Page& page, const Exercise& exercise);

// Of a file just handed out.
std::string started_text(const Exercise& exercise, const std::string& file,
                         const Terminal& terminal);

// The first `count` hints, or all there are; behind the last, how to see the solution, which is
// shown to whom `has_tried`.
std::string hints_text(const Exercise& exercise, int count, bool has_tried,
                       const Terminal& terminal);

}  // namespace gemm_tutor
