// A kernel that a learner completes, mends or makes faster, and what is asked of it. An exercise is
// data: a CUDA file to hand out, one that solves it, and a declaration of what is checked
// (docs/teaching.md).
#pragma once

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
  std::optional<LessonNumber> lesson;  // the lesson whose kernel it is, if it is of one
  std::string slug;                    // the lesson's, or its own: "small-k-only"
  std::string title;                   // "A tile in shared memory"
  std::string file_name;  // as handed out: "03-shared-memory-tile.cu", "small-k-only.cu"
  std::string handout;    // what it then holds
  std::string solution;   // a whole file that solves it
  Kernel kernel;          // its name, settings and launch, which the learner does not change
  ExerciseTerms terms;
};

// All there are: the lessons', by number, then the others.
const std::vector<Exercise>& exercises();

// By its lesson's number, or by slug or file name. Throws Error (usage) that names the nearest.
const Exercise& find_exercise(std::string_view name);

// What a learner would type: "3" for a lesson's, else its slug.
std::string short_name(const Exercise& exercise);

// Null where the lesson has none.
const Exercise* exercise_of(const Lesson& lesson);

// The exercise that a file's text says it is, in the line that handouts begin with; else the one
// whose handout has a file's name. Null for neither.
const Exercise* exercise_of(std::string_view source, std::string_view file_name);

// A learner's file as it is compiled and launched for `problem`.
KernelSource exercise_source(const Exercise& exercise, std::string source, std::string file_name,
                             const Problem& problem);

// The numbers of the gaps ("// GAP 2: …" and the line of code below) that are as they were handed
// out.
std::vector<int> untouched_gaps(const Exercise& exercise, std::string_view source);

// The lines of code of these gaps, in `source`.
std::vector<int> lines_of_untouched_gaps(const Exercise& exercise, std::string_view source);

}  // namespace gemm_tutor
