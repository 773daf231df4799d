#include "course/lesson.hpp"

namespace gemm_tutor {

Lesson lesson_10_cublas() {
  Kernel kernel;
  kernel.name = "cublas";
  kernel.from_library = true;

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change = "No kernel of one's own: the library has many, and knows when to take which.";
  return lesson;
}

}  // namespace gemm_tutor
