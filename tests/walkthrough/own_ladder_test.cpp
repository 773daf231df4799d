// The ladder of the learner's own runs.
#include "walkthrough/own_ladder.hpp"

#include "catch.hpp"
#include "support/text.hpp"
#include "view/document.hpp"
#include "view/terminal_text.hpp"

using namespace gemm_tutor;

namespace {

RunRecord run_at(const Problem& problem, double tflops, const char* time) {
  return {.problem = problem,
          .device = "NVIDIA H200",
          .flops_a_byte = 4,
          .tflops = tflops,
          .time = time};
}

std::string ladder_text(const Progress& progress) {
  Document document;
  document.parts = own_ladder(progress);
  return terminal_text(document, {false, true, 80});
}

// The number of a row's full blocks; -1 if there is no such row.
int bar_of(const std::string& text, const std::string& lesson) {
  for (const std::string& line : split_lines(text)) {
    if (line.find(lesson) == line.npos) continue;
    int blocks = 0;
    for (std::size_t at = 0; (at = line.find("█", at)) != line.npos; ++at) ++blocks;
    return blocks;
  }
  return -1;
}

bool shows(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("bars compare runs of one size, and a run at another size has none") {
  Progress progress;
  progress.lessons["naive-coalesced"].run = run_at({1024, 1024, 1024}, 6, "recorded");
  progress.lessons["shared-memory-tile"].run = run_at({1024, 1024, 1024}, 12, "recorded");
  progress.lessons["thread-tile"].run = run_at({64, 32, 16}, 60, "recorded");
  const std::string text = ladder_text(progress);
  INFO(text);
  CHECK(bar_of(text, "naive-coalesced") > 0);
  CHECK(bar_of(text, "shared-memory-tile") == 2 * bar_of(text, "naive-coalesced"));
  CHECK(bar_of(text, "thread-tile") == 0);
  CHECK(shows(text, "64×32×16"));
  CHECK(shows(text, "at 1,024; runs at another size have no bar"));
  progress.lessons["thread-tile"].run = run_at({1024, 1024, 1024}, 24, "recorded");
  CHECK_FALSE(shows(ladder_text(progress), "another size"));
}

TEST_CASE("a slow run has a rate with its unit, and says where its time is from") {
  Progress progress;
  progress.lessons["cpu-loop"].run = run_at({64, 64, 64}, 0.000394, "measured");
  const std::string text = ladder_text(progress);
  INFO(text);
  CHECK(shows(text, "394 MFLOP/s measured"));
  for (const std::string& line : split_lines(text)) CHECK(columns(line) <= 80);
}
