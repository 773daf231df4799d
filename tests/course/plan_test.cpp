// What is known of a run before anything runs.
#include <algorithm>

#include "course_checks.hpp"

namespace gemm_tutor {
namespace {

// Every kernel of every lesson, planned and run.
template <typename Check>
void for_each_kernel(const RunOptions& options, const Check& check) {
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      INFO(kernel.name << " at " << text(options.problem));
      check(plan_kernel(lesson, kernel, kernel.settings, options),
            run_kernel(lesson, kernel, kernel.settings, options));
    }
  }
}

bool contains_line(const std::vector<SourceLine>& lines, const SourceLine& wanted) {
  return std::ranges::any_of(lines, [&](const SourceLine& line) {
    return line.number == wanted.number && line.text == wanted.text;
  });
}

}  // namespace

TEST_CASE("a plan is what the run then is", "[long]") {
  for (const Problem& problem : {Problem{64, 96, 32}, {70, 33, 100}}) {
    for_each_kernel(on_emulator(problem), [](const KernelRun& plan, const KernelRun& run) {
      CHECK(plan.lesson == run.lesson);
      CHECK(plan.kernel == run.kernel);
      CHECK(plan.settings == run.settings);
      CHECK(plan.problem == run.problem);
      CHECK(plan.name == run.name);
      CHECK(plan.source.file_name == run.source.file_name);
      CHECK(plan.backend == run.backend);
      CHECK(plan.device == run.device);
      CHECK(plan.launch == run.launch);
      CHECK(plan.gpu.has_value() == run.gpu.has_value());
      if (plan.gpu) CHECK(plan.gpu->name == run.gpu->name);
      if (plan.launch) {
        CHECK(plan.launch->statement == run.launch->statement);
        CHECK(plan.launch->resources == run.launch->resources);
        CHECK(plan.launch->occupancy.occupancy == run.launch->occupancy.occupancy);
        CHECK(plan.launch->occupancy.limited_by == run.launch->occupancy.limited_by);
      }
      CHECK(plan.traffic.predicted_loads == run.traffic.predicted_loads);
      CHECK(plan.traffic.predicted_stores == run.traffic.predicted_stores);
      CHECK(plan.traffic.formula_is_exact == run.traffic.formula_is_exact);
      REQUIRE_FALSE(plan.excerpt.empty());
      for (const SourceLine& line : plan.excerpt) CHECK(contains_line(run.excerpt, line));
    });
  }
}

TEST_CASE("a plan has a launch and its predicted traffic") {
  const Lesson& lesson = find_lesson("3");
  const Kernel& kernel = lesson.kernels.front();
  const KernelRun plan = plan_kernel(lesson, kernel, kernel.settings, on_emulator({64, 96, 32}));
  CHECK(plan.backend == Backend::emulator);
  CHECK(plan.device == "emulator · H200 limits");
  CHECK(plan.launch == Launch{{3, 2}, {32, 32}});
  CHECK(plan.launch->resources.static_shared_bytes == 8192);
  CHECK(plan.traffic.predicted_loads == 64 * 96 * 32 / 16);
  CHECK(plan.traffic.predicted_stores == 64 * 96);
}

TEST_CASE("a plan executes nothing") {
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      INFO(kernel.name);
      Activity activity;
      // Which would take a while.
      RunOptions options = on_emulator({4096, 4096, 4096});
      options.activity = &activity;
      const KernelRun plan = plan_kernel(lesson, kernel, kernel.settings, options);
      CHECK_FALSE(plan.emulation);
      CHECK_FALSE(plan.timing);
      CHECK_FALSE(plan.recorded);
      CHECK_FALSE(plan.comparison);
      CHECK_FALSE(plan.operand_order);
      CHECK_FALSE(plan.traffic.counted_loads);
      CHECK(plan.verification.elements_checked == 0);
      CHECK(activity.state().what == (kernel.is_cuda() ? "compiling" : ""));
    }
  }
}

TEST_CASE("a plan is refused as the run would be") {
  const Lesson& lesson = find_lesson("3");
  const Kernel& kernel = lesson.kernels.front();
  Settings settings = kernel.settings;
  apply_setting(settings, "BM=64");
  const RunOptions options = on_emulator({64, 64, 64});
  const Error plan = error_of([&] { plan_kernel(lesson, kernel, settings, options); });
  const Error run = error_of([&] { run_kernel(lesson, kernel, settings, options); });
  CHECK(plan.status() == ExitStatus::usage);
  CHECK(std::string(plan.what()) == run.what());

  const RunOptions too_large = on_emulator({100'000, 100'000, 1});
  CHECK_THROWS_AS(plan_kernel(lesson, kernel, kernel.settings, too_large), Error);
}

}  // namespace gemm_tutor
