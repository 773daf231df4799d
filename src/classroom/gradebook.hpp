// Grades all submissions of a directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "classroom/marks.hpp"
#include "classroom/one_submission.hpp"
#include "classroom/submissions.hpp"
#include "exercise/exercise.hpp"
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

// The same submissions and seed give the same gradebook, except for the marks' seconds.
struct Gradebook {
  std::vector<const Exercise*> exercises;
  std::vector<std::string> students;  // sorted bytewise
  std::vector<std::string> ids;       // Student::id of each
  std::vector<Grade> grades;          // by student, then in the order of the exercises
  std::vector<std::string> notes;     // Submissions::notes, and what is like a solution
  std::uint64_t seed = check_seed;    // CheckOptions::seed

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

// The class's own seed is a random one, kept for the next grading of the same folder; if it cannot
// be kept, each grading has another. Throws the errors of find_submissions(), and Error
// (unavailable) without a compiler, or without a GPU for Backend::gpu. A wrong submission is not an
// error.
Gradebook grade(const std::filesystem::path& directory, GradingOptions options);

// One that nobody can know before.
std::uint64_t random_seed();

// Grades one student's file or folder, and stores nothing. The student may read the notes, so that
// none says what is like a solution. Throws the errors of find_submission() and grade().
Gradebook grade_student(const std::filesystem::path& path, GradingOptions options);

// A grading's results on disk, so that it can be continued: one line of JSON per mark, in the order
// of grading. Thread-safe.
class Journal {
 public:
  // With an empty path nothing is stored. `fresh` deletes the stored results. Throws Error
  // (unavailable) if another process is doing the same grading. If the file cannot be written,
  // nothing is stored.
  Journal(std::filesystem::path path, bool fresh);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Finds a mark by the submission's key. Damaged lines are ignored.
  std::optional<Mark> find(const std::string& key) const;
  std::size_t size() const { return marks_.size(); }  // number of marks when it was opened
  void add(const std::string& key, const Mark& mark);

  // Notes a folder that must be removed if this grading is interrupted. folders_left() are those of
  // earlier gradings.
  void note_folder(const std::filesystem::path& folder);
  const std::vector<std::string>& folders_left() const { return folders_; }

  // Removes the file when the grading is complete.
  void remove();

 private:
  void open();
  void read();
  void append(const std::string& line);

  std::filesystem::path path_;
  int file_ = -1;
  std::mutex mutex_;
  std::map<std::string, Mark> marks_;
  std::vector<std::string> folders_;
};

// Compares a submission with the solution, for the teacher's eyes: it takes no points.

// Returns "has the structure of the solution in 97 % of what it adds", or that it is the solution's
// text; empty if it is not that near. Names, comments and the layout may differ. The structure of
// gaps that are filled in rightly is the solution's, so there the lines count: the solution and the
// handout break them at other places, and have other comments.
std::string likeness_text(const Exercise& exercise, const std::string& source);

}  // namespace gemm_tutor
