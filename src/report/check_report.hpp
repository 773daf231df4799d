// The report of `check` and `watch`: the results of an exercise, and what to do next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exercise/check.hpp"
#include "report/json.hpp"
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
  bool is_watched = false;         // it is checked again when it is saved
  bool has_keys = false;           // in the course, for the next commands
};

Document check_document(const CheckView& view);
Json check_object(const CheckReport& report);

// A file of a folder whose exercises are checked together.
struct FileCheck {
  const Exercise* exercise = nullptr;
  std::string file;                        // its name
  KernelSource kernel = {};                // its contents
  std::string trouble = {};                // why it could not be read; empty if it could
  std::optional<CheckReport> report = {};  // nothing if there is trouble

  bool solved() const { return report && report->solved(); }
};

// One row per file: its exercise, and whether it is solved or what is wrong, in a sentence. `next`
// is the exercise to begin if all are solved; null if there is none.
Document checks_document(const std::vector<FileCheck>& files, const Exercise* next);
Json checks_object(const std::vector<FileCheck>& files);

// Returns what is better and what is worse in `now` than in `before`, in one sentence each.
struct Differences {
  std::vector<std::string> better, worse;
};
Differences differences(const CheckReport& before, const CheckReport& now);

}  // namespace gemm_tutor
