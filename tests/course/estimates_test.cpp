#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "course/kernel_run.hpp"
#include "course_checks.hpp"
#include "model/gpu_file.hpp"
#include "temporary_directory.hpp"

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
  CHECK(errors.size() == 23 * sizes.size());
  CHECK(errors[errors.size() / 2] <= 0.06);
  CHECK(errors[errors.size() * 9 / 10] <= 0.15);
  CHECK(10 * within >= 9 * static_cast<int>(errors.size()));
}

// Of lesson 9's kernel on an H200 whose L2 cache has that l2_far_latency; 0 for a cache of one
// piece.
std::optional<double> estimated_ms(int size, int l2_far_latency) {
  const TemporaryDirectory directory;
  std::string text = written_gpu(find_gpu("h200"));
  const std::size_t line = text.find("l2_far_latency");
  text.erase(line, text.find('\n', line) - line);
  if (l2_far_latency > 0) text.insert(line, fmt::format("l2_far_latency = {}", l2_far_latency));
  RunOptions options = square(size);
  options.gpu = directory.path() / "mine.toml";
  std::ofstream(options.gpu) << text;
  const Lesson& lesson = find_lesson("9");
  const Kernel& own = lesson.kernels.front();
  const KernelRun run = run_kernel(lesson, own, own.settings, options);
  return run.estimate ? std::optional(run.estimate->median_ms) : std::nullopt;
}

}  // namespace

TEST_CASE("the farther half of an L2 cache counts once the matrices fill more than half of it") {
  const std::optional<double> fits = estimated_ms(1024, 0);
  if (!fits) return;  // clang makes no machine code
  CHECK(estimated_ms(1024, 2000) == fits);
  CHECK(*estimated_ms(2048, 2000) > 1.01 * *estimated_ms(2048, 0));
}

TEST_CASE(
    "half of the estimates at 2048 are within 6 % of recorded times, nine of ten within 15 %") {
  check_estimates({2048});
}

TEST_CASE("half of the estimates are within 6 % of recorded times, nine of ten within 15 %",
          "[nightly]") {
  check_estimates({1024, 2048, 4096});
}
