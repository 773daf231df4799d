#include <new>

#include "catch.hpp"
#include "documents/device_report.hpp"
#include "documents/json.hpp"
#include "documents/list_report.hpp"
#include "sample_run.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Terminal terminal_of_80{false, true, 80};

std::vector<Lesson> two_lessons() { return {*cpu_sample().lesson, *emulated_sample().lesson}; }

// The first lesson is done, the second begun.
StoredProgress begun() {
  StoredProgress stored{StoredProgress::State::good};
  stored.progress.lesson = "shared-memory-tile";
  LessonProgress& first = stored.progress.lessons["cpu-loop"];
  first.done = true;
  first.predictions["loads"] = {"1", {1, 1, 1}, true};
  first.predictions["stores"] = {"1", {1, 1, 1}, true};
  first.predictions["order"] = {"1", {1, 1, 1}, false};
  first.predictions["not-counted"] = {"1", {1, 1, 1}, {}};
  return stored;
}

Machine machine_without_gpu() {
  Machine machine;
  machine.nvrtc = {.available = true,
                   .name = "NVRTC 13.0",
                   .path = "/usr/local/cuda/lib64/libnvrtc.so.13",
                   .has_assembler = true};
  machine.compiler = machine.nvrtc;
  machine.gpu.problem = "no NVIDIA driver is installed";
  machine.gpu.help = "Install the driver.";
  machine.cores = 2;
  machine.available_memory = std::int64_t{24} << 30;
  return machine;
}

Machine machine_with_gpu() {
  Machine machine = machine_without_gpu();
  machine.gpu = {};
  machine.gpu.available = machine.gpu.cublas_available = true;
  machine.gpu.driver = "580.159.04";
  machine.gpu.cublas_version = "13.0.2";
  machine.gpu.total_memory = std::size_t{141} << 30;
  GpuSpec& spec = machine.gpu.spec;
  spec.full_name = "NVIDIA H200";
  spec.compute_major = 9;
  spec.multiprocessors = 132;
  spec.fp32_lanes_per_multiprocessor = 128;
  spec.clock_ghz = 1.98;
  spec.memory_bandwidth = 4.8e12;
  return machine;
}

}  // namespace

TEST_CASE("list names every lesson and kernel") {
  const std::string text = terminal_text(list_document(two_lessons(), {}), terminal_of_80);
  CHECK(contains(text, "  0  cpu-loop            Three loops\n"));
  CHECK(contains(text, "cpu_loop · cpu_loop_reordered\n"));
  CHECK(contains(text, "  3  shared-memory-tile  A tile in shared memory\n"));
  CHECK(widest(text) <= 80);
}

TEST_CASE("list as JSON, before the first lesson and behind it") {
  CHECK(Json::parse(list_json(two_lessons(), {})) == Json::parse(R"({"lessons": [
    {"number": 0, "slug": "cpu-loop", "title": "Three loops",
     "kernels": ["cpu_loop", "cpu_loop_reordered"], "done": false},
    {"number": 3, "slug": "shared-memory-tile", "title": "A tile in shared memory",
     "kernels": ["shared_memory_tile"], "done": false}]})"));
  CHECK(Json::parse(list_json(two_lessons(), begun())) == Json::parse(R"({"lessons": [
    {"number": 0, "slug": "cpu-loop", "title": "Three loops",
     "kernels": ["cpu_loop", "cpu_loop_reordered"], "done": true,
     "score": {"right": 2, "answered": 3}},
    {"number": 3, "slug": "shared-memory-tile", "title": "A tile in shared memory",
     "kernels": ["shared_memory_tile"], "done": false, "current": true}]})"));
}

