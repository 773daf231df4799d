// All submissions of a directory, graded.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "classroom/marks.hpp"
#include "classroom/one_submission.hpp"
#include "classroom/submissions.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

struct Grade {
  std::string student;  // any bytes
  const Exercise* exercise = nullptr;
  Mark mark;
};

// The same for the same submissions, but for the marks' seconds.
struct Gradebook {
  std::vector<const Exercise*> exercises;
  std::vector<std::string> students;  // in the order of their bytes
  std::vector<Grade> grades;          // by student, then in the order of the exercises
  std::vector<std::string> notes;     // as Submissions has them

  const Grade& grade(std::size_t student, std::size_t exercise) const {
    return grades[student * exercises.size() + exercise];
  }
  int total(std::size_t student) const;
};

struct GradingOptions {
  std::vector<const Exercise*> exercises;  // none: those that were handed in
  int jobs = 1;
  GradingConditions conditions;
  bool fresh = false;   // what an interrupted grading did is not used
  std::string version;  // of the program: another's marks are not used
  // Counts those that are done, and may stop it all: throws Interrupted, what was done is kept.
  Activity* activity = nullptr;
  // Called with what was done before, where a grading is continued.
  std::function<void(std::size_t done, std::size_t all)> going_on = {};
};

// Throws Error: (usage) as find_submissions() does; (unavailable) where there is no compiler, or no
// GPU for Backend::gpu. What is wrong with a submission is no error.
Gradebook grade(const std::filesystem::path& directory, const GradingOptions& options);

}  // namespace gemm_tutor
