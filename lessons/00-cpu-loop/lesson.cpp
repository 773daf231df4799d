// The lesson's kernels are functions of the program.
#include "course/lesson.hpp"
#include "kernel.cpp"
#include "run/cpu_run.hpp"

namespace gemm_tutor {

void complete_lesson_00_cpu_loop(Lesson& lesson) {
  for (Kernel& kernel : lesson.kernels) {
    const bool is_loop = kernel.name == "cpu_loop";
    kernel.cpu = is_loop ? cpu_loop<float> : cpu_loop_reordered<float>;
    kernel.cpu_counted = is_loop ? cpu_loop<CountedFloat> : cpu_loop_reordered<CountedFloat>;
  }
}

}  // namespace gemm_tutor
