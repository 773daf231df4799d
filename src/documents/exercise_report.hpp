// What `exercise list`, `start` and `hint` say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/progress.hpp"
#include "exercise/check.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A row for each, by what is to be done, with what the learner has done of it.
Document exercises_document(const std::vector<Exercise>& exercises, const Progress& progress);
std::string exercises_json(const std::vector<Exercise>& exercises, const Progress& progress);

// The task, and what is asked: the sizes and the goals.
Parts task_parts(const Exercise& exercise);

// Of a file just handed out.
Document started_document(const Exercise& exercise, const std::string& file);

// The next one after `exercise` that is not solved, or else the first; null where all are.
const Exercise* next_unsolved(const Exercise& exercise, const Progress& progress);

// What is wrong with a file that is not as it was handed out is one more hint, after the others.
bool has_cause_as_hint(const Exercise& exercise, std::string_view source);
int hint_count(const Exercise& exercise, std::string_view source);

// What that hint says of a file that was checked; empty where it is not known.
std::string cause_as_hint(const CheckReport& report);

struct HintsView {
  const Exercise& exercise;
  int count = 0;  // of hints that are shown, or all there are
  // What is wrong with the learner's file, as one more hint after the others; empty where the file
  // is as handed out, or where it is not known.
  std::string cause = {};
  bool has_cause = false;  // there is such a hint, if `count` does not reach it either
  bool has_tried = false;  // to whom the solution is shown
};

// The hints; after the last, how to see the solution.
Document hints_document(const HintsView& view);

}  // namespace gemm_tutor
