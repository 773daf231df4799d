// The kernels of lessons 12 and 13 and of chapters edges and bulk-copies: which rings there can
// be, that nothing is read before it has arrived, and what copies count as.
#include <set>

#include "course_checks.hpp"
#include "sample.hpp"
#include "simt/finding.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Assignments = std::vector<std::string>;

const Lesson& lesson_of(std::string_view kernel) {
  return *std::ranges::find_if(lessons(), [&](const Lesson& lesson) {
    return std::ranges::count(lesson.kernels, kernel, &Kernel::name) > 0;
  });
}

const Kernel& kernel_of(std::string_view kernel) { return find_kernel(lesson_of(kernel), kernel); }

Settings with(const Kernel& kernel, const Assignments& assignments) {
  Settings settings = kernel.settings;
  for (const std::string& assignment : assignments) apply_setting(settings, assignment);
  return settings;
}

LessonRun run(const Kernel& kernel, const Settings& settings, const Problem& problem) {
  return run_kernel(lesson_of(kernel.name), kernel, settings, on_emulator(problem));
}

// Whole tiles of one iteration of the ring and of several; and tiles that are cut on all sides.
void check_right(std::string_view name, const Assignments& assignments) {
  const Kernel& kernel = kernel_of(name);
  const Settings settings = with(kernel, assignments);
  const int depth = kernel.shape(settings).tile_depth, rows = settings["BM"],
            columns = settings["BN"];
  for (const Problem& size : {Problem{rows, columns, depth},
                              {rows, columns, 5 * depth},
                              {1, 1, 1},
                              {rows + 3, 131, 3 * depth + 1},
                              {rows + 3, columns + 5, 2 * depth + 3},
                              {70, columns + 4, 2 * depth}}) {
    const LessonRun ran = run(kernel, settings, size);
    INFO(name << ", " << kernel.name_expression(settings, size) << " at " << text(size));
    CHECK(ran.verification.passed);
    CHECK(ran.verification.elements_checked == size.c_elements());
    CHECK(ran.emulation->findings.empty());
    CHECK(ran.emulation->total.shared_load_conflicts == 0);
  }
}

std::string refusal(std::string_view name, const Assignments& assignments) {
  const Kernel& kernel = kernel_of(name);
  const Error error = error_of([&] { run(kernel, with(kernel, assignments), {8, 8, 8}); });
  CHECK(error.status() == ExitStatus::usage);
  return error.what();
}

// The kinds of all findings: "bounds, race".
std::string kinds_found(const LessonRun& run) {
  std::set<std::string> kinds;
  for (const simt::Finding& finding : run.emulation->findings) {
    kinds.insert(simt::name_of(finding.kind()));
  }
  return join({kinds.begin(), kinds.end()});
}

}  // namespace

TEST_CASE("the kernels with asynchronous copies are right at every size") {
  for (const char* kernel : {"async_copy", "read_ahead", "wide_thread_tile", "longer_ring",
                             "async_copy_bulk", "tiles_inside"})
    check_right(kernel, {});
}

TEST_CASE("a ring of any number of stages, filled by copies, gives the right product",
          "[nightly]") {
  const std::vector<Assignments> narrow = {{"STAGES=3"},
                                           {"STAGES=4"},
                                           {"BK=16"},
                                           {"BM=64", "BK=16"},
                                           {"BN=256", "WM=64", "TN=16", "BK=4"},
                                           {"TM=16", "WM=64"}};
  const std::vector<Assignments> wide = {{"STAGES=2", "BK=4"},
                                         {"STAGES=3"},
                                         {"BK=4", "STAGES=6"},
                                         {"BN=128", "BK=8"},
                                         {"BN=128", "TN=8", "WM=32", "BK=8", "STAGES=4"},
                                         {"BM=64", "BN=128", "TN=8", "WM=32", "BK=8", "STAGES=3"},
                                         {"TM=16", "TN=8"}};
  for (const Assignments& assignments : narrow) {
    check_right("async_copy", assignments);
    check_right("read_ahead", assignments);
  }
  for (const Assignments& assignments : wide) {
    check_right("longer_ring", assignments);
    check_right("tiles_inside", assignments);
  }
}

TEST_CASE("bulk copies of whole rows give the right product, in a ring of any number of stages",
          "[nightly]") {
  for (const Assignments& assignments :
       std::vector<Assignments>{{"STAGES=1"},
                                {"STAGES=2"},
                                {"BN=128", "TN=8", "WM=32", "BK=16", "STAGES=2"},
                                {"BN=128", "TN=8", "WM=32", "STAGES=4"},
                                {"BM=64", "TN=8", "WM=32", "BK=16", "STAGES=2"},
                                {"TM=16", "TN=8"}}) {
    check_right("async_copy_bulk", assignments);
  }
}

