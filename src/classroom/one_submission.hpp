// One submission, graded in a process of its own: the program run again, confined, with a time and
// a memory that end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "classroom/marks.hpp"
#include "course/kernel_run.hpp"
#include "exercise/exercise.hpp"
#include "support/confinement.hpp"

namespace gemm_tutor {

// The hidden command that the child is given, followed by the exercise and the backend.
inline constexpr const char* grade_one_command = "grade-one";

struct GradingConditions {
  Backend backend = Backend::emulator;  // or the GPU
  std::string course;                   // a teacher's own, as --course names it; empty for none
  double seconds = 20;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
};

// For the parent; `folder` is the child's own. `stop` is asked now and then; nothing is returned
// where it said so. Throws Error (unavailable) when no child can be started.
std::optional<Mark> grade_in_child(const Exercise& exercise, const std::string& source,
                                   const GradingConditions& conditions, const std::string& folder,
                                   const std::function<bool()>& stop);

// For the child, which it confines for good: reads the submission from standard input, and writes
// its mark to what standard output was. Nothing that it compiles or runs can write there.
void grade_one(const Exercise& exercise, Backend backend);

// What the child may open once it is confined, with its working directory: the compiler and its
// headers, the system's libraries, and nothing of anybody's.
AllowedFiles files_of_grading(Backend backend);

// The submission's mark by screening and check, in this process.
Mark mark_of_source(const Exercise& exercise, const std::string& source, Backend backend);

}  // namespace gemm_tutor
