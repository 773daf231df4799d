#include <nlohmann/json.hpp>

#include <set>
#include <utility>

#include "course/recorded.hpp"
#include "course_checks.hpp"
#include "sample.hpp"

namespace gemm_tutor {
namespace {

// As scripts/record-results writes it.
constexpr const char* recorded_result = R"({
  "device": "NVIDIA H200", "driver": "580.159.04", "date": "2026-11-21", "clocks": "1980 MHz",
  "runs": [
    {"kernel": "naive_coalesced", "m": 64, "n": 32, "k": 16, "median_ms": 0.5},
    {"kernel": "shared_memory_tile", "m": 64, "n": 64, "k": 64, "settings": {"BM": 32},
     "runs": 50, "median_ms": 1.5, "spread_percent": 0.5, "cublas_median_ms": 0.3}
  ],
  "passes": [
    {"kernel": "naive_coalesced", "m": 64, "n": 64, "k": 64, "median_ms": [2.0, 2.0, 2.0],
     "cublas_median_ms": [1.0, 1.0, 1.0]},
    {"kernel": "shared_memory_tile", "m": 64, "n": 64, "k": 64, "median_ms": [1.0, 1.0, 1.0],
     "cublas_median_ms": [0.6, 0.7, 0.8]},
    {"kernel": "thread_tile", "m": 64, "n": 64, "k": 64, "median_ms": [1.0],
     "cublas_median_ms": [0.6]}
  ]})";

std::optional<RecordedTiming> find(std::string_view kernel, const Problem& problem,
                                   std::string_view device = "NVIDIA H200") {
  return recorded_timing(kernel, problem, device, {recorded_result});
}

}  // namespace

TEST_CASE("a recorded time is found by kernel, size and device") {
  const auto found = find("shared_memory_tile", {64, 64, 64});
  REQUIRE(found);
  CHECK(found->device == "NVIDIA H200");
  CHECK(found->driver == "580.159.04");
  CHECK(found->date == "2026-11-21");
  CHECK(found->median_ms == 1.5);
  CHECK(found->tflops == Approx(2.0 * 64 * 64 * 64 / 1.5e9));
  REQUIRE(found->percent_of_cublas);
  CHECK(*found->percent_of_cublas == Approx(20));

  const auto other = find("naive_coalesced", {64, 32, 16});
  REQUIRE(other);
  CHECK(other->median_ms == 0.5);
  CHECK_FALSE(other->percent_of_cublas);
}

TEST_CASE("what was not recorded is not found") {
  CHECK_FALSE(find("naive_coalesced", {64, 64, 64}));
  CHECK_FALSE(find("naive_coalesced", {16, 32, 64}));
  CHECK_FALSE(find("naive", {64, 32, 16}));
  CHECK_FALSE(find("shared_memory_tile", {64, 64, 64}, "NVIDIA A100"));
  CHECK_FALSE(recorded_timing("shared_memory_tile", {64, 64, 64}, "NVIDIA H200", {}));
}

TEST_CASE("a gain is the mean difference of passes, with its standard deviation") {
  const auto gain = [](std::string_view kernel, std::string_view other, const Problem& problem) {
    return recorded_gain(kernel, other, problem, "NVIDIA H200", {recorded_result});
  };
  const auto found = gain("shared_memory_tile", "naive_coalesced", {64, 64, 64});
  REQUIRE(found);
  CHECK(found->points == Approx(20));
  CHECK(found->deviation == Approx(10));
  CHECK(gain("naive_coalesced", "shared_memory_tile", {64, 64, 64})->points == Approx(-20));
  CHECK_FALSE(gain("thread_tile", "naive_coalesced", {64, 64, 64}));  // not of the same passes
  CHECK_FALSE(gain("thread_tile", "thread_tile", {64, 64, 64}));      // one is no spread
  CHECK_FALSE(gain("shared_memory_tile", "naive_coalesced", {64, 64, 63}));
}

TEST_CASE("the embedded results can all be read") {
  for (const char* text : embedded_results()) {
    const auto json = nlohmann::json::parse(text);
    const std::string device = json.at("device");
    for (const auto& run : json.at("runs")) {
      const std::string kernel = run.at("kernel");
      INFO(device << " " << kernel);
      CHECK(recorded_timing(kernel, {run.at("m"), run.at("n"), run.at("k")}, device));
    }
  }
}

TEST_CASE("a recorded time stands only beside the settings that were timed") {
  const Lesson& lesson = find_lesson("shared-memory-tile");
  Settings settings = lesson.kernels.front().settings;
  settings.set("BK", 64);
  CHECK_FALSE(
      run_kernel(lesson, lesson.kernels.front(), settings, on_emulator({64, 64, 64})).recorded);
}

