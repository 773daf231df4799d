// Lesson 12: which rings there can be, that nothing is read before it has arrived, and what copies
// count as.
#include "course_checks.hpp"

namespace gemm_tutor {
namespace {

const Lesson& async_copy_lesson() { return find_lesson("async-copy"); }
const Kernel& ring() { return async_copy_lesson().kernels.front(); }
const Kernel& bulk() { return async_copy_lesson().kernels.back(); }

Settings with(const Kernel& kernel, const std::vector<std::string>& assignments) {
  Settings settings = kernel.settings;
  for (const std::string& assignment : assignments) apply_setting(settings, assignment);
  return settings;
}

KernelRun run(const Kernel& kernel, const Settings& settings, const Problem& problem) {
  return run_kernel(async_copy_lesson(), kernel, settings, on_emulator(problem));
}

// Whole tiles of one turn of the ring and of several; and tiles that are cut on all sides.
void check_right(const Kernel& kernel, const std::vector<std::string>& assignments) {
  const Settings settings = with(kernel, assignments);
  const int depth = kernel.shape(settings).tile_depth, rows = settings["BM"];
  for (const Problem& size : {Problem{rows, settings["BN"], depth},
                              {rows, settings["BN"], 5 * depth},
                              {1, 1, 1},
                              {rows + 3, 131, 3 * depth + 1},
                              {70, settings["BN"] + 4, 2 * depth}}) {
    const KernelRun ran = run(kernel, settings, size);
    INFO(kernel.name_expression(settings, size) << " at " << text(size));
    CHECK(ran.verification.passed);
    CHECK(ran.verification.elements_checked == size.c_elements());
    CHECK(ran.emulation->findings.empty());
    CHECK(ran.emulation->total.shared_load_conflicts == 0);
  }
}

std::string refusal(const Kernel& kernel, const std::vector<std::string>& assignments) {
  const Error error = error_of([&] { run(kernel, with(kernel, assignments), {8, 8, 8}); });
  CHECK(error.status() == ExitStatus::usage);
  return error.what();
}

}  // namespace

TEST_CASE("a ring of any number of stages, filled by copies, gives the right product",
          "[nightly]") {
  for (const std::vector<std::string>& assignments : std::vector<std::vector<std::string>>{
           {},
           {"STAGES=2"},
           {"STAGES=3"},
           {"STAGES=6"},
           {"STAGES=2", "BK=8"},
           {"BN=128"},
           {"BN=128", "TN=8", "WM=32", "BK=8"},
           {"BM=64", "BN=128", "TN=8", "WM=32", "BK=8", "STAGES=3"},
           {"TM=16", "TN=8"}}) {
    check_right(ring(), assignments);
  }
}

TEST_CASE("bulk copies of whole rows give the right product, in a ring of any number of stages",
          "[nightly]") {
  for (const std::vector<std::string>& assignments :
       std::vector<std::vector<std::string>>{{},
                                             {"STAGES=1"},
                                             {"STAGES=2"},
                                             {"BN=128", "TN=8", "WM=32", "BK=16", "STAGES=2"},
                                             {"BN=128", "TN=8", "WM=32", "STAGES=4"},
                                             {"BM=64", "TN=8", "WM=32", "BK=16", "STAGES=2"},
                                             {"TM=16", "TN=8"}}) {
    check_right(bulk(), assignments);
  }
}

TEST_CASE("copies are no stores, and of bulk copies only the bytes are counted", "[clang]") {
  const Problem size{128, 256, 48};
  for (const Kernel* kernel : {&ring(), &bulk()}) {
    INFO(kernel->name);
    const emulator::Counters counted = run(*kernel, kernel->settings, size).emulation->total;
    CHECK(counted.shared_store_requests == 0);
    CHECK(counted.global_load_bytes == 4 * 48 * (128 + 256));
    CHECK((counted.global_load_requests == 0) == (kernel == &bulk()));
  }
}

TEST_CASE("a ring that is none is refused with the rule that it breaks") {
  CHECK(contains(refusal(ring(), {"STAGES=1"}), "STAGES must be 2 or more"));
  CHECK(contains(refusal(ring(), {"BK=6"}), "multiples of 4"));
  CHECK(contains(refusal(ring(), {"TM=4", "WM=32"}), "do not fill the tiles by whole rows"));
  CHECK(contains(refusal(ring(), {"WM=32"}), "(WM / TM)·(WN / TN) must be 32"));
  CHECK(contains(refusal(ring(), {"STAGES=16"}), "shared memory"));
  CHECK(contains(refusal(bulk(), {"BK=4"}), "do not share the rows of both tiles evenly"));
  CHECK(contains(refusal(bulk(), {"BK=18"}), "multiples of 4"));
  CHECK(contains(refusal(bulk(), {"STAGES=4"}), "shared memory"));
  for (const Kernel* kernel : {&ring(), &bulk()}) {  // 2^32 threads, which are none in 32 bits
    CHECK(contains(refusal(*kernel, {"BM=524288", "BN=1048576"}), "more than an int counts"));
  }
}

TEST_CASE("a GPU that is too old for a kernel's copies is refused") {
  const auto error_on = [](const Kernel& kernel, const std::string& gpu) {
    RunOptions options = on_emulator({8, 8, 8});
    options.gpu = gpu;
    return error_of([&] { run_kernel(async_copy_lesson(), kernel, kernel.settings, options); });
  };
  CHECK(contains(error_on(ring(), "t4").what(), "needs a GPU of compute capability 8.0"));
  CHECK(contains(error_on(bulk(), "a100").what(), "needs a GPU of compute capability 9.0"));
}

}  // namespace gemm_tutor