TEST_CASE("copies are no stores, and of bulk copies only the bytes are counted") {
  // Per warp, at whole tiles.
  struct Counts {
    const char* kernel;
    std::string requests_to_load, shared_reads, barriers;
  };
  const std::string copies = "K/BK·(BM·BK/threads + BK·BN/(4·threads))", reads = "(TM/4 + TN/4)·K",
                    barriers = "1 + K/BK";
  for (const auto& [name, requests_to_load, shared_reads, barriers_reached] :
       {Counts{"async_copy", copies, reads, barriers},
        Counts{"read_ahead", copies, reads, barriers},
        Counts{"wide_thread_tile", copies, reads, barriers},
        Counts{"longer_ring", copies, reads, barriers},
        Counts{"async_copy_bulk", "0", "TM·K/4 + TN/4·K", barriers},
        Counts{"tiles_inside", copies, reads, barriers}}) {
    INFO(name);
    const Kernel& kernel = kernel_of(name);
    const Problem size{128, 256, 48};
    const simt::Counters counted = run(kernel, kernel.settings, size).emulation->total;
    const Values values = values_before(kernel, kernel.settings, size);
    const auto in_all_warps = [&values](const std::string& expression) {
      return values.at("warps_total") * evaluated(expression, values);
    };
    CHECK(counted.shared_store_requests == 0);
    CHECK(static_cast<double>(counted.global_load_bytes) ==
          4 * evaluated(kernel.traffic.loads, values));
    CHECK(static_cast<double>(counted.global_load_requests) == in_all_warps(requests_to_load));
    CHECK(static_cast<double>(counted.shared_load_requests) == in_all_warps(shared_reads));
    CHECK(static_cast<double>(counted.barriers) == in_all_warps(barriers_reached));
  }
}

TEST_CASE("a tile that is moved inside is loaded and computed as a whole, and stored once") {
  const Problem size{150, 300, 21};
  const Kernel& kernel = kernel_of("tiles_inside");
  const simt::Counters counted = run(kernel, kernel.settings, size).emulation->total;
  CHECK(counted.global_load_bytes == 4 * 4 * (128 + 256) * 21);
  CHECK(counted.ffma == 4 * 128 * 256 * 21);
  CHECK(counted.global_store_bytes == 4 * 150 * 300);
}

TEST_CASE("a ring that is none is refused with the rule that it breaks") {
  const std::string threads = "more than an int counts";
  const Assignments huge = {"BM=524288", "BN=1048576"};  // 2^32 threads or more: 0 in 32 bits
  for (const char* kernel :
       {"async_copy", "read_ahead", "wide_thread_tile", "longer_ring", "tiles_inside"}) {
    INFO(kernel);
    CHECK(contains(refusal(kernel, {"STAGES=1"}), "STAGES must be 2 or more"));
    CHECK(contains(refusal(kernel, {"BK=6"}), "multiples of 4"));
    CHECK(contains(refusal(kernel, {"BM=100"}), "BM is not a multiple of TM"));
    CHECK(contains(refusal(kernel, {"WN=32"}), "(WM / TM)·(WN / TN) must be 32"));
    CHECK(contains(refusal(kernel, {"STAGES=16"}), "shared memory"));
    CHECK(contains(refusal(kernel, huge), threads));
  }
  CHECK(contains(refusal("async_copy", {"BK=4"}), "do not fill the tiles by whole rows"));
  CHECK(contains(refusal("read_ahead", {"BK=4"}), "do not fill the tiles by whole rows"));
  CHECK(contains(refusal("longer_ring", {"TM=4", "WM=32"}), "do not fill the tiles by whole rows"));
  CHECK(
      contains(refusal("tiles_inside", {"TM=4", "WM=32"}), "do not fill the tiles by whole rows"));

  CHECK(contains(refusal("async_copy_bulk", {"WM=32"}), "(WM / TM)·(WN / TN) must be 32"));
  CHECK(
      contains(refusal("async_copy_bulk", {"BK=4"}), "do not share the rows of both tiles evenly"));
  CHECK(contains(refusal("async_copy_bulk", {"BK=18"}), "multiples of 4"));
  CHECK(contains(refusal("async_copy_bulk", {"STAGES=4"}), "shared memory"));
  CHECK(contains(refusal("async_copy_bulk", huge), threads));
}

