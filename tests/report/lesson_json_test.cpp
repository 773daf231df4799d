#include "report/lesson_json.hpp"

#include <limits>

#include "catch.hpp"
#include "report/json.hpp"
#include "sample_findings.hpp"
#include "sample_run.hpp"

using namespace gemm_tutor;

namespace {

using Keys = std::vector<std::string>;

// All keys in their order, nested ones as "traffic.formula.loads"; of an array, its first
// element's.
void collect_keys(const Json& json, const std::string& prefix, Keys& keys) {
  if (json.is_array() && !json.empty()) collect_keys(json.front(), prefix, keys);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    keys.push_back(prefix + key);
    collect_keys(value, prefix + key + ".", keys);
  }
}

Keys keys_of(const std::string& text) {
  Keys keys;
  collect_keys(Json::parse(text), "", keys);
  return keys;
}

// The design's example of the JSON, its values as short as they can be; and the counters that came
// to it.
constexpr const char* design = R"(
{"lesson": {"number": 3, "slug": "", "kernel": "", "title": "", "function": "",
            "settings": {"BM": 32, "BN": 32, "BK": 32}},
 "problem": {"m": 2048, "n": 2048, "k": 2048},
 "backend": "emulator", "device": "",
 "launch": {"grid": [64,64,1], "block": [32,32,1], "shared_bytes": 8192,
            "registers_per_thread": 38, "blocks_per_sm": 2, "occupancy": 1.0, "limited_by": ""},
 "traffic": {"formula": {"loads": "", "stores": ""},
             "predicted": {"load_floats": 0, "store_floats": 0},
             "counted": {"load_floats": 0, "store_floats": 0}},
 "counters": {"exact": true, "blocks_emulated": 4096, "blocks_total": 4096,
   "shared_memory_counts": "machine code",
   "global_load_requests": 0, "global_load_sectors": 0, "global_load_bytes": 0,
   "global_store_requests": 0, "global_store_sectors": 0, "global_store_bytes": 0,
   "shared_load_requests": 0, "shared_load_wavefronts": 0, "shared_load_conflicts": 0,
   "shared_load_bytes": 0,
   "shared_store_requests": 0, "shared_store_wavefronts": 0, "shared_store_conflicts": 0,
   "shared_store_bytes": 0,
   "ffma": 0, "warp_instructions": 0, "warp_instructions_by_kind": {}, "barriers": 0,
   "ptx": {"shared_load_requests": 0, "shared_load_wavefronts": 0, "shared_load_conflicts": 0,
           "shared_store_requests": 0, "shared_store_wavefronts": 0, "shared_store_conflicts": 0},
   "lines": [{"line": 14,
     "global_load_requests": 0, "global_load_sectors": 0, "global_load_bytes": 0,
     "global_store_requests": 0, "global_store_sectors": 0, "global_store_bytes": 0,
     "shared_load_requests": 0, "shared_load_wavefronts": 0, "shared_load_conflicts": 0,
     "shared_load_bytes": 0,
     "shared_store_requests": 0, "shared_store_wavefronts": 0, "shared_store_conflicts": 0,
     "shared_store_bytes": 0,
     "ffma": 0, "warp_instructions": 0, "warp_instructions_by_kind": {}, "barriers": 0,
     "ptx": {"shared_load_requests": 0, "shared_load_wavefronts": 0, "shared_load_conflicts": 0,
             "shared_store_requests": 0, "shared_store_wavefronts": 0,
             "shared_store_conflicts": 0},
     "operands": [{"name": "A", "space": "global", "requests": 0, "sectors": 0}]}]},
 "timing": {"where": "gpu", "runs": 50, "median_ms": 0.0, "min_ms": 0.0, "tflops": 0.0, "spread_percent": 0.0,
            "cublas_median_ms": 0.0, "percent_of_cublas": 0.0},
 "emulation": {"seconds": 1.9},
 "recorded": {"device": "", "date": "", "median_ms": 0.0, "tflops": 0.0, "percent_of_cublas": 0.0},
 "verification": {"passed": true, "elements_checked": 0, "elements_total": 0,
                  "worst_error_over_bound": 0.01},
 "findings": [{"kind": "race", "line": 31, "message": ""}],
 "causes": [{"kind": "race", "line": 31, "message": ""}]})";

