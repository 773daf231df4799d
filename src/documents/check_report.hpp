// What `check` and `watch` print: how an exercise stands, and what to do next.
#pragma once

#include <string>

#include "documents/json.hpp"
#include "exercise/check.hpp"
#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// "64×64×64", M×N×K.
std::string size_text(const Problem& problem);

// "Exercise 3 · A tile in shared memory"; without the number where it is no lesson's.
std::string heading_of(const Exercise& exercise);

struct CheckView {
  const CheckReport& report;
  // What this learner checked before; null for nothing. Says what got better since.
  const CheckReport* before = nullptr;
  // Hints that are left.
  int hints_left = 0;
  std::string warning = {};  // what a teacher would object to; empty: nothing
  bool is_watched = false;   // it is checked again once it is saved
};

std::string check_text(const CheckView& view, const Terminal& terminal);
Json check_object(const CheckReport& report);

// What is better in `now` than in `before`, and what is worse: a sentence each.
struct Differences {
  std::vector<std::string> better, worse;
};
Differences differences(const CheckReport& before, const CheckReport& now);

}  // namespace gemm_tutor
