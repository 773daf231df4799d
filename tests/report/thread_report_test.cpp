#include "report/thread_report.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "sample.hpp"
#include "trace/traces.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

Trace trace_of(const std::string& lesson, const std::string& kernel = "",
               const Problem& problem = {512, 512, 128}) {
  const Lesson& found = find_lesson(lesson);
  const Kernel& of_lesson = find_kernel(found, kernel);
  const bool is_row = of_lesson.shape(of_lesson.settings).stream_k.has_value();
  const simt::Dim3 block = is_row ? simt::Dim3{1, 0, 0} : simt::Dim3{1, 2, 0};
  return trace_kernel(found, of_lesson, of_lesson.settings, options_of(problem, block));
}

// Thread 18 of lesson 7.
const Trace& example() {
  static const Trace trace = trace_of("7");
  return trace;
}

}  // namespace

TEST_CASE("a thread's story fits its terminal, with and without UTF-8", "[long]") {
  const int width = GENERATE(60, 80, 100);
  for (const Lesson& lesson : sample_of(lessons(), 4)) {
    for (const Kernel& kernel : lesson.kernels) {
      if (!kernel.is_cuda()) continue;
      const ThreadStory story =
          thread_story(trace_of(lesson.slug, kernel.name, {300, 310, 80}), {18, 1, 2});
      const std::string text = terminal_text(thread_document(story), {false, true, width});
      INFO(text);
      CHECK(widest(text) <= width);
      const std::string ascii = terminal_text(thread_document(story), {false, false, width});
      INFO(ascii);
      CHECK(is_ascii(ascii));
      CHECK(widest(ascii) <= width);
    }
  }
}

TEST_CASE("a thread's story as JSON") {
  const auto json = nlohmann::json::parse(thread_json(thread_story(example(), {18})));
  CHECK(json["thread"] == nlohmann::json({2, 1, 0}));
  CHECK(json["warp"] == 0);
  CHECK(json["steps"] == 16);
  const auto& row0 = json["lines"][4]["worked"][0];
  CHECK(json["lines"][4]["line"] == 45);
  CHECK(row0["name"] == "row0");
  CHECK(row0["filled"] == "2·128");
  CHECK(row0["value"] == 256);
  const auto& access = json["accesses"][0];
  CHECK(access["space"] == "global");
  CHECK(access["access"] == "load");
  CHECK(access["step"] == 0);
  CHECK(access["elements"][0]["array"] == "A");
  CHECK(access["elements"][0]["first"] == nlohmann::json({265, 0}));
  CHECK(access["elements"][0]["last"] == nlohmann::json({265, 3}));
  CHECK(json["owns"][0]["last"] == nlohmann::json({271, 151}));
}

TEST_CASE("the pictures of who loads what fit their terminal, with and without UTF-8") {
  const int width = GENERATE(60, 80, 100);
  for (const char* lesson : {"1", "3", "6", "9"}) {
    const Trace trace = trace_of(lesson, "", {300, 310, 40});
    const WhoLoads who = who_loads(trace, 1);
    for (const std::optional<int> warp : {std::optional<int>(), std::optional(1)}) {
      CHECK(widest(terminal_text(who_loads_document(trace, {}, who, warp), {false, true, width})) <=
            width);
      const std::string ascii =
          terminal_text(who_loads_document(trace, {}, who, warp), {false, false, width});
      INFO(ascii);
      CHECK(is_ascii(ascii));
      CHECK(widest(ascii) <= width);
    }
  }
}

TEST_CASE("who loads what as JSON has every element's warp and thread") {
  const auto json = nlohmann::json::parse(who_loads_json(who_loads(example(), 1)));
  CHECK(json["A"]["rows"] == nlohmann::json({256, 384}));
  CHECK(json["A"]["columns"] == nlohmann::json({8, 16}));
  CHECK(json["A"]["warps"].size() == 128);
  CHECK(json["A"]["threads"][9] == nlohmann::json({18, 18, 18, 18, 19, 19, 19, 19}));
  CHECK(json["C"]["warps"][127][127] == 7);
}

TEST_CASE("frames are A and B of each step, and C once") {
  const Trace trace = trace_of("3", "", {96, 64, 128});
  const std::vector<WhoLoads> frames = who_loads(trace, 1, 2);
  const std::string text = terminal_text(frames_document(trace, {}, frames), {});
  INFO(text);
  CHECK(occurrences(text, "\nA        loaded in step ") == 2);
  CHECK(occurrences(text, "\nC        stored") == 1);
  CHECK_FALSE(contains(text, "shows the next"));

  const auto json = nlohmann::json::parse(frames_json(frames));
  const auto one = nlohmann::json::parse(who_loads_json(who_loads(trace, 2)));
  REQUIRE(json["frames"].size() == 2);
  CHECK(json["frames"][1]["step"] == 2);
  CHECK(json["frames"][1]["A"] == one["A"]);
  CHECK(json["frames"][1]["B"] == one["B"]);
  CHECK(json["C"] == one["C"]);
  CHECK(json["steps"] == 4);
}

TEST_CASE("of many steps so many frames are shown, and which come next", "[long]") {
  const Trace trace = trace_of("1", "", {96, 96, 40});
  const auto text = [&](std::int64_t first) {
    return terminal_text(frames_document(trace, {}, who_loads(trace, first, 1000)), {});
  };
  CHECK(contains(text(0), "steps 0 to 15 of 40 along K"));
  CHECK(contains(text(0), "16 steps at once at most: --step 16..31 shows the next."));
  CHECK(contains(text(16), "--step 32..39 shows the next."));
  CHECK(contains(text(32), "steps 32 to 39 of 40"));
  CHECK_FALSE(contains(text(32), "shows the next"));
  CHECK(contains(text(39), ", step 39 of 40 along K"));
}
