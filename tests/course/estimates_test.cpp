#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "course/kernel_run.hpp"
#include "course_checks.hpp"

using namespace gemm_tutor;

namespace {

RunOptions square(int size) {
  RunOptions options;
  options.problem = {size, size, size};
  options.backend = Backend::emulator;
  options.gpu = "h200";
  options.blocks = std::int64_t{8};
  options.check = false;
  return options;
}

// docs/measuring.md says how far they are, and why. Nothing is checked with clang, which makes no
// machine code.
void check_estimates(const std::vector<int>& sizes) {
  std::vector<double> errors;
  int within = 0;
  for (const int size : sizes) {
    for (const Lesson& lesson : lessons()) {
      for (const Kernel& course_kernel : lesson.kernels) {
        if (!course_kernel.shape) continue;
        const RunOptions options = square(size);
        const KernelRun run =
            run_kernel(lesson, course_kernel, effective_settings(course_kernel, options), options);
        INFO(course_kernel.name << " at " << size);
        if (!run.estimate) return;
        REQUIRE(run.estimate->is_reliable());
        REQUIRE(run.recorded);
        const double measured = run.recorded->median_ms;
        errors.push_back(std::abs(run.estimate->median_ms / measured - 1));
        within += measured >= run.estimate->low_ms && measured <= run.estimate->high_ms ? 1 : 0;
        CHECK(errors.back() < 0.3);
      }
    }
  }
  std::ranges::sort(errors);
  CHECK(errors.size() == 17 * sizes.size());
  CHECK(errors[errors.size() / 2] <= 0.06);
  CHECK(errors[errors.size() * 9 / 10] <= 0.15);
  CHECK(10 * within >= 9 * static_cast<int>(errors.size()));
}

}  // namespace

TEST_CASE(
    "half of the estimates at 2048 are within 6 % of recorded times, nine of ten within 15 %") {
  check_estimates({2048});
}

TEST_CASE("half of the estimates are within 6 % of recorded times, nine of ten within 15 %",
          "[nightly]") {
  check_estimates({1024, 2048, 4096});
}
