// What `gemm-tutor tune` may try, and what is chosen without it: that each is there for a reason,
// and that each is right.
#include <algorithm>
#include <set>

#include "course_checks.hpp"
#include "run/prepared_kernel.hpp"
#include "simt/gpu_spec.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

namespace gemm_tutor {
namespace {

const Lesson& lesson() { return find_lesson("beyond-cublas"); }
const Kernel& tuned_kernel() { return lesson().kernels.front(); }
simt::GpuSpec h200() { return simt::find_gpu("h200"); }

Settings chosen(int size) { return tuned_kernel().choose(h200(), {size, size, size}); }

std::vector<Settings> configurations(int size) {
  return tuned_kernel().configurations(h200(), {size, size, size});
}

// Whole tiles; edges, with rows of B that begin at no multiple of 16 bytes; and less than a tile.
std::vector<Problem> problems_for(const Settings& s) {
  const int bm = s["BM"], bn = s["BN"], step = s["STAGES"] * s["BK"];
  return {{bm, 2 * bn, 2 * step}, {bm + 5, bn + 3, step + 7}, {bm / 2 - 3, bn - 1, 21}};
}

struct Outcome {
  bool passed = false;
  std::vector<simt::Finding> findings;
};

Outcome outcome_of(const Settings& settings, const Problem& problem) {
  const KernelSource source = kernel_source(lesson(), tuned_kernel(), settings, problem);
  const PreparedKernel prepared = prepare(source, problem, h200());
  Matrices matrices = make_matrices(problem, 1);
  simt::Options options;
  options.threads = 1;
  const simt::Result result = emulate(prepared, matrices, options);
  return {verify(problem, matrices.a, matrices.b, matrices.c).passed, result.findings};
}

// The steps of the pieces that all blocks share: tiles, and how often K goes round the ring.
int shared_steps(const Settings& s, const Problem& problem) {
  const int step = s["STAGES"] * s["BK"];
  return ceil_divide(problem.m, s["BM"]) * ceil_divide(problem.n, s["BN"]) *
         ceil_divide(problem.k, step);
}

// Those of three sizes, and of configurations that differ in BLOCKS alone the first: here a block
// has one step or none, however many there are.
std::vector<Settings> different_configurations() {
  std::vector<Settings> result;
  std::set<std::string> names;
  for (const int size : {512, 1024, 4096}) {
    for (const Settings& settings : configurations(size)) {
      for (const Problem& problem : problems_for(settings)) {
        REQUIRE(shared_steps(settings, problem) < settings["BLOCKS"]);
      }
      Settings without_blocks = settings;
      without_blocks.set("BLOCKS", 0);
      const std::string name = tuned_kernel().name_expression(without_blocks, {size, size, size});
      if (names.insert(name).second) result.push_back(settings);
    }
  }
  return result;
}

// Each `every`-th configuration from `first` on.
void check_configurations(std::size_t first, std::size_t every) {
  const std::vector<Settings> all = different_configurations();
  for (std::size_t i = first; i < all.size(); i += every) {
    const std::vector<Problem> problems = problems_for(all[i]);
    std::vector<Outcome> outcomes(problems.size());
    parallel_for(std::ssize(problems), core_count(),
                 [&](std::int64_t p, int) { outcomes[p] = outcome_of(all[i], problems[p]); });
    for (std::size_t p = 0; p < problems.size(); ++p) {
      INFO(tuned_kernel().name_expression(all[i], problems[p]) << " at " << text(problems[p]));
      CHECK(outcomes[p].passed);
      CHECK(outcomes[p].findings.empty());
    }
  }
}

}  // namespace

TEST_CASE("every configuration that tune may try is right: the even ones", "[nightly]") {
  check_configurations(0, 2);
}

TEST_CASE("every configuration that tune may try is right: the odd ones", "[nightly]") {
  check_configurations(1, 2);
}

TEST_CASE("settings with which the kernel would miscount are refused") {
  const auto refusal = [](const std::vector<std::string>& assignments) {
    Settings settings = configurations(512).front();
    for (const std::string& assignment : assignments) apply_setting(settings, assignment);
    const Error error = error_of([&] { tuned_kernel().shape(settings); });
    CHECK(error.status() == ExitStatus::usage);
    return std::string(error.what());
  };
  CHECK(contains(refusal({"BLOCKS=1000000"}), "more than an int counts"));
  CHECK(contains(refusal({"GROUP=1073741824"}), "GROUP must be at most BN"));
  CHECK(contains(refusal({"ORDER=4"}), "ORDERs 1, 2 and 3"));
  CHECK(contains(refusal({"BM=16", "BN=32", "WM=16", "WN=32", "TM=4", "TN=4"}),
                 "BM·BN must be a multiple of the 1,024 floats"));
}

TEST_CASE("of configurations there are some hundreds, all different, and they fit on the GPU") {
  for (const int size : {1, 100, 256, 512, 1024, 2048, 4096, 8192}) {
    INFO(size);
    const std::vector<Settings> all = configurations(size);
    CHECK(all.size() >= 100);
    CHECK(all.size() <= 500);
    CHECK(all.front() == chosen(size));
    std::set<std::string> names;
    for (const Settings& settings : all) {
      CHECK(names.insert(tuned_kernel().name_expression(settings, {size, size, size})).second);
      const LaunchShape shape = tuned_kernel().shape(settings);
      CHECK(shape.block.count() <= 512);
      CHECK(4 * shape.static_shared_floats <= h200().shared_bytes_per_block);
    }
  }
}

TEST_CASE("what is chosen: the largest tile of which each multiprocessor gets one") {
  const auto tile = [](int size) { return std::pair{chosen(size)["BM"], chosen(size)["BN"]}; };
  CHECK(tile(256) == std::pair{32, 64});
  CHECK(tile(512) == std::pair{32, 64});
  CHECK(tile(1024) == std::pair{64, 128});
  CHECK(tile(2048) == std::pair{128, 256});
  CHECK(tile(8192) == std::pair{128, 256});
  CHECK(chosen(4096) == tuned_kernel().settings);
}

TEST_CASE("what is chosen: a block a multiprocessor, or fewer that all have as much to do") {
  CHECK(chosen(8192)["BLOCKS"] == 132);
  CHECK(chosen(2048)["BLOCKS"] == 128);  // of 128 tiles each has one
  CHECK(chosen(256)["BLOCKS"] == 128);   // of 32 tiles each is shared by four
  CHECK(chosen(384)["BLOCKS"] == 132);   // 72 tiles: one block each would leave half of them idle
  CHECK(chosen(64)["BLOCKS"] == 4);      // two tiles of two steps: no more than there are steps
  CHECK(chosen(1)["BLOCKS"] == 1);
  CHECK(tuned_kernel().choose(simt::find_gpu("a100"), {4096, 4096, 4096})["BLOCKS"] == 108);
}

}  // namespace gemm_tutor