// A third of the machine instructions are the FFMAs that C needs.
Sample sample_with_machine_code() {
  Sample sample = emulated_sample();
  sample.run.gpu = simt::find_gpu("h200");
  auto& executed = sample.run.emulation->total.machine;
  executed = {};
  executed[static_cast<std::size_t>(simt::InstructionKind::ffma)] = 8589934592 / 32;
  executed[static_cast<std::size_t>(simt::InstructionKind::shared_load)] = 2 * (8589934592 / 32);
  return sample;
}

}  // namespace

TEST_CASE("a run that has everything has the design's keys in the design's order") {
  Sample sample = emulated_sample();
  sample.run.timing = RunTiming{Backend::gpu, 50, 1.84, 1.80, 9.3, 0.33, 18.0};
  sample.run.emulation->findings = {sample_race(31)};
  simt::Result& emulation = *sample.run.emulation;
  emulation.total.instructions = {};
  for (auto& line : emulation.lines) line.counters.instructions = {};
  CHECK(keys_of(lesson_json(sample.run)) == keys_of(design));
}

TEST_CASE("the values are the run's") {
  const Json json = Json::parse(lesson_json(emulated_sample().run));
  CHECK(json["lesson"]["number"] == 3);
  CHECK(json["lesson"]["kernel"] == "shared_memory_tile");
  CHECK(json["problem"]["k"] == 2048);
  CHECK(json["launch"]["grid"] == Json({64, 64, 1}));
  CHECK(json["launch"]["shared_bytes"] == 8192);
  CHECK(json["traffic"]["formula"]["loads"] == "M·N·K·(1/BM + 1/BN)");
  CHECK(json["traffic"]["counted"]["load_floats"] == 536870912);
  CHECK(json["counters"]["exact"] == true);
  CHECK(json["counters"]["global_load_requests"] == 16777216);
  CHECK(json["counters"]["lines"].size() == 3);
  CHECK(json["counters"]["lines"][2]["ffma"] == 8589934592);
  const Json& inner = json["counters"]["lines"][2];
  CHECK(inner["shared_load_conflicts"] == 200);
  CHECK(inner["warp_instructions_by_kind"] == Json({{"ffma", 1000}, {"memory", 3000}}));
  CHECK(inner["operands"] == Json::parse(R"([{"name": "a_tile", "space": "shared",
      "requests": 1000, "wavefronts": 1200, "conflicts": 200}])"));
  CHECK(json["counters"]["lines"][1]["operands"] == Json::parse(R"([
      {"name": "B", "space": "global", "requests": 8388608, "sectors": 33554432},
      {"name": "b_tile", "space": "shared", "requests": 8388608, "wavefronts": 8388608,
       "conflicts": 0}])"));
  CHECK(json["counters"]["warp_instructions"] == 4000);
  CHECK_FALSE(inner.contains("local_load_requests"));
  CHECK(json["emulation"]["seconds"] == 1.9);
  CHECK(json["findings"] == Json::array());
}

