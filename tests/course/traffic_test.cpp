// What the kernels do to memory, as the emulator counts it: against the lessons' formulas, against
// numbers worked out by hand, and against what a GPU's profiler counted.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "course/glossary.hpp"
#include "course/recorded.hpp"
#include "course_checks.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

simt::Counters counters_of(int lesson, const Problem& problem) {
  return run_lesson(lesson, problem).emulation->total;
}

}  // namespace

TEST_CASE("counts equal the formula where the size is a multiple of the tile",
          "[long][clang-nightly]") {
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    for (const Kernel& kernel : lesson.kernels) {
      if (kernel.from_library) continue;  // which has no formula
      for (const Problem& size : {Problem{128, 256, 96}, {256, 256, 384}}) {
        INFO(kernel.name << " at " << text(size));
        const LessonRun run = run_kernel(lesson, kernel, kernel.settings, on_emulator(size));
        CHECK(run.predicted.is_exact);
        CHECK(run.traffic.count_is_exact);
        CHECK(run.traffic.counted_loads == run.predicted.loads);
        CHECK(run.traffic.counted_stores == run.predicted.stores);
      }
    }
  }
}

TEST_CASE(
    "blocks that share tiles count what the formula says, in waves and without, in both passes",
    "[long][clang]") {
  const Lesson& lesson = find_lesson("beyond-cublas");
  const Kernel& kernel = lesson.kernels.front();
  Settings settings = kernel.choose(simt::find_gpu("h200"), {512, 512, 512});
  for (const int blocks : sample_of(std::vector{1, 3, 5, 8, 24, 1000}, 3)) {
    settings.set("BLOCKS", blocks);
    for (const Problem& size : {Problem{128, 128, 96}, {96, 192, 128}, {32, 64, 32}}) {
      INFO(blocks << " blocks at " << text(size));
      const LessonRun run = run_kernel(lesson, kernel, settings, on_emulator(size));
      CHECK(run.verification.passed);
      CHECK(run.predicted.is_exact);
      CHECK(run.traffic.counted_loads == run.predicted.loads);
      CHECK(run.traffic.counted_stores == run.predicted.stores);
      const double parts = values_before(kernel, settings, size).at("P");
      if (!run.second_launch) CHECK(parts == 0);
    }
  }
}

TEST_CASE("a formula that says it is exact is so at every size", "[long]") {
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    for (const Kernel& kernel : lesson.kernels) {
      if (kernel.from_library) continue;
      const LessonRun run = run_kernel(lesson, kernel, kernel.settings, on_emulator({33, 40, 8}));
      INFO(kernel.name);
      CHECK((run.traffic.counted_loads == run.predicted.loads) == run.predicted.is_exact);
      CHECK(run.traffic.counted_stores == run.predicted.stores);
    }
  }
}

TEST_CASE("whole tiles of C count what the formula says, whatever is left of K", "[long]") {
  for (const Lesson& lesson : sample_of(lessons(), 11)) {
    for (const Kernel& kernel : lesson.kernels) {
      if (kernel.from_library) continue;
      for (const int k : {1, 37}) {
        INFO(kernel.name << " at K = " << k);
        const LessonRun run =
            run_kernel(lesson, kernel, kernel.settings, on_emulator({128, 256, k}));
        CHECK(run.predicted.is_exact);
        CHECK(run.traffic.counted_loads == run.predicted.loads);
        CHECK(run.traffic.counted_stores == run.predicted.stores);
      }
    }
  }
}

// M = 33, N = 40, K = 8: a row of A is 8 floats or 1 sector, a row of B and of C is 40 floats or 5
// sectors. In tiles of 32 the rows are 32 + 1 and the columns 32 + 8, so the grid has 4 blocks.
TEST_CASE("lesson 1 by hand: 33×40×8") {
  // Warps with a thread inside C: 40 columns x 2 blocks of rows = 80, each with K = 8 steps.
  const simt::Counters counted = counters_of(1, {33, 40, 8});
  CHECK(counted.global_load_requests == 80 * 8 * 2);
  // A: its rows are a sector apart, so a column of C takes 32 + 1 sectors a step. B: 1 a request.
  CHECK(counted.global_load_sectors == 40 * 33 * 8 + 80 * 8);
  CHECK(counted.global_load_bytes == 4 * 2 * 33 * 40 * 8);
  CHECK(counted.global_store_requests == 80);
  CHECK(counted.global_store_sectors == 40 * 33);
  CHECK(counted.global_store_bytes == 4 * 33 * 40);
  CHECK(counted.ffma == 33 * 40 * 8);
  CHECK(counted.shared_load_requests == 0);
  CHECK(counted.barriers == 0);
}

