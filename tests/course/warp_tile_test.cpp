// Lesson 11: which warp tiles there can be, and that the order of their lanes does what it is for.
#include "course_checks.hpp"
#include "sample.hpp"

namespace gemm_tutor {
namespace {

const Lesson& warp_tile_lesson() { return find_lesson("warp-tile"); }

Settings with(const std::vector<std::string>& assignments) {
  Settings settings = warp_tile_lesson().kernels.front().settings;
  for (const std::string& assignment : assignments) apply_setting(settings, assignment);
  return settings;
}

LessonRun run(const Settings& settings, const Problem& problem) {
  const Lesson& lesson = warp_tile_lesson();
  return run_kernel(lesson, lesson.kernels.front(), settings, on_emulator(problem));
}

// Of the shared loads of a warp, for one k.
double wavefronts(const LessonRun& run) {
  return Expression::parse("shared_load_wavefronts/(warps_total·steps·BK)")
      .value(values_counted({}, run));
}

// Lanes in 4 rows of 8, 8 of 4, 2 of 16 and 16 of 2; other blocks, other threads, longer steps.
std::vector<Settings> tiles() {
  return {with({}),
          with({"WM=64", "WN=32"}),
          with({"WM=16", "WN=128"}),
          with({"WM=128", "WN=16"}),
          with({"BM=64"}),
          with({"BM=64", "WM=64", "WN=32", "BN=64"}),
          with({"TN=16", "WN=128"}),
          with({"TM=16", "WM=64", "BN=64"}),
          with({"TM=4", "WM=16", "BK=16"})};
}

}  // namespace

TEST_CASE("a warp tile of any shape gives the right product", "[nightly]") {
  for (const Settings& settings : tiles()) {
    for (const Problem& size : {Problem{128, 128, 16}, {1, 1, 1}, {70, 131, 21}}) {
      const LessonRun ran = run(settings, size);
      INFO(ran.kernel->name_expression(settings, size) << " at " << text(size));
      CHECK(ran.verification.passed);
      CHECK(ran.verification.elements_checked == size.c_elements());
      CHECK(ran.emulation->findings.empty());
    }
  }
}

TEST_CASE("in squares of four a warp's lanes pair off for both tiles, whatever its tile's shape",
          "[long]") {
  for (const Settings& settings : sample_of(tiles(), 4)) {
    const LessonRun ran = run(settings, {128, 128, 16});
    INFO(ran.kernel->name_expression(settings, ran.problem));
    CHECK(wavefronts(ran) == 2 * (settings["TM"] / 4) + 2 * (settings["TN"] / 4));
    CHECK(ran.emulation->total.shared_load_conflicts == 0);
  }
  CHECK(wavefronts(run(with({}), {128, 128, 16})) == 8);
  CHECK(wavefronts(run_lesson(9, {128, 128, 16})) == 12);
}

TEST_CASE("a warp tile that is none is refused with the rule that it breaks") {
  const auto refusal = [](const std::vector<std::string>& assignments) {
    const Error error = error_of([&] { run(with(assignments), {8, 8, 8}); });
    CHECK(error.status() == ExitStatus::usage);
    return std::string(error.what());
  };
  CHECK(contains(refusal({"WM=48"}), "BM is not a multiple of WM"));
  CHECK(contains(refusal({"WN=48"}), "BN is not a multiple of WN"));
  CHECK(contains(refusal({"WM=4"}), "WM is not a multiple of TM"));
  CHECK(contains(refusal({"WN=4"}), "WN is not a multiple of TN"));
  CHECK(contains(refusal({"WM=64"}), "(WM / TM)·(WN / TN) must be 32"));
  CHECK(contains(refusal({"BN=256", "WM=8", "WN=256"}), "neither factor may be 1"));
  CHECK(contains(refusal({"BM=256", "WM=256", "WN=8"}), "neither factor may be 1"));
  // 2^32 threads, which are none in 32 bits.
  CHECK(contains(refusal({"BM=524288", "BN=524288"}), "more than an int counts"));
}

}  // namespace gemm_tutor
