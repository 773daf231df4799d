#include <new>

#include "catch.hpp"
#include "report/device_report.hpp"
#include "report/json.hpp"
#include "report/list_report.hpp"
#include "sample_machine.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Terminal terminal_of_80{false, true, 80};

}  // namespace

TEST_CASE("list as JSON, before the first lesson and behind it") {
  CHECK(Json::parse(list_json(two_lessons(), {})) == Json::parse(R"({"lessons": [
    {"number": 0, "slug": "cpu-loop", "title": "Three loops",
     "kernels": ["cpu_loop", "cpu_loop_reordered"], "done": false, "state": "open"},
    {"number": 3, "slug": "shared-memory-tile", "title": "A tile in shared memory",
     "kernels": ["shared_memory_tile"], "done": false, "state": "open"}]})"));
  CHECK(Json::parse(list_json(two_lessons(), begun())) == Json::parse(R"({"lessons": [
    {"number": 0, "slug": "cpu-loop", "title": "Three loops",
     "kernels": ["cpu_loop", "cpu_loop_reordered"], "done": true, "state": "solved",
     "score": {"right": 2, "right_later": 0, "answered": 3}},
    {"number": 3, "slug": "shared-memory-tile", "title": "A tile in shared memory",
     "kernels": ["shared_memory_tile"], "done": false, "state": "open",
     "current": true}]})"));
}

TEST_CASE("the next step is where the learner is, or what is not done yet") {
  StoredProgress stored = begun();
  Progress& progress = stored.progress;
  const auto next = [&] { return paint(next_step(two_lessons(), progress), terminal_of_80); };
  SECTION("in a lesson that is done") {
    progress.lesson = "cpu-loop";
    CHECK(next() == "gemm-tutor learn 3 · lesson 3, A tile in shared memory");
  }
  SECTION("at the end, with a lesson left out") {
    progress.lessons["shared-memory-tile"].done = true;
    progress.lessons["cpu-loop"].done = false;
    CHECK(next() == "gemm-tutor learn 0 · lesson 0, Three loops");
  }
  SECTION("in a lesson that is no longer there") {
    progress.lesson = "gone";
    progress.lessons.clear();
    progress.lessons["gone"].done = true;
    CHECK(next() == "gemm-tutor learn · lesson 0, Three loops");
    CHECK(summary_of(two_lessons(), progress) == "0 of 2 lessons done");
  }
  SECTION("when all is done") {
    progress.lessons["shared-memory-tile"].done = true;
    CHECK(next().starts_with("gemm-tutor compare · "));
    CHECK_FALSE(contains(terminal_text(list_document(two_lessons(), stored), terminal_of_80), "→"));
  }
}

TEST_CASE("device as JSON says what is missing") {
  Machine machine = machine_without_gpu();
  machine.compiler = machine.nvrtc = {.problem = "no libnvrtc", .help = "Install the toolkit."};
  const Json json = Json::parse(device_json(machine));
  CHECK(json["gpu"] == Json::parse(R"({"available": false})"));
  CHECK(json["nvrtc"] == Json::parse(R"({"available": false})"));
  CHECK_FALSE(json.contains("cublas"));
  CHECK(json["missing"].size() == 2);
  CHECK(json["missing"][0]["what"] == "compiler");
  CHECK_FALSE(json.contains("compiler"));
}

TEST_CASE("device as JSON says which compiler is in use") {
  Machine machine = machine_without_gpu();
  machine.clang = {.available = true, .name = "clang 14.0.6", .path = "/usr/bin/clang-14"};
  CHECK(Json::parse(device_json(machine))["compiler"] == "NVRTC 13.0");

  machine.compiler = machine.clang;
  machine.nvrtc = {.problem = "no libnvrtc", .help = "Install the toolkit."};
  const Json json = Json::parse(device_json(machine));
  CHECK(json["compiler"] == "clang 14.0.6");
  CHECK(json["clang"]["version"] == "14.0.6");
  CHECK(json["missing"][0]["what"] == "NVRTC");
}

TEST_CASE("device as JSON has the GPU and cuBLAS") {
  const Json json = Json::parse(device_json(machine_with_gpu()));
  CHECK(json["gpu"]["name"] == "NVIDIA H200");
  CHECK(json["gpu"]["sms"] == 132);
  CHECK(json["cublas"]["version"] == "13.0.2");
  CHECK(json["missing"].empty());
}

TEST_CASE("no report is wider than the terminal") {
  for (const int width : {60, 80}) {
    const Terminal terminal{false, false, width};
    CHECK(widest(terminal_text(list_document(two_lessons(), begun()), terminal)) <= width);
    CHECK(widest(terminal_text(device_document(machine_with_gpu()), terminal)) <= width);
    CHECK(widest(terminal_text(device_document(machine_without_gpu()), terminal)) <= width);
    CHECK(widest(terminal_text(overview_document("1.2.3", two_lessons(), begun()), terminal)) <=
          width);
  }
}

TEST_CASE("an error is a line and a line of help, whatever the command line held") {
  const DescribedError usage =
      describe(Error(ExitStatus::usage, "bad\nvalue \033[1m", "Do\tthis."), terminal_of_80);
  CHECK(usage.status == ExitStatus::usage);
  CHECK(usage.text == "error: bad\ufffdvalue \ufffd[1m\nhelp: Do  this.\n");

  const DescribedError compile = describe(
      Error(ExitStatus::compile_error, "a.cu:1: no\n  int x\a\n", "Mend it."), terminal_of_80);
  CHECK(compile.status == ExitStatus::compile_error);
  CHECK(compile.text == "error: a.cu:1: no\n  int x\ufffd\nhelp: Mend it.\n");

  CHECK(describe(std::bad_alloc(), terminal_of_80).status == ExitStatus::unavailable);
  const DescribedError other = describe(std::runtime_error("odd"), terminal_of_80);
  CHECK(other.status == ExitStatus::unavailable);
  CHECK(contains(other.text, "error: internal error: odd\nhelp: "));
}
