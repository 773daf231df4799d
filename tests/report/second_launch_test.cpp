// What reports and pages say of a kernel with a second launch.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "course/stream_k_kernel.hpp"
#include "report/lesson_document.hpp"
#include "report/lesson_json.hpp"
#include "trace/traces.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

LessonRun shared_run(const Lesson& lesson, int blocks, const RunOptions& options) {
  const Kernel& kernel = lesson.kernels.front();
  return run_kernel(lesson, kernel, settings_with(kernel, blocks), options);
}

}  // namespace

TEST_CASE("a report shows both launches, and what each needs") {
  const Lesson lesson = stream_k_lesson();
  const LessonRun run = shared_run(lesson, 7, emulated({16, 48, 64}));
  const std::string text = terminal_text({.parts = {launch_section(run)}}, plain);
  INFO(text);
  CHECK(contains(text, "share_tiles<16, 16, 4, 2, 7><<<7, 64>>>(A, B, C, M, N, K, partial)\n"));
  CHECK(contains(text, "add_partial_tiles<16, 16, 4, 2, 7>\n"));
  CHECK(contains(text, "<<<dim3(1, 3), 256>>>(A, B, C, M, N, K, partial)\n"));
  CHECK(contains(text, "grid 1×3 · block 256 threads"));

  const auto json = nlohmann::json::parse(lesson_json(run));
  CHECK(json["launch"]["grid"] == nlohmann::json({7, 1, 1}));
  CHECK(json["second_launch"]["grid"] == nlohmann::json({1, 3, 1}));
  for (const auto& [key, value] : json["launch"].items()) {
    INFO(key);
    CHECK(json["second_launch"].contains(key));
  }
  const LessonRun alone = shared_run(lesson, 3, emulated({16, 48, 64}));
  CHECK_FALSE(nlohmann::json::parse(lesson_json(alone)).contains("second_launch"));
}

TEST_CASE("a sample says of which launch it is") {
  const Lesson lesson = stream_k_lesson();
  RunOptions options = emulated({96, 96, 640});
  options.blocks = 4;
  const LessonRun run = shared_run(lesson, 50, options);
  CHECK(contains(terminal_text(lesson_document({run}), plain),
                 "of 50 blocks of the first launch emulated"));
}

TEST_CASE("what to type next leaves out settings that the kernel would choose itself") {
  Lesson lesson = stream_k_lesson();
  Kernel& kernel = lesson.kernels.front();
  const Kernel usual = kernel;
  kernel.choose = [usual](const simt::GpuSpec&, const Problem& problem) {
    return settings_with(usual, problem.m == 16 ? 7 : 3);
  };
  CHECK_FALSE(contains(
      terminal_text(lesson_document({shared_run(lesson, 7, emulated({16, 48, 64}))}), plain),
      "--set"));
  CHECK(contains(
      terminal_text(lesson_document({shared_run(lesson, 3, emulated({16, 48, 64}))}), plain),
      "--set BLOCKS=3"));
}
