// Grades one submission in a child process. The child is this program, confined, with limits of
// time and memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "classroom/marks.hpp"
#include "course/lesson_run.hpp"
#include "exercise/exercise.hpp"
#include "support/confinement.hpp"

namespace gemm_tutor {

// The child's hidden command. The exercise, the backend and the seed follow it, and the solution's
// counts, each as NAME=VALUE.
inline constexpr const char* grade_one_command = "grade-one";

struct GradingConditions {
  Backend backend = Backend::emulator;  // or the GPU
  std::string course;                   // the value of --course; may be empty
  // CheckOptions::seed. Nothing: of a class its own, of one student check_seed.
  std::optional<std::uint64_t> seed = {};
  double seconds = 20;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
};

// Called by the parent. `counts` is CheckOptions::counts, `folder` the child's working
// directory. `stop` is called regularly; if it returns true, the result is nothing. Throws Error
// (unavailable) if no child can be started.
std::optional<Mark> grade_in_child(const Exercise& exercise, const std::string& source,
                                   const Values& counts, const GradingConditions& conditions,
                                   const std::string& folder, const std::function<bool()>& stop);

// Called by the child. It confines the process, reads the submission from standard input and writes
// the mark to the original standard output. Code that it compiles or runs cannot write there.
void grade_one(const Exercise& exercise, const CheckOptions& options);

// The files that the confined child may open, besides its working directory: the compiler with its
// headers and the system's libraries. No user's files.
AllowedFiles files_of_grading(Backend backend);

// Screens and checks the submission in this process.
// Only the backend, the seed and the counts are taken from the options.
Mark mark_of_source(const Exercise& exercise, const std::string& source,
                    const CheckOptions& options = {});

}  // namespace gemm_tutor
