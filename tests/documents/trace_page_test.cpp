#include "documents/trace_page.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "course/stream_k_kernel.hpp"
#include "documents/sample_findings.hpp"
#include "documents/thread_report.hpp"
#include "documents/trace_page_data.hpp"
#include "documents/trace_report.hpp"
#include "sample.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"
#include "trace/sample_trace.hpp"
#include "trace/traces.hpp"
#include "view/html_checks.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

void write(const TemporaryDirectory& directory, const std::string& name, const std::string& text) {
  REQUIRE(write_file_atomically(directory.path() / name, text));
}

std::string json_of(const Trace& trace, const Selection& selection) {
  const std::vector<SelectedLine> lines = select(trace, selection);
  return trace_json({trace, selection, lines}, traced(trace));
}

std::string page_of(const Trace& trace) { return trace_html(traced(trace), {}); }

// Of a lesson's kernel.
std::string page_of(const Trace& trace, const std::string& lesson, const std::string& kernel,
                    const TraceView& view = {}) {
  const Lesson& found = find_lesson(lesson);
  return trace_html(traced(trace, {found, find_kernel(found, kernel)}), view);
}

}  // namespace

TEST_CASE("the page of each lesson's kernels is small, balanced, and needs nothing else",
          "[long]") {
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 9)) {
    INFO(kernel->name);
    const std::string html = page_of(lesson_trace(*lesson, *kernel, {1024, 1024, 1024}, {0, 0, 0}),
                                     lesson->slug, kernel->name);
    CHECK(html.size() < 3'000'000);
    check_needs_no_other(html);
  }
}

TEST_CASE("a trace's page shows the selection without a script") {
  const Trace trace = lesson_trace("8", "conflict_free_reads", {256, 256, 64}, {0, 0, 0});
  const std::string html =
      page_of(trace, "8", "conflict_free_reads", {{.warp = 1, .line = 63, .step = 2}, 33, 1});
  CHECK(contains(html, "data-line=\"63\" class=\"costly\" aria-current=\"true\""));
  CHECK(occurrences(html, "aria-current=\"true\"") == 1);
  CHECK(contains(html, "Line 63 · shared store from a_tile[0][16] on · 4 bytes per lane"));
  CHECK(contains(html, "2 wavefronts, 1 by bank conflicts"));
  CHECK(contains(html, "Thread 33's own story"));
  CHECK(contains(html, "threadIdx (1, 2) of block (0, 0): lane 1 of warp 1."));
  CHECK(contains(html, "step 1 of 8 along K"));
  CHECK(contains(html, "a_tile[4 + 0][16] = a_tile[4][16]"));
}

TEST_CASE("a trace's page escapes what the file says, and its data end where they should") {
  Trace trace = sample_trace();
  trace.name = "kernel<'&'>";
  trace.kernel.file_name = "a<b>.cu";
  trace.kernel.source = "__global__ void kernel() {\n  first; // </script><img>\n}\n";
  trace.result.shared_arrays[0].name = "</script><img>";
  trace.result.accesses = {
      access_of({simt::MemorySpace::shared}, [](int lane) { return 4 * lane; })};
  const std::string html = page_of(trace);
  CHECK_FALSE(contains(html, "<img>"));
  CHECK_FALSE(contains(html, "<b>.cu"));
  CHECK(contains(html, "a&lt;b&gt;.cu"));
  CHECK(contains(html, "\\u003c/script>\\u003cimg>"));
  CHECK(contains(html, "kernel&lt;&#39;&amp;&#39;&gt;"));
}

TEST_CASE("the page of a kernel that accesses nothing, or fails, says so") {
  Trace trace = sample_trace();
  CHECK(contains(page_of(trace), "The block accessed no memory."));
  trace.findings = {sample_outside(2, "<far>", 3)};
  trace.result.stopped = true;
  trace.result.all_accesses = false;
  const std::string html = page_of(trace);
  CHECK(contains(html,
                 "<strong>bounds</strong>, line 2: thread (0, 0, 0) of block (0, 0, 0) reads "
                 "&lt;far&gt;[4], outside &lt;far&gt;, which has 4 floats (and 2 more)"));
  CHECK(contains(html, "The emulator stopped there"));
  CHECK(contains(html, "There were more accesses than are kept"));
}

TEST_CASE("a browser shows what the trace says, by mouse and by keys, wide and narrow", "[long]") {
  if (std::system("command -v chromium >/dev/null") != 0) SKIP_BECAUSE("there is no chromium");
  if (std::system("command -v python3 >/dev/null") != 0) SKIP_BECAUSE("there is no python3");
  const TemporaryDirectory directory;
  const Trace trace = lesson_trace("8", "conflict_free_reads", {256, 256, 64}, {0, 0, 0});
  write(directory, "page.html", page_of(trace, "8", "conflict_free_reads"));
  for (const int line : {63, 64, 70}) {
    for (const int warp : {1, 2}) {
      for (const std::uint64_t step : {0, 1, 2, 3, 4, 5}) {
        write(directory, fmt::format("{}-{}-{}.json", line, warp, step),
              json_of(trace, {warp, line, step}));
      }
    }
  }
  for (const int step : {0, 1}) {
    write(directory, fmt::format("tiles-{}.json", step), who_loads_json(who_loads(trace, step)));
  }
  const Trace other = lesson_trace("3", "shared_memory_tile", {64, 64, 64}, {0, 0, 0});
  write(directory, "other.html", page_of(other, "3", "shared_memory_tile"));
  write(directory, "other-tiles-0.json", who_loads_json(who_loads(other, 0)));
  write(directory, "idle.html", page_of(sample_trace()));
  const std::string command =
      fmt::format("python3 -B '{}/tests/documents/trace_page_browser_test.py' '{}'",
                  PROJECT_SOURCE_DIR, directory.path().string());
  CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("the page of a block that shares tiles says which tile is shown, and what is not drawn") {
  const Lesson lesson = stream_k_lesson();
  const Kernel& kernel = lesson.kernels.front();
  const Trace trace =
      trace_kernel(lesson, kernel, settings_with(kernel, 7), options_of({16, 48, 64}, {2, 0, 0}));
  const std::string html = trace_html(traced(trace, {lesson, kernel}), {});
  check_needs_no_other(html);
  CHECK(contains(html, "2 tiles: of K it takes 52 to 63, and its sums go to partial."));
  CHECK(contains(html, "Not drawn: the second launch"));
}
