#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "course/lesson_run.hpp"
#include "course_checks.hpp"
#include "sample.hpp"
#include "simt/gpus/gpu_file.hpp"
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

// docs/measuring.md says how far they are, and why. Of each `step`-th lesson at those sizes.
// Nothing is checked with clang, which makes no machine code.
void check_estimates(const std::vector<int>& sizes, std::size_t step) {
  std::vector<double> errors, of_tensor_cores;
  int within = 0;
  for (const int size : sizes) {
    for (const Lesson& lesson : sample_of(lessons(), step)) {
      for (const Kernel& course_kernel : lesson.kernels) {
        if (!course_kernel.shape) continue;
        const RunOptions options = square(size);
        const LessonRun run =
            run_kernel(lesson, course_kernel, effective_settings(course_kernel, options), options);
        INFO(course_kernel.name << " at " << size);
        if (!run.estimate) return;
        REQUIRE(run.estimate->is_reliable());
        REQUIRE(run.recorded);
        const double measured = run.recorded->median_ms;
        if (run.emulation->total.tensor_multiply_adds > 0) {
          of_tensor_cores.push_back(std::abs(run.estimate->median_ms / measured - 1));
          CHECK(of_tensor_cores.back() < 0.36);
          continue;
        }
        errors.push_back(std::abs(run.estimate->median_ms / measured - 1));
        within += measured >= run.estimate->low_ms && measured <= run.estimate->high_ms ? 1 : 0;
        CHECK(errors.back() < 0.3);
      }
    }
  }
  if (step > 1) return;  // the nightly test says how many are near
  std::ranges::sort(errors);
  std::ranges::sort(of_tensor_cores);
  CHECK(of_tensor_cores.size() == 7 * sizes.size());
  CHECK(of_tensor_cores[of_tensor_cores.size() / 2] <= 0.22);
  CHECK(errors.size() == 22 * sizes.size());
  CHECK(errors[errors.size() / 2] <= 0.06);
  CHECK(errors[errors.size() * 9 / 10] <= 0.15);
  CHECK(10 * within >= 9 * static_cast<int>(errors.size()));
}

// Of a lesson's own kernel, on an H200 with another value of that key; 0: without one.
std::optional<double> estimated_ms(std::string_view number, int size, std::string_view key,
                                   double value) {
  const TemporaryDirectory directory;
  std::string text = written_gpu(simt::find_gpu("h200"));
  if (const std::size_t line = text.find(key); line != std::string::npos) {
    text.erase(line, text.find('\n', line) - line);
  }
  if (value > 0) text += fmt::format("\n[[values]]\nsource = \"a test\"\n{} = {}\n", key, value);
  RunOptions options = square(size);
  options.gpu = directory.path() / "mine.toml";
  std::ofstream(options.gpu) << text;
  const Lesson& lesson = find_lesson(number);
  const Kernel& own = lesson.kernels.front();
  const LessonRun run = run_kernel(lesson, own, own.settings, options);
  return run.estimate ? std::optional(run.estimate->median_ms) : std::nullopt;
}

}  // namespace

TEST_CASE("the farther half of an L2 cache counts once the matrices fill more than half of it") {
  const auto estimated = [](int size, double latency) {
    return estimated_ms("9", size, "l2_far_latency", latency);
  };
  const std::optional<double> fits = estimated(1024, 0);
  if (!fits) return;  // clang makes no machine code
  CHECK(estimated(1024, 2000) == fits);
  CHECK(*estimated(2048, 2000) > 1.01 * *estimated(2048, 0));
}

TEST_CASE("a kernel with products of matrices has the clock that was measured with them") {
  const auto ratio = [](std::string_view lesson) -> std::optional<double> {
    const std::optional<double> known = estimated_ms(lesson, 1024, "tensor_clock_ghz", 1.5);
    if (!known) return std::nullopt;  // clang makes no machine code
    return *known / *estimated_ms(lesson, 1024, "tensor_clock_ghz", 0);
  };
  const std::optional<double> products = ratio("18"), none = ratio("14");
  if (!products) return;
  CHECK(none == 1);
  CHECK(*products > 1.2);
  CHECK(*products < 1.98 / 1.5);
}

TEST_CASE("at the power limit a kernel takes as long as its products do") {
  const auto milliseconds = [](std::string_view lesson, int size, double busy_ghz) {
    return estimated_ms(lesson, size, "tensor_busy_ghz", busy_ghz);
  };
  const std::optional<double> slow = milliseconds("18", 2048, 0.2);
  if (!slow) return;  // clang makes no machine code
  const double launch_ms = 0.00328;
  const double fast = *milliseconds("18", 2048, 0.4);
  CHECK(std::abs((*slow - launch_ms) / (fast - launch_ms) - 2) < 1e-6);
  CHECK(milliseconds("18", 1024, 9) == milliseconds("18", 1024, 0));
  CHECK(milliseconds("14", 1024, 0.2) == milliseconds("14", 1024, 0));
}

TEST_CASE("a board that is not at its power limit has its higher clock, less so with many FFMAs") {
  const auto gain = [](std::string_view lesson) -> std::optional<double> {
    const std::optional<double> loaded = estimated_ms(lesson, 2048, "light_clock_ghz", 0);
    if (!loaded) return std::nullopt;  // clang makes no machine code
    return *loaded / *estimated_ms(lesson, 2048, "light_clock_ghz", 1.2 * 1.98);
  };
  const std::optional<double> few_ffmas = gain("1"), many_ffmas = gain("14");
  if (!few_ffmas) return;
  CHECK(*few_ffmas > 1.15);
  CHECK(*few_ffmas < 1.2);
  CHECK(*many_ffmas > 1);
  CHECK(*many_ffmas < 1.08);
}

TEST_CASE("each estimate of a sample at 2048 is near the recorded time") {
  check_estimates({2048}, 4);
}

TEST_CASE("half of the estimates are within 6 % of recorded times, nine of ten within 15 %",
          "[nightly]") {
  check_estimates({1024, 2048, 4096}, 1);
}