namespace {

// As scripts/record-profile writes it.
constexpr const char* small_profile = R"({
  "device": "NVIDIA H200", "driver": "580.159.04", "date": "2026-11-23",
  "profiler": "Nsight Compute 2025.3", "compiler": "NVRTC 13.0", "size": 2048,
  "kernels": {"double_buffer": {"function": "void double_buffer<128>", "ffma": 640, "instructions": 25}},
  "hot_loop": {"kernel": "double_buffer", "instructions": 3, "iterations": 8, "share_of_executed": 0.5,
   "lines": [
    {"kind": "LDS.128", "address": "0010", "text": "LDS.128 R4, [R0]", "in_loop": 1, "samples": 2},
    {"kind": "BRA", "address": "0030", "text": "@P0 BRA 0x10", "in_loop": 2, "samples": 0}
   ]}})";

}  // namespace

TEST_CASE("a recorded profile has the numbers of its kernels, and formulas of them") {
  const Profile profile = read_profile(small_profile);
  CHECK(profile.device == "NVIDIA H200");
  CHECK(profile.size == 2048);
  CHECK(profiled(profile, "double_buffer", "ffma") == 640);
  CHECK(profiled(profile, "double_buffer", "100·ffma/(32·instructions)") == Approx(80));
  CHECK(profile.hot_loop.instructions == 3);
  REQUIRE(profile.hot_loop.lines.size() == 2);
  CHECK(profile.hot_loop.lines.back().kind == "BRA");
  CHECK(profile.hot_loop.lines.back().in_loop == 2);
}

TEST_CASE("a number of the profiler has three digits, or is whole") {
  CHECK(metric_text(1000) == "1,000");
  CHECK(metric_text(1234.5) == "1,235");
  CHECK(metric_text(417.12) == "417");
  CHECK(metric_text(12.34) == "12.3");
  CHECK(metric_text(0.372) == "0.37");
  CHECK(metric_text(0) == "0");
}

TEST_CASE("a kernel or a metric that was not profiled is an error that names it") {
  const Profile profile = read_profile(small_profile);
  CHECK_THROWS_WITH(profiled(profile, "triple_buffer", "ffma"), "'triple_buffer' was not profiled");
  CHECK_THROWS_WITH(profiled(profile, "double_buffer", "dram_bytes"),
                    Catch::Contains("dram_bytes"));
  CHECK_THROWS_WITH(profiler_metric("shared_stores"), "the profiler has no metric 'shared_stores'");
}

TEST_CASE("the recorded profile has every metric of each of its kernels") {
  const Profile& profile = recorded_profile();
  CHECK(profile.kernels.size() > 15);
  for (const auto& [kernel, numbers] : profile.kernels) {
    for (const ProfilerMetric& metric : profiler_metrics()) {
      INFO(kernel << ", " << metric.name);
      CHECK(numbers.contains(metric.name));
    }
  }
}

TEST_CASE("no two metrics of the profiler have the same name") {
  std::set<std::string> names, metrics;
  for (const ProfilerMetric& metric : profiler_metrics()) {
    INFO(metric.name);
    CHECK(names.insert(metric.name).second);
    CHECK(metrics.insert(metric.metric).second);
  }
}

TEST_CASE("the emulator counts what the recorded profile has", "[long]") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  using Counters = simt::Counters;
  constexpr std::pair<const char*, std::uint64_t Counters::*> equal[] = {
      {"global_load_requests", &Counters::global_load_requests},
      {"global_load_sectors", &Counters::global_load_sectors},
      {"global_store_requests", &Counters::global_store_requests},
      {"global_store_sectors", &Counters::global_store_sectors},
      {"shared_load_requests", &Counters::shared_load_requests},
      {"shared_store_requests", &Counters::shared_store_requests},
      {"ffma", &Counters::ffma},
  };
  const Profile& profile = recorded_profile();
  RunOptions options = on_emulator({profile.size, profile.size, profile.size});
  options.blocks = 4;  // of those that all do the same
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    for (const Kernel& kernel : lesson.kernels) {
      if (!kernel.is_cuda() || !profile.kernels.contains(kernel.name)) continue;
      const Settings settings = untuned_settings(kernel, simt::find_gpu("h200"), options.problem);
      const LessonRun run = run_kernel(lesson, kernel, settings, options);
      if (run.second_launch) continue;  // the profiler counted the first launch alone
      const Counters& counted = run.emulation->total;
      const auto recorded = [&](const char* metric) {
        return profiled(profile, kernel.name, metric);
      };
      for (const auto& [metric, counter] : equal) {
        INFO(kernel.name << ": " << metric);
        CHECK(static_cast<double>(counted.*counter) == recorded(metric));
      }
      INFO(kernel.name);
      CHECK(run.launch->resources.registers_per_thread == recorded("registers"));
      CHECK(100 * run.launch->occupancy.occupancy == Approx(recorded("occupancy")));
      // Warps that get in each other's way add some wavefronts; a bulk copy's waits, instructions.
      const auto wavefronts = static_cast<double>(counted.shared_load_wavefronts);
      CHECK(wavefronts == Approx(recorded("shared_load_wavefronts")).epsilon(0.005));
      const auto instructions = static_cast<double>(counted.machine_instructions());
      CHECK(instructions == Approx(recorded("instructions")).epsilon(0.003));
    }
  }
}

}  // namespace gemm_tutor