TEST_CASE("list shows what is done, where the learner is, and how the predictions were") {
  CHECK_FALSE(contains(terminal_text(list_document(two_lessons(), {}), terminal_of_80), "done"));

  const std::string text = terminal_text(list_document(two_lessons(), begun()), terminal_of_80);
  CHECK(contains(text, "✓   0  cpu-loop            Three loops  "));
  CHECK(contains(text, "  2/3 right\n"));
  CHECK(contains(text, "→   3  shared-memory-tile  A tile in shared memory\n"));
  CHECK(contains(text, "\n1 of 2 lessons done · 2 of 3 predictions right\n"));
  CHECK(contains(text, "Next     gemm-tutor learn · lesson 3, A tile in shared memory\n"));

  const std::string in_ascii =
      terminal_text(list_document(two_lessons(), begun()), {false, false, 80});
  CHECK(is_ascii(in_ascii));
  CHECK(contains(in_ascii, "ok  0  cpu-loop            Three loops  "));
  CHECK(contains(in_ascii, "->  3  shared-memory-tile  A tile in shared memory\n"));
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

TEST_CASE("list says what is the matter with a progress file") {
  StoredProgress stored;
  stored.path = "/state/progress.json";
  stored.state = StoredProgress::State::damaged;
  CHECK(contains(terminal_text(list_document(two_lessons(), stored), terminal_of_80),
                 "/state/progress.json is damaged: "));
  CHECK(contains(Json::parse(list_json(two_lessons(), stored))["note"], "is damaged: "));
  stored.state = StoredProgress::State::newer;
  CHECK(contains(terminal_text(list_document(two_lessons(), stored), terminal_of_80),
                 "was saved by a newer gemm-tutor: "));
  stored.state = StoredProgress::State::unreadable;
  CHECK(contains(terminal_text(list_document(two_lessons(), stored), terminal_of_80),
                 "/state/progress.json cannot be read.\n"));
  stored.state = StoredProgress::State::good;
  CHECK_FALSE(
      contains(terminal_text(list_document(two_lessons(), stored), terminal_of_80), "/state"));
}

TEST_CASE("device says what is missing and how to get it") {
  Machine machine = machine_without_gpu();
  CHECK(contains(terminal_text(device_document(machine), terminal_of_80),
                 "GPU: no NVIDIA driver is installed\n"
                 "         Install the driver.\n"));
  CHECK(contains(terminal_text(device_document(machine), terminal_of_80),
                 "Compiler NVRTC 13.0 · /usr/local/cuda/lib64/libnvrtc.so.13\n"));
  machine.compiler = machine.nvrtc = {.problem = "no libnvrtc", .help = "Install the toolkit."};
  CHECK(contains(terminal_text(device_document(machine), terminal_of_80),
                 "compiler: no libnvrtc\n         Install the toolkit.\n"));

  const Json json = Json::parse(device_json(machine));
  CHECK(json["gpu"] == Json::parse(R"({"available": false})"));
  CHECK(json["nvrtc"] == Json::parse(R"({"available": false})"));
  CHECK_FALSE(json.contains("cublas"));
  CHECK(json["missing"].size() == 2);
  CHECK(json["missing"][0]["what"] == "compiler");
  CHECK_FALSE(json.contains("compiler"));
}

TEST_CASE(
    "device says which compiler is in use, which other is there, and what is better with NVRTC") {
  Machine machine = machine_without_gpu();
  machine.clang = {.available = true, .name = "clang 14.0.6", .path = "/usr/bin/clang-14"};
  CHECK(contains(terminal_text(device_document(machine), terminal_of_80),
                 "(also here: clang 14.0.6 · /usr/bin/clang-14;"));
  CHECK(contains(terminal_text(device_document(machine), terminal_of_80),
                 "GEMM_TUTOR_COMPILER=clang"));
  CHECK(Json::parse(device_json(machine))["compiler"] == "NVRTC 13.0");

  machine.compiler = machine.clang;
  machine.nvrtc = {.problem = "no libnvrtc", .help = "Install the toolkit."};
  const std::string text = terminal_text(device_document(machine), terminal_of_80);
  CHECK(contains(text, "Compiler clang 14.0.6 · /usr/bin/clang-14\n"));
  CHECK(contains(text, "NVRTC: no libnvrtc\n"));
  CHECK(contains(text, "registers"));
  const Json json = Json::parse(device_json(machine));
  CHECK(json["compiler"] == "clang 14.0.6");
  CHECK(json["clang"]["version"] == "14.0.6");
  CHECK(json["missing"][0]["what"] == "NVRTC");
}

TEST_CASE("device says what the GPU can do, and that its peak is computed") {
  const Machine machine = machine_with_gpu();
  const std::string text = terminal_text(device_document(machine), terminal_of_80);
  CHECK(contains(text, "NVIDIA H200 · compute capability 9.0 · driver 580.159.04\n"));
  CHECK(contains(text, "132 SMs · FP32 66.9 TFLOP/s at peak\n"));
  CHECK(contains(text, "peaks are computed from the clocks"));
  CHECK_FALSE(contains(text, "Missing"));
  const Json json = Json::parse(device_json(machine));
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
    CHECK(widest(terminal_text(overview_document("1.2.3", two_lessons(), begun().progress),
                               terminal)) <= width);
  }
}

TEST_CASE("the overview names the version and the next step") {
  const std::string text =
      terminal_text(overview_document("1.2.3", two_lessons(), {}), terminal_of_80);
  CHECK(contains(text, "gemm-tutor 1.2.3\n"));
  CHECK(contains(text, "the 2 lessons\n"));
  CHECK(contains(text, "Next     gemm-tutor learn · the course, step by step\n"));
  CHECK(contains(
      terminal_text(overview_document("1.2.3", two_lessons(), begun().progress), terminal_of_80),
      "Next     gemm-tutor learn · lesson 3, A tile in shared memory\n"));
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
