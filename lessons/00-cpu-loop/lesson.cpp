#include "course/lesson.hpp"

#include "course/counted_float.hpp"
#include "kernel.cpp"

namespace gemm_tutor {
namespace {

double products(const Problem& p) { return 1.0 * p.m * p.n * p.k; }
double stored(const Problem& p) { return 1.0 * p.m * p.n; }

Kernel loop() {
  Kernel kernel;
  kernel.name = "cpu_loop";
  kernel.title = "the loops as the formula has them: row, column, k";
  kernel.cpu = cpu_loop<float>;
  kernel.cpu_counted = cpu_loop<CountedFloat>;
  kernel.traffic.loads = "2·M·N·K";
  kernel.traffic.stores = "M·N";
  kernel.traffic.load_floats = [](const Problem& p, const Settings&) { return 2 * products(p); };
  kernel.traffic.store_floats = [](const Problem& p, const Settings&) { return stored(p); };
  return kernel;
}

Kernel reordered() {
  Kernel kernel;
  kernel.name = "cpu_loop_reordered";
  kernel.title = "the two inner loops exchanged: row, k, column";
  kernel.cpu = cpu_loop_reordered<float>;
  kernel.cpu_counted = cpu_loop_reordered<CountedFloat>;
  kernel.traffic.loads = "2·M·N·K + M·K";
  kernel.traffic.stores = "M·N·K + M·N";
  kernel.traffic.load_floats = [](const Problem& p, const Settings&) {
    return 2 * products(p) + 1.0 * p.m * p.k;
  };
  kernel.traffic.store_floats = [](const Problem& p, const Settings&) {
    return products(p) + stored(p);
  };
  return kernel;
}

}  // namespace

Lesson lesson_00_cpu_loop() {
  Lesson lesson;
  lesson.kernels = {loop(), reordered()};
  return lesson;
}

}  // namespace gemm_tutor
