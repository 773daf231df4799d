#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <tuple>

#include "catch.hpp"
#include "course/stream_k_kernel.hpp"
#include "emulator/same_counters.hpp"
#include "report/picture_svg.hpp"
#include "report/sample_findings.hpp"
#include "report/thread_report.hpp"
#include "report/trace_page.hpp"
#include "report/trace_report.hpp"
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
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 14)) {
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

TEST_CASE("a browser shows what the trace says, by mouse and by keys, wide and narrow",
          "[long][nightly]") {
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
      fmt::format("python3 -B '{}/tests/report/trace_page_browser_test.py' '{}'",
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

using simt::Access;

namespace {

using RequestPlace = std::tuple<int, std::uint32_t, simt::MemorySpace, int, std::uint64_t>;

RequestPlace place_of(const Access& a) { return {a.line, a.instruction, a.space, a.warp, a.step}; }

// An access as it is restored from the page, and what is said of it there.
struct Restored {
  Access access;
  const PageRequest* request = nullptr;
};

// As the page's script does it.
std::map<RequestPlace, Restored> restored(const TracePageData& data) {
  std::map<RequestPlace, Restored> result;
  for (const PageInstruction& instruction : data.instructions) {
    for (const PageWarp& warp : instruction.warps) {
      for (const PageRun& run : data.ways.at(warp.way)) {
        for (std::int64_t i = 0; i < run.count; ++i) {
          const PageRequest& request = data.requests.at(static_cast<std::size_t>(run.kind));
          Access access = request.access;
          access.line = instruction.line;
          access.instruction = instruction.instruction;
          access.warp = warp.warp;
          access.step = static_cast<std::uint64_t>(run.first + i);
          const std::int64_t base = warp.base + run.value + i * run.distance;
          for (const int lane : lanes_of(access.active)) {
            access.offsets[static_cast<std::size_t>(lane)] += static_cast<std::uint64_t>(base);
          }
          CHECK(access.space == instruction.space);
          const bool is_new =
              result.try_emplace(place_of(access), Restored{access, &request}).second;
          CHECK(is_new);
        }
      }
    }
  }
  return result;
}

void check_same(const Access& a, const Access& b) {
  CHECK(a.store == b.store);
  CHECK(a.bytes == b.bytes);
  CHECK(a.active == b.active);
  CHECK(a.buffer == b.buffer);
  CHECK(a.offsets == b.offsets);
  CHECK(a.cost == b.cost);
  CHECK(a.conflicts == b.conflicts);
  CHECK(a.asynchronous == b.asynchronous);
}

void check_words(const AccessWords& page, const AccessWords& words) {
  CHECK(page.kind == words.kind);
  CHECK(words.from.ends_with(" · " + page.from));
  CHECK(page.cost == words.cost);
  CHECK(page.outside == words.outside);
  CHECK(page.why == words.why);
  CHECK(page.remedy == words.remedy);
}

// That the page has exactly what was recorded, and says of it what is said of it alone.
void check_page(const Trace& trace) {
  const TracePageData data = trace_page_data(trace);
  CHECK_FALSE(data.left_out);
  const std::map<RequestPlace, Restored> page = restored(data);
  CHECK(page.size() == trace.result.accesses.size());
  Paddings paddings(trace);
  for (const Access& access : trace.result.accesses) {
    INFO("line " << access.line << ", warp " << access.warp << ", step " << access.step);
    const auto found = page.find(place_of(access));
    REQUIRE(found != page.end());
    check_same(found->second.access, access);
    const AccessPicture picture = draw(trace, access, paddings);
    const PageRequest& request = *found->second.request;
    check_words(request.words, words_of({picture}));
    CHECK(request.costly == picture.is_costly());
    CHECK(request.outside == picture.outside);
    CHECK(data.drawings.at(request.drawing) == svg_element(request_diagram(picture, false)));
  }
}

void check_tiles(const Trace& trace) {
  const TracePageData data = trace_page_data(trace);
  const auto steps = static_cast<std::size_t>(who_loads(trace, 0).steps);
  REQUIRE(data.a_tiles.size() == steps);
  REQUIRE(data.b_tiles.size() == steps);
  for (std::size_t step = 0; step < steps; ++step) {
    const WhoLoads who = who_loads(trace, static_cast<std::int64_t>(step));
    CHECK((data.tiles.at(data.a_tiles[step]).owners.owners == who.a.owners));
    CHECK((data.tiles.at(data.b_tiles[step]).owners.owners == who.b.owners));
    CHECK((data.tiles.at(data.c_tile).owners.owners == who.c.owners));
    CHECK(who.a.region.column_begin == static_cast<std::int64_t>(step) * data.step_depth);
    CHECK(who.b.region.row_begin == static_cast<std::int64_t>(step) * data.step_depth);
  }
}

}  // namespace

TEST_CASE("each access of each lesson's kernels is restored from its page", "[long]") {
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 14)) {
    INFO(kernel->name);
    for (const Problem& problem : {Problem{37, 45, 19}, Problem{128, 128, 32}}) {
      check_page(lesson_trace(*lesson, *kernel, problem, {0, 0, 0}));
    }
  }
}

TEST_CASE("each step's tiles of each lesson's kernels are restored from its page", "[long]") {
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 14)) {
    INFO(kernel->name);
    check_tiles(lesson_trace(*lesson, *kernel, {37, 45, 19}, {0, 0, 0}));
    check_tiles(lesson_trace(*lesson, *kernel, {128, 128, 32}, {0, 0, 0}));
  }
}

