// Exercises: kernels that a learner completes, corrects or makes faster. An exercise is data: a
// CUDA file to hand out, a solution, and a declaration of the checks (docs/teaching.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/exercise_terms.hpp"
#include "course/lesson.hpp"
#include "gemm/problem.hpp"
#include "run/kernel_source.hpp"

namespace gemm_tutor {

struct Exercise {
  std::optional<int> lesson;  // the number of the kernel's lesson, if there is one
  std::string slug;           // the lesson's slug, or its own: "small-k-only"
  std::string title;          // "A tile in shared memory"
  std::string file_name;      // as handed out: "03-shared-memory-tile.cu", "small-k-only.cu"
  std::string handout;        // the file's text when it is handed out
  std::string solution;       // the text of a whole file that solves it
  Kernel kernel;              // name, settings and launch, which the learner does not change
  ExerciseTerms terms;
};

// All exercises: first the lessons', by number, then the others.
const std::vector<Exercise>& exercises();

// Finds an exercise by its lesson's number, its slug or its file name. Throws Error (usage) with
// the nearest one.
const Exercise& find_exercise(std::string_view name);

// The shortest name: "3" for a lesson's exercise, otherwise its slug.
std::string short_name(const Exercise& exercise);

// Returns null if the lesson has no exercise.
const Exercise* exercise_of(const Lesson& lesson);

// Returns the exercise that the first line of a handout names; otherwise the one whose handout has
// that file name. May be null.
const Exercise* exercise_of(std::string_view source, std::string_view file_name);

// Returns a learner's file with its launch for `problem`.
KernelSource exercise_source(const Exercise& exercise, std::string source, std::string file_name,
                             const Problem& problem);

// Returns the solution changed to another way. Throws Error (usage) if a piece of code is not in it
// exactly once.
std::string solution_in(const OtherWay& way, const Exercise& exercise);

// Returns the numbers of unchanged gaps. A gap is "// GAP 2: …" with the line of code below.
std::vector<int> untouched_gaps(const Exercise& exercise, std::string_view source);

// Returns the lines of code of these gaps in `source`.
std::vector<int> lines_of_untouched_gaps(const Exercise& exercise, std::string_view source);

// The files that an editor with clangd needs for a learner's .cu file without a CUDA Toolkit.

// Writes .clangd and compile_flags.txt to the learner's folder, and the headers to the program's
// data directory. Does not change files of the learner. Returns a message for the learner; may be
// empty.
std::string write_editor_files(const std::filesystem::path& folder);

}  // namespace gemm_tutor