TEST_CASE("lesson 2 by hand: 33×40×8") {
  // Warps with a thread inside C: 33 rows x 2 blocks of columns = 66.
  const simt::Counters counted = counters_of(2, {33, 40, 8});
  CHECK(counted.global_load_requests == 66 * 8 * 2);
  // A: 1 a request. B: the two warps of a row of C take 4 + 1 sectors a step.
  CHECK(counted.global_load_sectors == 66 * 8 + 33 * 8 * 5);
  CHECK(counted.global_load_bytes == 4 * 2 * 33 * 40 * 8);
  CHECK(counted.global_store_requests == 66);
  CHECK(counted.global_store_sectors == 33 * 5);
  CHECK(counted.ffma == 33 * 40 * 8);
}

TEST_CASE("lesson 3 by hand: 33×40×8") {
  // One step of BK = 32 covers K. Each block's 32 warps run it whole, with zeros beyond the edges.
  const simt::Counters counted = counters_of(3, {33, 40, 8});
  // A: 33 rows for each of 2 blocks of columns. B: 8 rows in 2 parts for each of 2 blocks of rows.
  CHECK(counted.global_load_requests == 33 * 2 + 8 * 2 * 2);
  CHECK(counted.global_load_sectors == 33 * 2 * 1 + 8 * 5 * 2);
  CHECK(counted.global_load_bytes == 4 * (33 * 8 * 2 + 8 * 40 * 2));  // M·K·⌈N/BN⌉ + K·N·⌈M/BM⌉
  CHECK(counted.global_store_requests == 66);
  CHECK(counted.global_store_sectors == 33 * 5);
  CHECK(counted.ffma == 4 * 1024 * 32);
  CHECK(counted.shared_store_requests == 4 * 32 * 2);
  CHECK(counted.shared_store_wavefronts == 4 * 32 * 2);
  // A's word for all lanes: four k by one load, of 16 bytes and so two wavefronts. B's: one a bank.
  CHECK(counted.shared_load_requests == 4 * 32 * (32 / 4 + 32));
  CHECK(counted.shared_load_wavefronts == 4 * 32 * (2 * 32 / 4 + 32));
  CHECK(counted.ptx.shared_load_requests == 4 * 32 * 32 * 2);
  CHECK(counted.barriers == 4 * 32 * 2);
}

TEST_CASE("requests and sectors equal those Nsight Compute counted on an H200 on 2026-11-20",
          "[long][clang]") {
  struct Row {  // of three other kernels with the same access patterns
    int lesson, size;
    std::uint64_t load_requests, load_sectors, store_requests, store_sectors, ffma;
  };
  const std::vector<Row> rows = {
      {1, 256, 1048576, 17301504, 2048, 65536, 16777216},
      {1, 512, 8388608, 138412032, 8192, 262144, 134217728},
      {2, 256, 1048576, 2621440, 2048, 8192, 16777216},
      {2, 512, 8388608, 20971520, 8192, 32768, 134217728},
      {3, 256, 32768, 131072, 2048, 8192, 16777216},
      {3, 512, 262144, 1048576, 8192, 32768, 134217728},
  };
  for (const Row& row : rows) {
    INFO("lesson " << row.lesson << " at " << row.size);
    const simt::Counters counted = counters_of(row.lesson, {row.size, row.size, row.size});
    CHECK(counted.global_load_requests == row.load_requests);
    CHECK(counted.global_load_sectors == row.load_sectors);
    CHECK(counted.global_store_requests == row.store_requests);
    CHECK(counted.global_store_sectors == row.store_sectors);
    CHECK(counted.ffma == row.ffma);
  }
}

// A row of h200_counters.csv, by the names of its columns.
using Row = std::map<std::string, std::string>;

std::vector<Row> profiled() {
  std::ifstream file(PROJECT_SOURCE_DIR "/tests/course/h200_counters.csv");
  std::vector<std::string> columns;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream fields(line);
    std::vector<std::string> values;
    for (std::string text; std::getline(fields, text, ',');) values.push_back(text);
    if (columns.empty()) {
      columns = values;
      continue;
    }
    REQUIRE(values.size() == columns.size());
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) row[columns[i]] = values[i];
  }
  return rows;
}

bool near(std::uint64_t counted, std::uint64_t profiled, double part) {
  return static_cast<double>(counted) == Approx(static_cast<double>(profiled)).epsilon(part);
}