TEST_CASE("a GPU that is too old for a kernel's copies is refused") {
  const auto error_on = [](std::string_view name, const std::string& gpu) {
    const Kernel& kernel = kernel_of(name);
    RunOptions options = on_emulator({8, 8, 8});
    options.gpu = gpu;
    return error_of([&] { run_kernel(lesson_of(name), kernel, kernel.settings, options); });
  };
  for (const char* kernel :
       {"async_copy", "read_ahead", "wide_thread_tile", "longer_ring", "tiles_inside"}) {
    CHECK(contains(error_on(kernel, "t4").what(), "needs a GPU of compute capability 8.0"));
  }
  CHECK(contains(error_on("async_copy_bulk", "a100").what(),
                 "needs a GPU of compute capability 9.0"));
}

TEST_CASE("what can go wrong in a ring is found") {
  struct Mistake {
    const char* kernel;
    std::string from, to;
    Problem size;
    std::string found;
  };
  const std::string waits = "wait_for_all_but<STAGES - 2>();",
                    barrier = "__syncthreads();  // all copies",
                    fills = "load((stage + STAGES - 1) % STAGES)";
  const Problem tile{128, 256, 64}, cut{131, 261, 37};
  const Mistake mistake = GENERATE_COPY(from_range(sample_of(
      std::vector<Mistake>{
          {"async_copy", waits, "wait_for_all_but<STAGES - 1>();", tile, "race"},
          {"async_copy", barrier, "//", tile, "race"},
          {"async_copy", fills, "load(stage)", tile, "race"},
          {"async_copy", "fragments(stage, k);", "fragments((stage + 1) % STAGES, k);", tile,
           "race"},
          {"read_ahead", waits, "wait_for_all_but<STAGES - 1>();", tile, "race"},
          {"read_ahead", barrier, "//", tile, "race"},
          {"read_ahead", fills, "load(stage)", tile, "race, uninitialised"},
          {"read_ahead",
           "        next_stage_is_full();\n        fragments((stage + 1) % STAGES, 0);",
           "        fragments((stage + 1) % STAGES, 0);\n        next_stage_is_full();", tile,
           "race"},
          {"wide_thread_tile", barrier, "//", tile, "race"},
          {"longer_ring", waits, "wait_for_all_but<STAGES - 1>();", tile, "race"},
          {"longer_ring", barrier, "//", tile, "race"},
          {"longer_ring", fills, "load((stage + STAGES - 2) % STAGES)", tile, "race"},
          {"longer_ring", "    end_group();\n#pragma unroll\n    for (int k = 0",
           "#pragma unroll\n    for (int k = 0", tile, "race"},
          {"async_copy_bulk", "expect(full[stage], 4 * BK * (BM + BN) / warps);",
           "expect(full[stage], 4 * BK * BN / warps);", tile, "endless"},
          {"async_copy_bulk", "wait(full[stage], step / STAGES % 2);", "wait(full[stage], 0);",
           tile, "endless"},
          {"async_copy_bulk", "__syncthreads();  // all threads have read the stage", "", tile,
           "race"},
          {"async_copy_bulk", "__syncthreads();  // all threads have read the stage", "", cut,
           "race"},
          {"tiles_inside", waits, "wait_for_all_but<STAGES - 1>();", tile, "race"},
          {"tiles_inside", "wait_for_all_but<0>();\n    __syncthreads();", "wait_for_all_but<0>();",
           cut, "race"},
          {"tiles_inside", "wait_for_all_but<0>();\n    __syncthreads();", "__syncthreads();", cut,
           "race"},
          // Blocks at the edge store equal values twice, which is a note.
          {"tiles_inside", "if (row < tile.row || row >= M) return;", "if (row >= M) return;", cut,
           ""},
          {"tiles_inside", "inside ? min(row, M - BM) : row", "row", cut, "bounds, uninitialised"},
      },
      6)));
  Lesson lesson = lesson_of(mistake.kernel);
  INFO(mistake.kernel << ": " << mistake.from << " -> " << mistake.to);
  lesson.source = replaced(lesson.source, mistake.from, mistake.to);
  const Kernel& kernel = find_kernel(lesson, mistake.kernel);
  RunOptions options = on_emulator(mistake.size);
  options.max_instructions = 1'000'000;  // enough for every kernel here that ends
  CHECK(kinds_found(run_kernel(lesson, kernel, kernel.settings, options)) == mistake.found);
}

}  // namespace gemm_tutor
