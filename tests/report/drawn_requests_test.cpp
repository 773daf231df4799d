// What is drawn below the lines of the lessons' sources is what was counted of them.
#include <algorithm>
#include <map>

#include "catch.hpp"
#include "course/lesson_run.hpp"
#include "report/lesson_document.hpp"
#include "report/memory_drawing.hpp"
#include "sample.hpp"
#include "support/text.hpp"
#include "trace/selection.hpp"
#include "trace/traces.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::MemorySpace;

// Of all requests of a line.
struct Costs {
  std::uint32_t least = ~0u, most = 0;
};

std::map<std::pair<int, MemorySpace>, Costs> costs_of(const std::vector<Access>& accesses) {
  std::map<std::pair<int, MemorySpace>, Costs> result;
  for (const Access& access : accesses) {
    if (access.cost == 0) continue;
    Costs& costs = result[{access.line, access.space}];
    costs.least = std::min(costs.least, access.cost);
    costs.most = std::max(costs.most, access.cost);
  }
  return result;
}

// "4 sectors", "1 wavefront".
std::string cost_text(MemorySpace space, std::uint32_t cost) {
  const std::string unit = space == MemorySpace::global ? " sector" : " wavefront";
  return std::to_string(cost) + unit + (cost == 1 ? "" : "s");
}

std::string row_of(const SelectedLine& line, MemorySpace space) {
  const char* unit = space == MemorySpace::global ? "sector" : "wavefront";
  const std::string text = terminal_text({.parts = {memory_drawing(line)}}, {false, true, 1000});
  for (const std::string& row : split_lines(text)) {
    if (contains(row, unit)) return row;
  }
  return "";
}

// Sectors that are drawn; or the words of all banks.
std::size_t cells_of(const std::string& row, MemorySpace space) {
  const std::string cells = row.substr(0, row.rfind("  "));
  if (space == MemorySpace::global) return occurrences(cells, "█") + occurrences(cells, "▒");
  std::size_t words = 0;
  for (const char c : cells) words += c >= '1' && c <= '9' ? static_cast<std::size_t>(c - '0') : 0;
  return words;
}

std::size_t words_of(const SharedPicture& picture) {
  std::size_t words = 0;
  for (const GroupPicture& group : picture.groups) {
    for (const PassPicture& pass : group.passes) words += pass.words.size();
  }
  return words;
}

void check_line(const SelectedLine& line, MemorySpace space, const Costs& costs) {
  const CostliestRequest request = costliest_request(line, space);
  REQUIRE(request.picture != nullptr);
  const std::string row = row_of(line, space);
  INFO("line " << line.line << ": " << row);
  const std::uint32_t cost = request.picture->access.cost;
  CHECK(contains(row, cost_text(space, cost)));
  CHECK(cost >= costs.least);
  CHECK(cost <= costs.most);
  const GlobalPicture* global = request.picture->global();
  const std::size_t cells = global ? cost : words_of(*request.picture->shared());
  if (!contains(row, "*")) CHECK(cells_of(row, space) == cells);
}

RunOptions traced(const Problem& problem) {
  RunOptions options = emulated(problem);
  options.trace = TraceRequest{.warp = 0};
  return options;
}

void check(const Lesson& lesson, const Kernel& kernel, const Problem& problem) {
  INFO(kernel.name << " at " << problem.m << "x" << problem.n << "x" << problem.k);
  const RunOptions options = traced(problem);
  const LessonRun run = run_kernel(lesson, kernel, kernel.settings, options);
  const std::vector<SelectedLine> lines = first_requests(run);
  const auto costs =
      costs_of(trace_kernel(lesson, kernel, kernel.settings, options).result.accesses);
  CHECK(costs.size() > 1);
  for (const auto& [key, of_line] : costs) {
    const auto line = std::ranges::find(lines, key.first, &SelectedLine::line);
    REQUIRE(line != lines.end());
    check_line(*line, key.second, of_line);
  }
  for (const int width : {60, 80, 100}) {
    for (const bool unicode : {true, false}) {
      const std::string text = terminal_text(lesson_document({run}), {false, unicode, width});
      CHECK(widest(text) <= width);
      CHECK(is_ascii(text) != unicode);
      CHECK(contains(text, unicode ? "     │ ╰ " : "     | ^ "));
    }
  }
}

}  // namespace

TEST_CASE("below each line of every lesson stands what warp 0 was counted to ask at first",
          "[long]") {
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    for (const Kernel& kernel : lesson.kernels) {
      if (!kernel.is_cuda()) continue;
      check(lesson, kernel, {128, 128, 16});
      check(lesson, kernel, {37, 45, 9});
    }
  }
}

TEST_CASE("lines whose requests all cost the same have the drawn number beside them") {
  const Lesson& lesson = find_lesson("3");
  const RunOptions options = traced({64, 64, 64});
  const LessonRun run = run_kernel(lesson, lesson.kernels[0], lesson.kernels[0].settings, options);
  const std::string text = terminal_text(lesson_document({run}), {false, true, 100});
  INFO(text);
  CHECK(contains(text,
                 "4.0 sec/req   1.0 wf/req\n"
                 "     │ ╰ ████  4 sectors · 128 of 128 bytes used\n"
                 "     │ ╰ 11111111 11111111 11111111 11111111  1 wavefront\n"));
  CHECK(contains(text, "Explained before: sec/req in lesson 1."));
  CHECK(contains(text, "wf/req: wavefronts, passes of shared memory, per request to it; drawn"));
  CHECK_FALSE(contains(text, "Below a line: "));  // nor is this, in lesson 3
}

TEST_CASE("nothing is drawn of a run that was not emulated, nor of one that cannot be traced") {
  const Lesson& cpu = find_lesson("0");
  const RunOptions options = traced({8, 8, 8});
  const LessonRun loop = run_kernel(cpu, cpu.kernels[0], {}, options);
  CHECK(first_requests(loop).empty());
  CHECK_FALSE(contains(terminal_text(lesson_document({loop}), {}), "Below a line"));

  const Lesson& lesson = find_lesson("2");
  LessonRun run = run_kernel(lesson, lesson.kernels[0], lesson.kernels[0].settings, options);
  CHECK_FALSE(first_requests(run).empty());
  run.emulation->stopped = true;
  CHECK(first_requests(run).empty());

  RunOptions impossible = options;
  impossible.max_instructions = 1;
  const Settings& settings = lesson.kernels[0].settings;
  CHECK(first_requests(run_kernel(lesson, lesson.kernels[0], settings, impossible)).empty());
  const RunOptions untraced = emulated({8, 8, 8});
  CHECK(first_requests(run_kernel(lesson, lesson.kernels[0], settings, untraced)).empty());
}

TEST_CASE("a block is not traced once the learner has stopped") {
  const Lesson& lesson = find_lesson("2");
  const Kernel& kernel = lesson.kernels.front();
  RunOptions options = traced({64, 64, 64});
  Activity activity;
  activity.stop();
  options.activity = &activity;
  CHECK_THROWS_AS(trace_kernel(lesson, kernel, kernel.settings, options), Interrupted);
}

}  // namespace gemm_tutor
