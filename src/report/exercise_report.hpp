// The reports of `exercise list`, `start` and `hint`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/progress.hpp"
#include "exercise/check.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// One row per exercise, grouped by kind, with the learner's progress.
Document exercises_document(const std::vector<Exercise>& exercises, const StoredProgress& stored);
std::string exercises_json(const std::vector<Exercise>& exercises, const StoredProgress& stored);

// The task, the sizes and the goals.
Parts task_parts(const Exercise& exercise);

// For a file that was just handed out.
Document started_document(const Exercise& exercise, const std::string& file);

// Returns the next unsolved exercise after `exercise`, otherwise the first unsolved one; null if
// all are solved.
const Exercise* next_unsolved(const Exercise& exercise, const Progress& progress);

// True if the file differs from the one handed out. Then the cause of its error is an additional
// hint after the others.
bool has_cause_as_hint(const Exercise& exercise, std::string_view source);
int hint_count(const Exercise& exercise, std::string_view source);

// Returns the text of that hint after a check; empty if the cause is not known.
std::string cause_as_hint(const CheckReport& report);

struct HintsView {
  const Exercise& exercise;
  int count = 0;  // number of hints to show
  // The cause of the file's error, as an additional hint; empty if the file is as handed out, or if
  // the cause is not known.
  std::string cause = {};
  bool has_cause = false;  // there is such a hint, even if it is not shown yet
  bool has_tried = false;  // the learner has tried, and so may see the solution
};

// The hints. After the last one, how to see the solution.
Document hints_document(const HintsView& view);

}  // namespace gemm_tutor