// The run of a row's kernel, with the settings that the profiler saw.
LessonRun run_of(const Row& row) {
  const int size = std::stoi(row.at("size"));
  const RunOptions options = on_emulator({size, size, size});
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      if (kernel.name != row.at("kernel")) continue;
      return run_kernel(lesson, kernel,
                        untuned_settings(kernel, simt::find_gpu("h200"), options.problem), options);
    }
  }
  throw std::runtime_error("no lesson has the kernel " + row.at("kernel"));
}

// The metric has all passes of the pipe that serves loads and stores, per cycle of an SM.
TEST_CASE("loads take as many wavefronts of the L1 cache as the profiler saw") {
  const simt::GpuSpec& gpu = simt::find_gpu("h200");
  for (const char* name : {"1", "2", "4"}) {
    const Lesson& lesson = find_lesson(name);
    INFO("lesson " << name);
    RunOptions options = on_emulator({2048, 2048, 2048});
    options.blocks = std::int64_t{1};
    const Kernel& kernel = lesson.kernels.front();
    const LessonRun run = run_kernel(lesson, kernel, kernel.settings, options);
    const double nanoseconds = profiled(recorded_profile(), kernel.name, "duration");
    const double share = profiled(recorded_profile(), kernel.name, "wavefront_percent/100");
    const double cycles = nanoseconds * gpu.clock_ghz * gpu.multiprocessors;
    CHECK(static_cast<double>(run.emulation->total.global_load_wavefronts) ==
          Approx(share * cycles).epsilon(0.01));
  }
}

TEST_CASE("an odd K spreads the rows that a warp of lesson 1 reads over all banks") {
  const auto wavefronts_per_request = [](int k) {
    const simt::Counters counted = counters_of(1, {64, 64, k});
    return static_cast<double>(counted.global_load_wavefronts) /
           static_cast<double>(counted.global_load_requests);
  };
  CHECK(wavefronts_per_request(64) == 16.5);
  CHECK(wavefronts_per_request(63) == 1);
  CHECK(wavefronts_per_request(72) == 4.5);  // 8 banks apart: 8 words in each of four banks
}

TEST_CASE("values in named registers change no count of lesson 9's padded kernel") {
  Lesson lesson = find_lesson("9");
  const Kernel& kernel = find_kernel(lesson, "double_buffer_padded");
  const auto counted = [&](int size) {
    return run_kernel(lesson, kernel, kernel.settings, on_emulator({size, size, size}))
        .emulation->total;
  };
  const simt::Counters whole = counted(64), cut = counted(100);
  const auto replace_last = [&](const std::string& from, const std::string& to) {
    const std::size_t at = lesson.source.rfind(from);
    REQUIRE(at != std::string::npos);
    lesson.source.replace(at, from.size(), to);
  };
  const std::string read_a = "a_tile[buffer][ty * TM + i][k]",
                    read_b = "b_tile[buffer][k][tx * TN + j]", loop = "k < BK; ++k) {";
  replace_last(read_a + " * " + read_b, "a[i] * b[j]");
  replace_last(loop, loop + "float a[TM], b[TN]; for (int i = 0; i < TM; ++i) a[i] = " + read_a +
                         "; for (int j = 0; j < TN; ++j) b[j] = " + read_b + ";");
  for (const auto& [named, before] : {std::pair{counted(64), whole}, {counted(100), cut}}) {
    CHECK(named.machine == before.machine);
    CHECK(named.shared_load_requests == before.shared_load_requests);
    CHECK(named.shared_load_wavefronts == before.shared_load_wavefronts);
    CHECK(named.shared_store_wavefronts == before.shared_store_wavefronts);
    CHECK(named.global_load_sectors == before.global_load_sectors);
  }
}

