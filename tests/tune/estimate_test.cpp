// The model says what it should of tiles whose order is known.
#include "tune/estimate.hpp"

#include <algorithm>

#include "catch.hpp"
#include "support/error.hpp"
#include "tunable_lesson.hpp"

using namespace gemm_tutor;

namespace {

const GpuSpec& h200() { return find_gpu("h200"); }

Estimate of(const Settings& settings, const Problem& problem, const GpuSpec& gpu = h200()) {
  return estimate(tunable_lesson().kernels.front(), settings, gpu, problem);
}

// The interface of a kernel whose blocks share tiles.
Kernel sharing_kernel() {
  Kernel kernel;
  kernel.name = "sharing";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"BK", 8},     {"WM", 64},   {"WN", 32},
                     {"TM", 8},   {"TN", 8},   {"STAGES", 3}, {"GROUP", 4}, {"BLOCKS", 132}};
  kernel.shape = [](const Settings& s) {
    LaunchShape shape;
    shape.tile_rows = s["BM"];
    shape.tile_columns = s["BN"];
    shape.tile_depth = s["BK"];
    shape.block = {static_cast<std::uint32_t>(s["BM"] * s["BN"] / (s["TM"] * s["TN"]))};
    shape.stream_k = StreamK{.blocks = s["BLOCKS"], .group_rows = s["GROUP"]};
    shape.static_shared_floats = std::int64_t{s["STAGES"]} * s["BK"] * (s["BM"] + s["BN"]);
    return shape;
  };
  return kernel;
}

Estimate sharing(const std::string& name, int value, const Problem& problem) {
  const Kernel kernel = sharing_kernel();
  Settings settings = kernel.settings;
  settings.set(name, value);
  return estimate(kernel, settings, h200(), problem);
}

}  // namespace

TEST_CASE("an estimate is never less than the arithmetic or the memory at the GPU's peak") {
  for (const GpuSpec& gpu : known_gpus()) {
    for (const Settings& settings : some_configurations()) {
      for (const Problem problem : {Problem{1, 1, 1}, {500, 70, 3000}, {4096, 4096, 4096}}) {
        const Estimate e = of(settings, problem, gpu);
        CHECK(e.milliseconds >= 1e3 * problem.flops() / gpu.peak_flops() * 0.999999);
        CHECK(e.milliseconds >= 1e3 * problem.bytes() / gpu.memory_bandwidth * 0.999999);
        CHECK(e.milliseconds >= std::max({e.arithmetic_ms, e.instructions_ms, e.shared_ms}));
        CHECK(e.balance > 0);
        CHECK(e.balance <= 1.000001);
        CHECK(e.ffma_share > 0);
        CHECK(e.ffma_share < 1);
      }
    }
  }
}

TEST_CASE("larger thread tiles need fewer instructions and fewer wavefronts") {
  const Problem problem{4096, 4096, 4096};
  const Estimate small = of(tile(64, 64, 16, 4, 4), problem);
  const Estimate large = of(tile(128, 128, 16, 8, 8), problem);
  CHECK(large.ffma_share > small.ffma_share);
  CHECK(large.wavefronts_per_ffma < small.wavefronts_per_ffma);
  CHECK(large.memory_ms < small.memory_ms);
  CHECK(large.milliseconds < small.milliseconds);
}

TEST_CASE("a small problem leaves multiprocessors idle, and small tiles fewer of them") {
  const Problem problem{512, 512, 512};
  const Estimate small = of(tile(64, 64, 16, 4, 4), problem);
  const Estimate large = of(tile(128, 128, 16, 8, 8), problem);
  CHECK(large.limited_by == Limit::idle);
  CHECK(small.balance > large.balance);
  CHECK(small.milliseconds < large.milliseconds);
}

TEST_CASE("a product without depth is bound by memory") {
  CHECK(of(tile(128, 128, 8, 8, 8), {8192, 8192, 8}).limited_by == Limit::memory);
}

TEST_CASE("blocks that share tiles are all as busy, but their parts cost memory traffic") {
  const Problem problem{1536, 1536, 4096};  // 144 tiles for 132 blocks
  const Estimate shared = sharing("BLOCKS", 132, problem);
  CHECK(shared.balance > 0.99);
  CHECK(shared.second_launch_ms > 0);
  const Estimate whole = sharing("BLOCKS", 144, problem);  // a tile each, two on some
  CHECK(whole.second_launch_ms == 0);
  CHECK(whole.balance < 0.6);
  CHECK(shared.milliseconds < whole.milliseconds);
}

TEST_CASE("walking tiles in groups of rows saves memory traffic, and more stages waiting") {
  const Problem problem{8192, 8192, 8192};
  CHECK(sharing("GROUP", 8, problem).memory_ms < sharing("GROUP", 1, problem).memory_ms);
  CHECK(sharing("BK", 4, problem).waiting_ms > 0);
  const Kernel kernel = sharing_kernel();
  Settings few = kernel.settings, many = kernel.settings;
  for (Settings* settings : {&few, &many}) {
    for (const char* name : {"BM", "BN"}) settings->set(name, 64);
  }
  few.set("STAGES", 2);
  many.set("STAGES", 4);
  CHECK(estimate(kernel, few, h200(), problem).waiting_ms >
        estimate(kernel, many, h200(), problem).waiting_ms);
}

TEST_CASE("a shape whose depth is a whole turn of the ring has the same steps along K") {
  const Kernel kernel = sharing_kernel();
  Kernel by_turns = kernel;
  by_turns.shape = [shape = kernel.shape](const Settings& s) {
    LaunchShape result = shape(s);
    result.tile_depth = s["STAGES"] * s["BK"];
    return result;
  };
  const Problem problem{4096, 4096, 4096};
  CHECK(estimate(by_turns, kernel.settings, h200(), problem).milliseconds ==
        estimate(kernel, kernel.settings, h200(), problem).milliseconds);
}

TEST_CASE("settings that a GPU cannot launch have no estimate") {
  CHECK_THROWS_AS(of(tile(512, 512, 32, 8, 8), {64, 64, 64}), Error);
  CHECK_THROWS_AS(of(tile(128, 128, 6, 8, 8), {64, 64, 64}), Error);
}
