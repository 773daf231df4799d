// Lessons 12 to 12f: which rings there can be, that nothing is read before it has arrived, and what
// copies count as.
#include <set>

#include "course_checks.hpp"
#include "emulator/finding.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Assignments = std::vector<std::string>;

const Kernel& kernel_of(const char* lesson) { return find_lesson(lesson).kernels.front(); }

Settings with(const Kernel& kernel, const Assignments& assignments) {
  Settings settings = kernel.settings;
  for (const std::string& assignment : assignments) apply_setting(settings, assignment);
  return settings;
}

KernelRun run(const Lesson& lesson, const Settings& settings, const Problem& problem) {
  return run_kernel(lesson, lesson.kernels.front(), settings, on_emulator(problem));
}

// Whole tiles of one turn of the ring and of several; and tiles that are cut on all sides.
void check_right(const char* number, const Assignments& assignments) {
  const Lesson& lesson = find_lesson(number);
  const Kernel& kernel = lesson.kernels.front();
  const Settings settings = with(kernel, assignments);
  const int depth = kernel.shape(settings).tile_depth, rows = settings["BM"],
            columns = settings["BN"];
  for (const Problem& size : {Problem{rows, columns, depth},
                              {rows, columns, 5 * depth},
                              {1, 1, 1},
                              {rows + 3, 131, 3 * depth + 1},
                              {rows + 3, columns + 5, 2 * depth + 3},
                              {70, columns + 4, 2 * depth}}) {
    const KernelRun ran = run(lesson, settings, size);
    INFO("lesson " << number << ", " << kernel.name_expression(settings, size) << " at "
                   << text(size));
    CHECK(ran.verification.passed);
    CHECK(ran.verification.elements_checked == size.c_elements());
    CHECK(ran.emulation->findings.empty());
    CHECK(ran.emulation->total.shared_load_conflicts == 0);
  }
}

std::string refusal(const char* lesson, const Assignments& assignments) {
  const Error error = error_of([&] {
    run(find_lesson(lesson), with(kernel_of(lesson), assignments), {8, 8, 8});
  });
  CHECK(error.status() == ExitStatus::usage);
  return error.what();
}

// The kinds of all findings: "bounds, race".
std::string kinds_found(const KernelRun& run) {
  std::set<std::string> kinds;
  for (const emulator::Finding& finding : run.emulation->findings) {
    kinds.insert(emulator::name_of(finding.kind()));
  }
  return join({kinds.begin(), kinds.end()});
}

}  // namespace

TEST_CASE("the kernels of lessons 12 to 12f are right at every size") {
  for (const char* lesson : {"12", "12b", "12c", "12d", "12e", "12f"}) check_right(lesson, {});
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
    check_right("12", assignments);
    check_right("12b", assignments);
  }
  for (const Assignments& assignments : wide) {
    check_right("12d", assignments);
    check_right("12f", assignments);
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
    check_right("12e", assignments);
  }
}

TEST_CASE("copies are no stores, and of bulk copies only the bytes are counted", "[clang]") {
  // Per warp, at whole tiles.
  struct Counts {
    const char* lesson;
    std::string requests_to_load, shared_reads, barriers;
  };
  const std::string copies = "K/BK·(BM·BK/threads + BK·BN/(4·threads))", reads = "(TM/4 + TN/4)·K",
                    barriers = "1 + K/BK";
  for (const auto& [lesson, requests_to_load, shared_reads, barriers_reached] :
       {Counts{"12", copies, reads, barriers}, Counts{"12b", copies, reads, barriers},
        Counts{"12c", copies, reads, barriers}, Counts{"12d", copies, reads, barriers},
        Counts{"12e", "0", "TM·K/4 + TN/4·K", barriers}, Counts{"12f", copies, reads, barriers}}) {
    INFO("lesson " << lesson);
    const Kernel& kernel = kernel_of(lesson);
    const Problem size{128, 256, 48};
    const emulator::Counters counted =
        run(find_lesson(lesson), kernel.settings, size).emulation->total;
    const Values values = values_before(kernel, kernel.settings, size);
    const auto in_all_warps = [&values](const std::string& expression) {
      return values.at("warps_total") * Expression::parse(expression).value(values);
    };
    CHECK(counted.shared_store_requests == 0);
    CHECK(static_cast<double>(counted.global_load_bytes) ==
          4 * Expression::parse(kernel.traffic.loads).value(values));
    CHECK(static_cast<double>(counted.global_load_requests) == in_all_warps(requests_to_load));
    CHECK(static_cast<double>(counted.shared_load_requests) == in_all_warps(shared_reads));
    CHECK(static_cast<double>(counted.barriers) == in_all_warps(barriers_reached));
  }
}

TEST_CASE("a tile that is moved inside is loaded and computed as a whole, and stored once") {
  const Problem size{150, 300, 21};
  const Kernel& kernel = kernel_of("12f");
  const emulator::Counters counted =
      run(find_lesson("12f"), kernel.settings, size).emulation->total;
  CHECK(counted.global_load_bytes == 4 * 4 * (128 + 256) * 21);
  CHECK(counted.ffma == 4 * 128 * 256 * 21);
  CHECK(counted.global_store_bytes == 4 * 150 * 300);
}

