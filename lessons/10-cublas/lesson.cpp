#include "course/lesson.hpp"

namespace gemm_tutor {

Lesson lesson_10_cublas() {
  Kernel kernel;
  kernel.name = "cublas";
  kernel.from_library = true;

  Lesson lesson;
  lesson.kernels = {kernel};
  return lesson;
}

}  // namespace gemm_tutor