TEST_CASE("what repeats stands once in a page's data") {
  const Trace trace = lesson_trace("3", "shared_memory_tile", {1024, 1024, 1024}, {0, 0, 0});
  const TracePageData data = trace_page_data(trace);
  const auto first_request = [&](const PageInstruction& instruction) {
    return static_cast<std::size_t>(data.ways[instruction.warps[0].way][0].kind);
  };
  // One after the other, a tile further each.
  const auto is_load_of_a = [&](const PageInstruction& instruction) {
    return instruction.space == simt::MemorySpace::global &&
           data.requests[first_request(instruction)].access.buffer == 0;
  };
  const auto load = std::ranges::find_if(data.instructions, is_load_of_a);
  REQUIRE(load != data.instructions.end());
  REQUIRE(load->warps.size() == 32);
  CHECK(data.ways[load->warps[0].way].size() == 1);
  CHECK(data.ways[load->warps[0].way][0].count == 32);
  CHECK(data.ways[load->warps[0].way][0].distance == 128);
  for (const PageWarp& warp : load->warps) CHECK(warp.way == load->warps[0].way);
  CHECK(load->warps[5].base == 5 * 1024 * 4);
  // A row of floats in global and in shared memory, and four floats for all lanes: eight in a row.
  CHECK(data.drawings.size() == 2 + 8);
}

TEST_CASE("of too many requests a page has the first steps and the last") {
  const Trace trace = lesson_trace("2", "naive_coalesced", {64, 64, 1000}, {0, 0, 0});
  const TracePageData data = trace_page_data(trace, 30000);
  REQUIRE(data.left_out);
  CHECK(*data.left_out > 0);
  const std::map<RequestPlace, Restored> page = restored(data);
  const auto of_instruction = [](const Access& access) {
    Access first = access;
    first.step = 0;
    return place_of(first);
  };
  std::map<RequestPlace, std::uint64_t> last;
  for (const Access& access : trace.result.accesses) last[of_instruction(access)] = access.step;
  CHECK(page.size() < trace.result.accesses.size());
  for (const Access& access : trace.result.accesses) {
    const bool is_last = access.step == last[of_instruction(access)];
    CHECK(page.contains(place_of(access)) == (access.step < *data.left_out || is_last));
  }
}

TEST_CASE("a line of a page has what the block was counted to ask of each operand") {
  const Trace trace = lesson_trace("5", "thread_tile", {32, 32, 64}, {0, 0, 0});
  const Lesson& lesson = find_lesson("5");
  RunOptions options;
  options.problem = {32, 32, 64};
  options.backend = Backend::emulator;
  const LessonRun run = run_kernel(lesson, lesson.kernels[0], lesson.kernels[0].settings, options);
  REQUIRE(run.emulation->blocks_total == 1);
  const TracePageData data = trace_page_data(trace);
  REQUIRE_FALSE(data.lines.empty());
  for (const PageLine& line : data.lines) {
    INFO("line " << line.line);
    const auto counted =
        std::ranges::find(run.emulation->lines, line.line, &simt::LineCounters::line);
    REQUIRE(counted != run.emulation->lines.end());
    CHECK(line.operands == counted->operands);
  }
}

TEST_CASE("a line of a page costs what its requests cost together") {
  const Trace trace = lesson_trace("8", "conflict_free_reads", {128, 128, 32}, {0, 0, 0});
  const TracePageData data = trace_page_data(trace);
  Paddings paddings(trace);
  for (const PageLine& line : data.lines) {
    simt::Counters sums;
    bool costly = false;
    for (const Access& access : trace.result.accesses) {
      if (access.line != line.line) continue;
      const bool is_shared = access.space == simt::MemorySpace::shared;
      (is_shared ? sums.shared_load_wavefronts : sums.global_load_sectors) += access.cost;
      ++(is_shared ? sums.shared_load_requests : sums.global_load_requests);
      costly |= draw(trace, access, paddings).is_costly();
    }
    CHECK(line.costly == costly);
    for (const simt::OperandCounters& operand : line.operands) {
      const bool is_shared = operand.space == simt::MemorySpace::shared;
      (is_shared ? sums.shared_load_wavefronts : sums.global_load_sectors) -= operand.cost;
      (is_shared ? sums.shared_load_requests : sums.global_load_requests) -= operand.requests;
    }
    CHECK(sums == simt::Counters{});
  }
  CHECK(std::ranges::any_of(data.lines, &PageLine::costly));
  CHECK_FALSE(std::ranges::all_of(data.lines, &PageLine::costly));
}
