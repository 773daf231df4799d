// What `check` and `watch` say: what is right of an exercise, and what to do next.
#pragma once

#include <string>

#include "documents/json.hpp"
#include "exercise/check.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// "64×64×64", M×N×K.
std::string size_text(const Problem& problem);

// With its heading: "Exercise 3 · A tile in shared memory", or without the number where it is no
// lesson's.
Document titled(const Exercise& exercise);

struct CheckView {
  const CheckReport& report;
  // What this learner checked before; null for nothing. Says what got better since.
  const CheckReport* before = nullptr;
  int hints_left = 0;              // that have not been shown
  const Exercise* next = nullptr;  // that is not solved; null for none
  std::string warning = {};        // what a teacher would object to; empty: nothing
  bool is_watched = false;         // it is checked again once it is saved
};

Document check_document(const CheckView& view);
Json check_object(const CheckReport& report);

// What is better in `now` than in `before`, and what is worse: a sentence each.
struct Differences {
  std::vector<std::string> better, worse;
};
Differences differences(const CheckReport& before, const CheckReport& now);

}  // namespace gemm_tutor
