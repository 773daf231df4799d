// Every kernel of every lesson, found through the registry, gives the right product.
#include <iostream>
#include <random>

#include "course_checks.hpp"
#include "gpu/gpu.hpp"
#include "sample.hpp"

namespace gemm_tutor {
namespace {

const std::vector<Problem> sizes = {{1, 1, 1},    {2, 2, 2},       {31, 31, 31},   {33, 33, 33},
                                    {64, 64, 64}, {100, 100, 100}, {127, 65, 130}, {1, 257, 3},
                                    {257, 1, 64}, {256, 128, 80}};

void check(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
           const RunOptions& options) {
  INFO(kernel.name_expression(settings, options.problem) << " at " << text(options.problem));
  const LessonRun run = run_kernel(lesson, kernel, settings, options);
  if (!run.can_run_here()) return;  // the library's, without a GPU
  CHECK(run.verification.passed);
  CHECK(run.verification.elements_checked == options.problem.c_elements());
  CHECK(run.verification.elements_total == options.problem.c_elements());
  CHECK(run.warnings.empty());
  if (!kernel.is_cuda()) return;
  REQUIRE(run.emulation);
  CHECK(run.emulation->exact);
  for (const simt::Finding& finding : run.emulation->findings) {
    FAIL_CHECK(name_of(finding.kind()) << ", line " << finding.line << ": " << message(finding));
  }
}

}  // namespace

TEST_CASE("every kernel of every lesson is right at every size", "[long][clang]") {
  // In a sample each kernel has one size, and the next kernel another.
  std::size_t number = 0;
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      const std::size_t own = number++ % std::size(sizes);
      for (std::size_t s = 0; s < std::size(sizes); ++s) {
        if (takes_all() || s == own) check(lesson, kernel, kernel.settings, on_emulator(sizes[s]));
      }
    }
  }
}

TEST_CASE("every kernel of every lesson is right at random sizes", "[nightly]") {
  const unsigned seed = std::random_device()();
  std::cout << "random sizes from the seed " << seed << "\n";
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> size(1, 170);
  const bool has_gpu = gpu::status().available;
  for (int i = 0; i < 20; ++i) {
    RunOptions options = on_emulator({size(random), size(random), size(random)});
    for (const Lesson& lesson : lessons()) {
      for (const Kernel& kernel : lesson.kernels) {
        check(lesson, kernel, kernel.settings, options);
        if (!has_gpu || !kernel.is_cuda()) continue;
        RunOptions on_gpu = options;
        on_gpu.backend = Backend::gpu;
        on_gpu.gpu.clear();
        check(lesson, kernel, kernel.settings, on_gpu);
      }
    }
  }
}

TEST_CASE("every kernel of every lesson is right at every size on the GPU") {
  if (const gpu::Status status = gpu::status(); !status.available) SKIP_BECAUSE(status.problem);
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      if (!kernel.is_cuda()) continue;
      for (const Problem& size : sizes) {
        RunOptions options = on_emulator(size);
        options.backend = Backend::gpu;
        options.gpu.clear();
        check(lesson, kernel, kernel.settings, options);
      }
    }
  }
}

TEST_CASE("the shared-memory tile is right for other BM, BN and BK") {
  const Lesson& lesson = find_lesson("shared-memory-tile");
  const std::vector<Settings> all = {{{"BM", 16}, {"BN", 16}, {"BK", 16}},
                                     {{"BM", 8}, {"BN", 32}, {"BK", 32}},
                                     {{"BM", 32}, {"BN", 8}, {"BK", 64}},
                                     {{"BM", 5}, {"BN", 7}, {"BK", 35}},
                                     {{"BM", 1}, {"BN", 1}, {"BK", 1}}};
  for (const Settings& settings : all) {
    for (const Problem& size : {Problem{1, 1, 1}, {31, 33, 64}, {64, 64, 64}, {70, 45, 100}}) {
      check(lesson, lesson.kernels.front(), settings, on_emulator(size));
    }
  }
}

TEST_CASE("the shared memory that a kernel declares is what the compiler gives it") {
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      if (!kernel.is_cuda()) continue;
      const LessonRun run = run_kernel(lesson, kernel, kernel.settings, on_emulator({1, 1, 1}));
      CHECK(run.launch->resources.static_shared_bytes ==
            4 * kernel.shape(kernel.settings).static_shared_floats);
    }
  }
}

TEST_CASE("no setting is too large or too small to be refused properly", "[nightly]") {
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      for (const Setting& setting : kernel.settings) {
        for (const int value : {1, 3, 7, 1000, 46341, 2147483647}) {
          Settings settings = kernel.settings;
          settings.set(setting.name, value);
          INFO(kernel.name << " with " << setting.name << "=" << value);
          try {
            check(lesson, kernel, settings, on_emulator({5, 4, 3}));
          } catch (const Error& error) {
            CHECK(error.status() == ExitStatus::usage);
          }
        }
      }
    }
  }
}

TEST_CASE("settings that make no valid launch are a wrong command line") {
  const Lesson& lesson = find_lesson("shared-memory-tile");
  const Kernel& kernel = lesson.kernels.front();
  for (const std::string assignment : {"BM=33", "BM=64", "BN=1025", "BK=33", "BK=224", "BK=100000",
                                       "BK=2147483647", "BM=2147483647"}) {
    INFO(assignment);
    Settings settings = kernel.settings;
    apply_setting(settings, assignment);
    const Error error = error_of([&] {
      run_kernel(lesson, kernel, settings, on_emulator({64, 64, 64}));
    });
    CHECK(error.status() == ExitStatus::usage);
  }
}

}  // namespace gemm_tutor
