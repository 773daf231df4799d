// The report of `check` and `watch`: the results of an exercise, and what to do next.
#pragma once

#include <string>

#include "documents/json.hpp"
#include "exercise/check.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// "64×64×64", M×N×K.
std::string size_text(const Problem& problem);

// Makes a document with the heading "Exercise 3 · A tile in shared memory", without a number if the
// exercise belongs to no lesson.
Document titled(const Exercise& exercise);

struct CheckView {
  const CheckReport& report;
  // The learner's previous check, to report what has improved; may be null.
  const CheckReport* before = nullptr;
  int hints_left = 0;              // hints that have not been shown
  const Exercise* next = nullptr;  // the next unsolved exercise; may be null
  std::string warning = {};        // why a teacher's grading would reject it; may be empty
  bool is_watched = false;         // it is checked again when it is saved
};

Document check_document(const CheckView& view);
Json check_object(const CheckReport& report);

// Returns what is better and what is worse in `now` than in `before`, in one sentence each.
struct Differences {
  std::vector<std::string> better, worse;
};
Differences differences(const CheckReport& before, const CheckReport& now);

}  // namespace gemm_tutor