TEST_CASE("every lesson's kernel counts what Nsight Compute counted of it: h200_counters.csv",
          "[long][clang]") {
  const bool has_assembler = simt::compiler_status().has_assembler;
  const std::vector<Row> rows = profiled();
  CHECK(rows.size() == 113);
  for (const Row& row : sample_of(rows, 15)) {
    const std::string& name = row.at("kernel");
    INFO(name << " at " << row.at("size"));
    // clang splits accesses of 16 bytes of these kernels, so that it makes more requests than
    // NVRTC, whose code the profiler counted.
    const std::set<std::string> split = {"swizzle", "padded_rows", "plain_rows", "tensor_pipeline",
                                         "fp32_from_fp16"};
    if (!has_assembler && split.contains(name)) continue;
    const auto column = [&](const char* of) { return std::stoull(row.at(of)); };
    const LessonRun run = run_of(row);
    const simt::Counters& counted = run.emulation->total;
    CHECK(counted.global_load_requests == column("global_load_requests"));
    CHECK(counted.global_load_sectors == column("global_load_sectors"));
    CHECK(counted.global_store_requests == column("global_store_requests"));
    CHECK(counted.global_store_sectors == column("global_store_sectors"));
    CHECK(counted.ffma == column("ffma"));
    if (!has_assembler) continue;
    CHECK(counted.unmatched_requests == 0);
    // Of ldmatrix the profiler also counts those that a predicate turns off.
    if (counted.tensor_multiply_adds > 0) {
      CHECK(counted.shared_load_requests <= column("shared_load_instructions"));
    } else {
      CHECK(counted.shared_load_requests == column("shared_load_instructions"));
    }
    CHECK(counted.shared_store_requests == column("shared_store_instructions"));
    // The profiler counts a few more than these, and not as many in each run.
    const std::uint64_t wavefronts = column("shared_load_wavefronts");
    CHECK(counted.shared_load_wavefronts <= wavefronts);
    CHECK(near(counted.shared_load_wavefronts, wavefronts, 0.005));
    CHECK(counted.shared_load_conflicts <= column("shared_load_conflicts"));
    CHECK(column("shared_load_conflicts") - counted.shared_load_conflicts <= wavefronts / 200);
    const std::uint64_t instructions = column("instructions");
    // Jumps and waits for copies of async_copy_bulk differ a little. Of fp32_from_fp16's four
    // launches at most 0.8 % is missing, and why is not known.
    const double tolerance = name == "async_copy_bulk"  ? 0.003
                             : name == "fp32_from_fp16" ? 0.008
                                                        : 0;
    if (tolerance == 0) CHECK(counted.machine_instructions() == instructions);
    CHECK(near(counted.machine_instructions(), instructions, std::max(tolerance, 1e-9)));
  }
}

TEST_CASE("the texts name the counts that Nsight Compute counted at 256") {
  const std::vector<Row> rows = profiled();
  const auto is_named = [&](const std::string& text, const char* kernel, const char* column) {
    const auto is_it = [&](const Row& row) {
      return row.at("kernel") == kernel && row.at("size") == "256";
    };
    const auto row = std::ranges::find_if(rows, is_it);
    REQUIRE(row != rows.end());
    INFO(kernel << ": " << column);
    CHECK(contains(text, with_thousands(std::stoll(row->at(column)))));
  };
  is_named(project_file("docs/results/sources.md"), "naive_coalesced", "instructions");
  const std::string& padding = find_lesson("bank-conflicts").text;
  for (const char* kernel : {"thread_tile", "padded_tiles"}) {
    is_named(padding, kernel, "shared_load_instructions");
    is_named(padding, kernel, "shared_load_wavefronts");
    is_named(find_term("cubin").example, kernel, "shared_load_instructions");
  }
  is_named(find_term("PTX").example, "shared_memory_tile", "shared_load_instructions");
  is_named(find_term("emulator").example, "naive_uncoalesced", "global_load_sectors");
  is_named(find_term("emulator").example, "naive_uncoalesced", "global_load_requests");
}

TEST_CASE("lesson 0 by hand: 2×3×5") {
  const Lesson& lesson = find_lesson("cpu-loop");
  const auto run = [&](const char* kernel) {
    return run_kernel(lesson, find_kernel(lesson, kernel), {}, on_emulator({2, 3, 5})).traffic;
  };
  // 30 multiply-adds, each with a float of A and one of B; 6 sums stored.
  CHECK(run("cpu_loop").counted_loads == 60);
  CHECK(run("cpu_loop").counted_stores == 6);
  // 30 multiply-adds, each with a float of B and one of C, which is stored again; 10 floats of A;
  // 6 zeros stored first.
  CHECK(run("cpu_loop_reordered").counted_loads == 70);
  CHECK(run("cpu_loop_reordered").counted_stores == 36);
}

TEST_CASE("lesson 0 at a large size is counted on some rows, and says so") {
  const LessonRun run = run_lesson(0, {40, 2048, 1024});
  const Traffic& traffic = run.traffic;
  CHECK_FALSE(traffic.count_is_exact);
  CHECK(traffic.counted_loads == run.predicted.loads);
  CHECK(traffic.counted_stores == run.predicted.stores);
}

}  // namespace gemm_tutor
