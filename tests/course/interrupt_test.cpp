// Runs that say how far they are, and are stopped on their way.
#include <chrono>
#include <future>

#include "course_checks.hpp"
#include "sample.hpp"

namespace gemm_tutor {
namespace {

Activity* told = nullptr;  // what the CPU kernel below stops
int pieces = 0, rows_done = 0;

// In the place of lesson 0's loop: is stopped by somebody while it does its second piece.
template <typename Float>
void stopped_in_second_piece(const Float*, const Float*, Float*, int rows, int, int) {
  rows_done += rows;
  if (++pieces == 2) told->stop();
}

template <typename Float>
void does_nothing(const Float*, const Float*, Float*, int, int, int) {}

Kernel cpu_kernel(CpuFunction<float> timed, CpuFunction<CountedFloat> counted) {
  Kernel kernel = find_lesson("0").kernels.front();
  kernel.cpu = timed;
  kernel.cpu_counted = counted;
  return kernel;
}

void check_stopped_after_two_pieces(const Kernel& kernel, const std::string& what) {
  Activity activity;
  told = &activity;
  pieces = rows_done = 0;
  RunOptions options = on_emulator({40, 4096, 4096});  // a row is a piece
  options.activity = &activity;
  CHECK_THROWS_AS(run_kernel(find_lesson("0"), kernel, {}, options), Interrupted);
  CHECK(pieces == 2);
  CHECK(activity.state().what == what);
  CHECK(activity.state().done == rows_done);
  CHECK(activity.state().done < activity.state().all);
}

}  // namespace

TEST_CASE("a run on the CPU is stopped between its rows") {
  check_stopped_after_two_pieces(cpu_kernel(stopped_in_second_piece<float>, does_nothing),
                                 "running on one CPU thread");
  check_stopped_after_two_pieces(cpu_kernel(does_nothing, stopped_in_second_piece<CountedFloat>),
                                 "counting on one CPU thread");
}

TEST_CASE("a product on the CPU is that of all its rows, whatever the pieces") {
  // 300 rows are no multiple of what is done at once.
  const LessonRun run = run_lesson(0, {300, 700, 500});
  CHECK(run.verification.passed);
  CHECK(run.verification.elements_checked == 300 * 700);
  CHECK(run.traffic.counted_stores == run.predicted.stores);
}

TEST_CASE("a run on the emulator is stopped by another thread") {
  Activity activity;
  RunOptions options = on_emulator({1024, 1024, 1024});
  options.activity = &activity;
  const Lesson& lesson = find_lesson("3");
  const Kernel& kernel = lesson.kernels.front();
  std::future<LessonRun> run = std::async(
      std::launch::async, [&] { return run_kernel(lesson, kernel, kernel.settings, options); });
  while (activity.state().what != "emulating" || activity.state().done == 0) {
    REQUIRE(run.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout);
  }
  activity.stop();
  CHECK_THROWS_AS(run.get(), Interrupted);  // which waits for it
  CHECK(activity.state().what == "emulating");
  CHECK(activity.state().done < activity.state().all);
}

TEST_CASE("a run that is stopped before it begins does not begin, whatever its kernel") {
  Activity activity;
  activity.stop();
  RunOptions options = on_emulator({64, 64, 64});
  options.activity = &activity;
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      INFO(kernel.name);
      CHECK_THROWS_AS(run_kernel(lesson, kernel, kernel.settings, options), Interrupted);
    }
  }
  CHECK(activity.state().what == "");
}

TEST_CASE("a run counts to the end of the last thing that it does, whatever its kernel") {
  for (const Lesson& lesson : sample_of(lessons(), 5)) {
    for (const Kernel& kernel : lesson.kernels) {
      INFO(kernel.name);
      Activity activity;
      RunOptions options = on_emulator({64, 64, 64});
      options.activity = &activity;
      run_kernel(lesson, kernel, kernel.settings, options);
      CHECK(activity.state().what != "");
      CHECK(activity.state().all > 0);
      CHECK(activity.state().done == activity.state().all);
    }
  }
}

}  // namespace gemm_tutor