TEST_CASE("a ring that is none is refused with the rule that it breaks") {
  const std::string threads = "more than an int counts";
  const Assignments huge = {"BM=524288", "BN=1048576"};  // 2^32 threads or more: 0 in 32 bits
  for (const char* lesson : {"12", "12b", "12c", "12d", "12f"}) {
    INFO("lesson " << lesson);
    CHECK(contains(refusal(lesson, {"STAGES=1"}), "STAGES must be 2 or more"));
    CHECK(contains(refusal(lesson, {"BK=6"}), "multiples of 4"));
    CHECK(contains(refusal(lesson, {"BM=100"}), "BM is not a multiple of TM"));
    CHECK(contains(refusal(lesson, {"WN=32"}), "(WM / TM)·(WN / TN) must be 32"));
    CHECK(contains(refusal(lesson, {"STAGES=16"}), "shared memory"));
    CHECK(contains(refusal(lesson, huge), threads));
  }
  CHECK(contains(refusal("12", {"BK=4"}), "do not fill the tiles by whole rows"));
  CHECK(contains(refusal("12b", {"BK=4"}), "do not fill the tiles by whole rows"));
  CHECK(contains(refusal("12d", {"TM=4", "WM=32"}), "do not fill the tiles by whole rows"));
  CHECK(contains(refusal("12f", {"TM=4", "WM=32"}), "do not fill the tiles by whole rows"));

  CHECK(contains(refusal("12e", {"WM=32"}), "(WM / TM)·(WN / TN) must be 32"));
  CHECK(contains(refusal("12e", {"BK=4"}), "do not share the rows of both tiles evenly"));
  CHECK(contains(refusal("12e", {"BK=18"}), "multiples of 4"));
  CHECK(contains(refusal("12e", {"STAGES=4"}), "shared memory"));
  CHECK(contains(refusal("12e", huge), threads));
}

TEST_CASE("a GPU that is too old for a kernel's copies is refused") {
  const auto error_on = [](const char* number, const std::string& gpu) {
    const Lesson& lesson = find_lesson(number);
    const Kernel& kernel = lesson.kernels.front();
    RunOptions options = on_emulator({8, 8, 8});
    options.gpu = gpu;
    return error_of([&] { run_kernel(lesson, kernel, kernel.settings, options); });
  };
  for (const char* lesson : {"12", "12b", "12c", "12d", "12f"}) {
    CHECK(contains(error_on(lesson, "t4").what(), "needs a GPU of compute capability 8.0"));
  }
  CHECK(contains(error_on("12e", "a100").what(), "needs a GPU of compute capability 9.0"));
}

TEST_CASE("what can go wrong in a ring is found") {
  struct Mistake {
    const char* lesson;
    std::string from, to;
    Problem size;
    std::string found;
  };
  const std::string waits = "wait_for_all_but<STAGES - 2>();",
                    barrier = "__syncthreads();  // all copies",
                    fills = "load((stage + STAGES - 1) % STAGES)";
  const Problem tile{128, 256, 64}, cut{131, 261, 37};
  const Mistake mistake = GENERATE_COPY(values<Mistake>({
      {"12", waits, "wait_for_all_but<STAGES - 1>();", tile, "race"},
      {"12", barrier, "//", tile, "race"},
      {"12", fills, "load(stage)", tile, "race"},
      {"12", "fragments(stage, k);", "fragments((stage + 1) % STAGES, k);", tile, "race"},
      {"12b", waits, "wait_for_all_but<STAGES - 1>();", tile, "race"},
      {"12b", barrier, "//", tile, "race"},
      {"12b", fills, "load(stage)", tile, "race, uninitialised"},
      {"12b", "        next_stage_is_full();\n        fragments((stage + 1) % STAGES, 0);",
       "        fragments((stage + 1) % STAGES, 0);\n        next_stage_is_full();", tile, "race"},
      {"12c", barrier, "//", tile, "race"},
      {"12d", waits, "wait_for_all_but<STAGES - 1>();", tile, "race"},
      {"12d", barrier, "//", tile, "race"},
      {"12d", fills, "load((stage + STAGES - 2) % STAGES)", tile, "race"},
      {"12d", "    end_group();\n#pragma unroll\n    for (int k = 0",
       "#pragma unroll\n    for (int k = 0", tile, "race"},
      {"12e", "expect(full[stage], 4 * BK * (BM + BN) / warps);",
       "expect(full[stage], 4 * BK * BN / warps);", tile, "endless"},
      {"12e", "wait(full[stage], step / STAGES % 2);", "wait(full[stage], 0);", tile, "endless"},
      {"12e", "__syncthreads();  // all threads have read the stage", "", tile, "race"},
      {"12e", "__syncthreads();  // all threads have read the stage", "", cut, "race"},
      {"12f", waits, "wait_for_all_but<STAGES - 1>();", tile, "race"},
      {"12f", "wait_for_all_but<0>();\n    __syncthreads();", "wait_for_all_but<0>();", cut,
       "race"},
      {"12f", "wait_for_all_but<0>();\n    __syncthreads();", "__syncthreads();", cut, "race"},
      // Blocks at the edge store equal values twice, which is a note.
      {"12f", "if (row < tile.row || row >= M) return;", "if (row >= M) return;", cut, ""},
      {"12f", "inside ? min(row, M - BM) : row", "row", cut, "bounds, uninitialised"},
  }));
  Lesson lesson = find_lesson(mistake.lesson);
  const std::size_t at = lesson.source.find(mistake.from);
  INFO("lesson " << mistake.lesson << ": " << mistake.from << " -> " << mistake.to);
  REQUIRE(at != std::string::npos);
  lesson.source.replace(at, mistake.from.size(), mistake.to);
  const KernelRun ran = run(lesson, lesson.kernels.front().settings, mistake.size);
  CHECK(kinds_found(ran) == mistake.found);
}

}  // namespace gemm_tutor
