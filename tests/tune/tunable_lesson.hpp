// A lesson with a kernel that can be tuned: lesson 9's, with a few configurations.
#pragma once

#include "course/lesson.hpp"

namespace gemm_tutor {

inline Settings tile(int bm, int bn, int bk, int tm, int tn) {
  return {{"BM", bm}, {"BN", bn}, {"BK", bk}, {"TM", tm}, {"TN", tn}};
}

inline std::vector<Settings> some_configurations() {
  return {tile(128, 128, 8, 8, 8), tile(64, 64, 16, 4, 4), tile(64, 64, 16, 8, 8),
          tile(128, 128, 16, 8, 8), tile(64, 64, 32, 4, 4)};
}

inline Lesson tunable_lesson() {
  Lesson lesson = find_lesson("9");
  lesson.kernels.resize(1);
  lesson.kernels.front().configurations = [](const GpuSpec&, const Problem&) {
    return some_configurations();
  };
  return lesson;
}

}  // namespace gemm_tutor