TEST_CASE("the speed in JSON is the product of its factors, and says where the time is from") {
  Sample sample = sample_with_machine_code();
  const Json recorded = Json::parse(lesson_json(sample.run))["speed"];
  CHECK(recorded["where"] == "recorded");
  const double share = recorded["ffma_share"], rate = recorded["issue_rate"];
  CHECK(recorded["needed_share"] == 1);
  CHECK(recorded["slots_per_ffma"] == 1);
  CHECK(share == Approx(1.0 / 3));
  CHECK(100 * share * rate == Approx(recorded["percent_of_peak"].get<double>()).epsilon(0.01));

  sample.run.timing = RunTiming{Backend::gpu, 50, 1.84, 1.80, 9.3, 0.33, 18.0};
  const Json measured = Json::parse(lesson_json(sample.run))["speed"];
  CHECK(measured["where"] == "gpu");
  CHECK(measured["percent_of_peak"].get<double>() == Approx(13.9).epsilon(0.01));

  // Without machine code, and if the result is wrong, nothing counted the factors.
  sample.run.timing.reset();
  sample.run.verification.passed = false;
  const Json wrong = Json::parse(lesson_json(sample.run))["speed"];
  CHECK(wrong.contains("percent_of_peak"));
  CHECK_FALSE(wrong.contains("ffma_share"));
}

TEST_CASE("a kernel's function may have another name than the kernel") {
  Sample sample = emulated_sample();
  sample.lesson->kernels.front().name = "wide_tile";
  const Json lesson = Json::parse(lesson_json(sample.run))["lesson"];
  CHECK(lesson["kernel"] == "wide_tile");
  CHECK(lesson["function"] == "shared_memory_tile");
}

TEST_CASE("keys that do not apply are left out") {
  const std::string text = lesson_json(cpu_sample().run);
  const Json json = Json::parse(text);
  for (const char* key : {"launch", "counters", "emulation", "recorded", "findings"}) {
    CHECK_FALSE(json.contains(key));
  }
  CHECK_FALSE(json["lesson"].contains("function"));
  CHECK_FALSE(json["timing"].contains("cublas_median_ms"));
  CHECK_FALSE(json["timing"].contains("percent_of_cublas"));
  CHECK(json["timing"]["where"] == "cpu");
  CHECK(json["traffic"]["counted"]["load_floats"] == 12000000);

  Sample sample = emulated_sample();
  sample.run.emulation->findings = {sample_unwritten(5)};
  const Json emulated = Json::parse(lesson_json(sample.run));
  CHECK_FALSE(emulated.contains("timing"));
  CHECK_FALSE(emulated["findings"][0].contains("line"));
}

TEST_CASE("a kernel of the user's own has the keys of a lesson's, but no lesson") {
  const Json json = Json::parse(lesson_json(own_sample().run));
  CHECK_FALSE(json.contains("lesson"));
  CHECK_FALSE(json.contains("recorded"));
  CHECK(keys_of(json["traffic"].dump()) ==
        Keys{"counted", "counted.load_floats", "counted.store_floats"});
  CHECK(
      json["findings"][0] ==
      Json({{"kind", "race"}, {"line", 6}, {"message", message(sample_race(6))}, {"count", 1200}}));
  CHECK_FALSE(json["findings"][1].contains("count"));
}

TEST_CASE("a run that was stopped says so beside its counts") {
  OwnSample sample = own_sample();
  CHECK_FALSE(Json::parse(lesson_json(sample.run))["counters"].contains("stopped"));
  sample.run.emulation->stopped = true;
  const Json json = Json::parse(lesson_json(sample.run));
  CHECK(json["counters"]["stopped"] == true);
  CHECK_FALSE(json["traffic"].contains("counted"));
}

TEST_CASE("an error beyond all bounds has no number in JSON") {
  Sample sample = cpu_sample();
  sample.run.verification.passed = false;
  sample.run.verification.worst_error_over_bound = std::numeric_limits<double>::infinity();
  const Json json = Json::parse(lesson_json(sample.run));
  CHECK(json["verification"]["passed"] == false);
  CHECK_FALSE(json["verification"].contains("worst_error_over_bound"));
}

TEST_CASE("bytes that are no UTF-8 do not spoil the JSON") {
  Sample sample = cpu_sample();
  sample.run.device = "CPU \xff";
  CHECK(Json::parse(lesson_json(sample.run))["device"] == "CPU \ufffd");
}
