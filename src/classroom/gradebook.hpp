// Grades all submissions of a directory.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
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
  // The student took the solution before trying, as the progress that they handed in says; nothing
  // if they handed in none.
  std::optional<bool> solution_taken = {};
};

// The same submissions give the same gradebook, except for the marks' seconds.
struct Gradebook {
  std::vector<const Exercise*> exercises;
  std::vector<std::string> students;  // sorted bytewise
  std::vector<Grade> grades;          // by student, then in the order of the exercises
  std::vector<std::string> notes;     // Submissions::notes

  const Grade& grade(std::size_t student, std::size_t exercise) const {
    return grades[student * exercises.size() + exercise];
  }
  int total(std::size_t student) const;
};

struct GradingOptions {
  std::vector<const Exercise*> exercises;  // empty for those that were handed in
  int jobs = 1;
  GradingConditions conditions;
  bool fresh = false;   // do not use the results of an interrupted grading
  std::string version;  // the program's; marks of another version are not used
  // Counts the graded submissions, and may stop the grading, which throws Interrupted. Results are
  // kept.
  Activity* activity = nullptr;
  // Called with the number of earlier results if an interrupted grading is continued.
  std::function<void(std::size_t done, std::size_t all)> going_on = {};
};

// Throws the errors of find_submissions(), and Error (unavailable) without a compiler, or without a
// GPU for Backend::gpu. A wrong submission is not an error.
Gradebook grade(const std::filesystem::path& directory, const GradingOptions& options);

}  // namespace gemm_tutor
