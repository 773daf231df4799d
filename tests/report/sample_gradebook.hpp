#pragma once

#include <string>
#include <vector>

#include "classroom/gradebook.hpp"

namespace gemm_tutor {

// Students with the same marks in some of the exercises there are.
struct SampleGradebook {
  std::vector<Exercise> exercises;
  Gradebook book;

  SampleGradebook(const std::vector<std::string>& students, int exercise_count)
      : exercises(exercise_count) {
    for (int i = 0; i < exercise_count; ++i) {
      if (i % 3 != 2) exercises[i].lesson = i;
      exercises[i].slug = "exercise-" + std::to_string(i);
      exercises[i].title = "The title of exercise " + std::to_string(i);
      book.exercises.push_back(&exercises[i]);
    }
    book.students = students;
    for (const std::string& student : students) {
      for (int i = 0; i < exercise_count; ++i)
        book.grades.push_back({student, &exercises[i], mark(i)});
    }
  }
  static Mark mark(int i) {
    if (i % 2 == 0) return {most_points, "", "", 117'529, 0.25};
    return {{50, 0, 0}, "safety", "race, line 14: a, \"b\" & <c>", 9'000, 1.5};
  }
};

}  // namespace gemm_tutor
