// Many kernels side by side.
#include "course/ladder.hpp"

#include "course/recorded.hpp"
#include "course_checks.hpp"
#include "sample.hpp"
#include "stream_k_kernel.hpp"

namespace gemm_tutor {
namespace {

Ladder small_ladder(std::vector<std::string>* progress = nullptr) {
  LadderRequest request;
  request.lessons = {&find_lesson("2"), &find_lesson("3"), &find_lesson("7")};
  request.problems = {{128, 128, 128}, {40, 40, 40}};
  request.options = on_emulator({1, 1, 1});
  return run_ladder(request, [&](int done, int all, const std::string& next) {
    if (progress)
      progress->push_back(std::to_string(done) + "/" + std::to_string(all) + " " + next);
  });
}

}  // namespace

TEST_CASE("a ladder has every kernel of its lessons at every size") {
  std::vector<std::string> progress;
  const Ladder ladder = small_ladder(&progress);
  REQUIRE(ladder.runs.size() == 8);
  CHECK(progress.size() == 8);
  CHECK(progress[5] == "5/8 lesson 3, shared_memory_tile at 40");
  CHECK(problems_of(ladder) == std::vector<Problem>{{128, 128, 128}, {40, 40, 40}});
  CHECK(ladder.backend == Backend::emulator);
  CHECK_FALSE(ladder.driver);
  CHECK(ladder.date.size() == 10);
  for (const LessonRun& run : ladder.runs) {
    CHECK(run.verification.passed);
    CHECK(run.emulation->findings.empty());
    CHECK_FALSE(run.timing);
    CHECK_FALSE(run.recorded);    // at these sizes
    if (!run.estimate) continue;  // as with clang, which makes no machine code
    REQUIRE(time_of(run));
    CHECK(time_of(run)->source == TimeSource::estimated);
  }
}

TEST_CASE("what a ladder says of a kernel follows from its counts and its time") {
  Ladder ladder = small_ladder();
  for (LessonRun& run : ladder.runs) run.estimate.reset();
  LessonRun& two = ladder.runs[0];
  LessonRun& three = ladder.runs[1];
  // 2·128³ FLOP for 2·128³ floats loaded and 128² stored.
  CHECK(global_intensity(two) == Approx(1 / (4 + 2.0 / 128)));
  CHECK(shared_intensity(two) == 0);
  CHECK(wavefronts_per_ffma(two) == 0);
  CHECK(*wavefronts_per_ffma(three) == Approx(1.5 + 2.0 / 32));
  three.emulation->total.ffma = 0;
  CHECK_FALSE(wavefronts_per_ffma(three));

  two.timing = RunTiming{Backend::gpu, 20, 3.0, 3.0, 1.0, {}, {}, 0};
  three.recorded = RecordedTiming{"NVIDIA H200", "580", "2026-11-21", 1.5, 2.0, 40.0};
  CHECK(time_of(two)->source == TimeSource::measured);
  CHECK(time_of(three)->source == TimeSource::recorded);
  CHECK(time_of(three)->percent_of_cublas == 40.0);
  three.estimate.emplace();
  three.estimate->gpu = "NVIDIA H200";
  three.estimate->median_ms = 3.0;  // twice the record, so half of its percentage
  CHECK(*estimated_time(three)->percent_of_cublas == Approx(20));
  three.estimate.reset();
  CHECK(*time_of(three)->percent_of_peak == Approx(100 * 2.0 / 66.9).epsilon(0.001));
  CHECK(*speed_up(ladder, three) == Approx(2));
  CHECK_FALSE(speed_up(ladder, two));             // nothing before it
  CHECK_FALSE(speed_up(ladder, ladder.runs[2]));  // no time of its own
}

TEST_CASE("a kernel of a ladder is faster than that of the lesson that it changes") {
  Ladder ladder;
  const auto add = [&](const char* lesson, double milliseconds) {
    const Lesson& own = find_lesson(lesson);
    LessonRun& run = ladder.runs.emplace_back(LessonRun{{}, {own, own.kernels.front()}});
    run.problem = {64, 64, 64};
    run.timing = RunTiming{Backend::gpu, 20, milliseconds, milliseconds, 1.0, {}, {}, 0};
  };
  add("2", 8);
  add("3", 4);
  add("4", 2);
  add("5", 1);
  add("7", 0.5);
  CHECK_FALSE(speed_up(ladder, ladder.runs[0]));  // lesson 1 is not there
  CHECK(speed_up(ladder, ladder.runs[1]) == 2);
  CHECK(speed_up(ladder, ladder.runs[2]) == 4);   // than lesson 2
  CHECK(speed_up(ladder, ladder.runs[3]) == 4);   // than lesson 3
  CHECK_FALSE(speed_up(ladder, ladder.runs[4]));  // lesson 6 is not there
}

TEST_CASE("a ladder leaves out a kernel for newer GPUs, and is refused when it has no other", ) {
  Lesson lesson = stream_k_lesson();
  lesson.kernels.push_back(lesson.kernels.front());
  lesson.kernels.back().compute_capability = 90;
  LadderRequest request;
  request.lessons = {&lesson};
  request.problems = {{40, 40, 40}};
  request.options = on_emulator({1, 1, 1});
  const auto run = [&] { return run_ladder(request, [](int, int, const std::string&) {}); };
  CHECK(run().runs.size() == 2);
  CHECK(run().left_out.empty());

  request.options.gpu = "a100";
  const Ladder older = run();
  CHECK(older.runs.size() == 1);
  REQUIRE(older.left_out.size() == 1);
  CHECK(older.left_out[0] == &lesson.kernels.back());
  lesson.kernels.erase(lesson.kernels.begin());
  const Error error = error_of(run);
  CHECK(error.status() == ExitStatus::usage);
  CHECK(contains(error.what(), "compute capability 9.0"));
}

TEST_CASE("a ladder takes the settings that a kernel chooses for its GPU and each size") {
  Lesson lesson = stream_k_lesson();
  const Kernel usual = lesson.kernels.front();
  lesson.kernels.front().choose = [&](const simt::GpuSpec& gpu, const Problem& problem) {
    return settings_with(usual, gpu.multiprocessors + problem.m);
  };
  LadderRequest request;
  request.lessons = {&lesson};
  request.problems = {{40, 40, 40}, {16, 16, 16}};
  request.options = on_emulator({1, 1, 1});
  const Ladder ladder = run_ladder(request, [](int, int, const std::string&) {});
  REQUIRE(ladder.runs.size() == 2);
  CHECK(ladder.runs[0].settings["BLOCKS"] == ladder.gpu.multiprocessors + 40);
  CHECK(ladder.runs[1].settings["BLOCKS"] == ladder.gpu.multiprocessors + 16);
}

namespace {

double product(const SpeedFactors& factors) {
  return 100 * factors.ffma_share * factors.issue_rate * factors.needed * factors.slots_per_ffma;
}

}  // namespace

TEST_CASE("a percentage of the peak is the product of its factors, at edges and on every GPU") {
  for (const char* gpu : sample_of(std::vector{"h200", "a100", "rtx4090", "t4"}, 4)) {
    for (const char* lesson : {"1", "3", "9", "beyond-cublas"}) {
      for (const Problem& problem : {Problem{128, 128, 128}, Problem{97, 130, 65}}) {
        RunOptions options = on_emulator(problem);
        options.gpu = gpu;
        const Kernel& kernel = find_lesson(lesson).kernels.front();
        if (kernel.compute_capability > simt::find_gpu(gpu).compute_capability()) continue;
        const LessonRun run =
            run_kernel(find_lesson(lesson), kernel, effective_settings(kernel, options), options);
        const auto time = time_of(run);
        if (!time) continue;  // as with clang, which makes no machine code
        INFO(gpu << ", lesson " << lesson << ", " << problem.m);
        const auto factors = speed_factors(run, *time);
        REQUIRE(factors);
        CHECK(product(*factors) == Approx(*time->percent_of_peak));
        CHECK(factors->ffma_share > 0);
        CHECK(factors->ffma_share < 1);
        CHECK(factors->issue_rate < 1);
        CHECK(factors->needed <= Approx(1));
        CHECK((factors->needed == Approx(1)) == (problem.m == 128));
        CHECK(factors->slots_per_ffma ==
              (gpu == std::string("a100") || gpu == std::string("t4") ? 2 : 1));
      }
    }
  }
}

// The profiler counts both factors; the time is of another run, without it.
TEST_CASE("recorded shares of FFMAs and of issue slots give the recorded percent of the peak") {
  const Profile& profile = recorded_profile();
  const Problem problem{profile.size, profile.size, profile.size};
  int compared = 0;
  for (const auto& [name, metrics] : profile.kernels) {
    const auto recorded = name == "cublas" ? recorded_cublas_timing(problem, profile.device)
                                           : recorded_timing(name, problem, profile.device);
    if (!recorded) continue;
    INFO(name);
    const double share = profiled(profile, name, "ffma/(32·instructions)");
    const double issue = profiled(profile, name, "issued_elapsed");
    CHECK(share * issue == Approx(*time_of(*recorded).percent_of_peak).epsilon(0.01));
    ++compared;
  }
  CHECK(compared >= 20);
}

TEST_CASE("a speed has no factors without machine code, or if FFMAs are not what computes C") {
  Ladder ladder = small_ladder();
  LessonRun& run = ladder.runs[1];
  if (!run.estimate) return;  // tested by the cases above
  auto& machine = run.emulation->total.machine;
  const auto ffma = static_cast<std::size_t>(simt::InstructionKind::ffma);
  machine[ffma] /= 2;  // as if others multiplied half of the products
  CHECK_FALSE(speed_factors(run, *time_of(run)));
  machine[ffma] = 0;
  CHECK_FALSE(speed_factors(run, *time_of(run)));
}

}  // namespace gemm_tutor
