// Kernels with a workspace, and a second launch or earlier ones, from source to verdict.
#include <algorithm>
#include <cmath>

#include "course/lesson_folder.hpp"
#include "course_checks.hpp"
#include "gpu/gpu.hpp"
#include "run/prepared_kernel.hpp"
#include "simt/check/fault.hpp"
#include "simt/compiler.hpp"
#include "stream_k_kernel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

LessonRun run_shared(const Lesson& lesson, int blocks, const RunOptions& options) {
  const Kernel& kernel = lesson.kernels.front();
  return run_kernel(lesson, kernel, settings_with(kernel, blocks), options);
}

// With `from` replaced in its source.
Lesson changed(const std::string& from, const std::string& to) {
  Lesson lesson = stream_k_lesson();
  lesson.source = replaced(lesson.source, from, to);
  return lesson;
}

// Of the lines after the head of the second pass.
simt::Counters counted_in_second_pass(const LessonRun& run, const Lesson& lesson) {
  const std::size_t at = lesson.source.find("void add_partial_tiles(");
  const auto head = std::count(lesson.source.begin(),
                               lesson.source.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  simt::Counters counters;
  for (const simt::LineCounters& line : run.emulation->lines) {
    if (line.line > head) counters += line.counters;
  }
  return counters;
}

constexpr const char* source_with_launches = R"(
template <int BM>
__global__ void transpose(const float* A, const float* B, float* C, int M, int N, int K,
                          float* columns) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
  if (n < N) columns[n * K + k] = B[k * N + n];
}

template <int BM>
__global__ void by_columns(const float* A, const float* B, float* C, int M, int N, int K,
                           float* columns) {
  const int row = blockIdx.y * BM + threadIdx.y, column = blockIdx.x * BM + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * columns[column * K + k];
  C[row * N + column] = sum;
}
)";

constexpr const char* declared_launches = R"(title = "By columns"
[kernel]
entry = "by_columns<BM>"
values = { BM = 8 }
block = ["BM", "BM"]
tile = ["BM", "BM"]
before = [ { kernel = "transpose", block = 32, grid_x = "(N + 31) / 32", grid_y = "K" } ]
workspace = "columns"
workspace_floats = "N * K"
loads = "2·M·N·K + N·K"
stores = "M·N + N·K"
exact_at_edges = true
)";

Lesson lesson_with_launches(const std::string& declaration,
                            const std::string& source = source_with_launches) {
  LessonFiles files;
  files.folder = "60-by-columns";
  files.text = "Text.\n";
  files.declaration = declaration;
  files.kernel = source;
  files.kernel_name = "kernel.cu";
  return read_lesson(files, {});
}

LessonRun run_with_launches(const Lesson& lesson, const RunOptions& options) {
  const Kernel& kernel = lesson.kernels.front();
  return run_kernel(lesson, kernel, kernel.settings, options);
}

}  // namespace

TEST_CASE("blocks that share tiles compute C together with their second pass") {
  const Lesson lesson = stream_k_lesson();
  for (const Problem& problem : stream_k_sizes) {
    for (const int blocks : {1, 3, 7, 200}) {
      INFO(text(problem) << " on " << blocks);
      const LessonRun run = run_shared(lesson, blocks, on_emulator(problem));
      CHECK(run.verification.passed);
      CHECK(run.verification.elements_checked == problem.c_elements());
      CHECK(run.emulation->findings.empty());
      CHECK(run.emulation->exact);
      CHECK(run.emulation->blocks_total == static_cast<std::uint64_t>(blocks));
      CHECK(run.emulation->total.ffma == static_cast<std::uint64_t>(problem.multiply_adds()));
    }
  }
}

TEST_CASE("the counts of both passes are added, line by line") {
  const Lesson lesson = stream_k_lesson();
  const LessonRun run = run_shared(lesson, 7, on_emulator({16, 48, 64}));
  // 3 tiles on 7 blocks: no tile is one block's alone. Block b has steps [24b/7, 24(b + 1)/7), and
  // blocks 2 and 4 have a piece of two tiles each.
  constexpr std::uint64_t pieces = 9, tile_bytes = 4 * 16 * 16;
  const simt::Counters second = counted_in_second_pass(run, lesson);
  CHECK(second.global_load_bytes == pieces * tile_bytes);
  CHECK(second.global_store_bytes == 3 * tile_bytes);
  CHECK(run.emulation->total.global_store_bytes == (pieces + 3) * tile_bytes);
  CHECK(*run.traffic.counted_stores == (9 + 3) * 256);
}

TEST_CASE("a run says how both passes are launched, and what each needs") {
  const Lesson lesson = stream_k_lesson();
  const LessonRun run = run_shared(lesson, 7, on_emulator({16, 48, 64}));
  CHECK(run.launch == simt::Launch{{7}, {64}});
  CHECK(run.launch->statement ==
        "share_tiles<16, 16, 4, 2, 7><<<7, 64>>>(A, B, C, M, N, K, partial)");
  REQUIRE(run.second_launch);
  CHECK(run.second_launch == simt::Launch{{1, 3}, {256}});
  CHECK(run.second_launch->statement ==
        "add_partial_tiles<16, 16, 4, 2, 7><<<dim3(1, 3), 256>>>(A, B, C, M, N, K, partial)");
  CHECK((run.second_launch->resources.registers_per_thread > 0) ==
        simt::compiler_status().has_assembler);
  CHECK(run.second_launch->occupancy.blocks_per_multiprocessor > 0);

  CHECK_FALSE(run_shared(lesson, 3, on_emulator({16, 48, 64})).second_launch);
}

TEST_CASE("a sample of blocks that share tiles verifies the tiles that it completes") {
  const Lesson lesson = stream_k_lesson();
  for (const int blocks : {20, 50, 200}) {  // whole waves, and 36 tiles for more blocks than that
    INFO(blocks);
    RunOptions options = on_emulator({96, 96, 640});
    options.blocks = 4;
    const LessonRun run = run_shared(lesson, blocks, options);
    CHECK_FALSE(run.emulation->exact);
    CHECK(run.emulation->blocks_emulated < static_cast<std::uint64_t>(blocks));
    CHECK(run.emulation->findings.empty());
    CHECK(run.verification.passed);
    CHECK(run.verification.elements_checked >= 256);
    CHECK(run.verification.elements_checked < 96 * 96);
    CHECK(run.verification.elements_checked % 256 == 0);
    const auto ffma = static_cast<double>(run.emulation->total.ffma);
    CHECK(ffma > 0.9 * 96 * 96 * 640);
    CHECK(ffma < 1.1 * 96 * 96 * 640);
  }
}

TEST_CASE("a sample that has to have all blocks is none") {
  const Lesson lesson = stream_k_lesson();
  RunOptions options = on_emulator({16, 16, 640});
  options.blocks = 2;
  const LessonRun run = run_shared(lesson, 9, options);  // one tile for all of them
  CHECK(run.emulation->exact);
  CHECK(run.verification.passed);
  CHECK(run.verification.elements_checked == 256);
}

TEST_CASE("a second pass that forgets a piece, or none of it, is found") {
  const Problem problem{16, 48, 64};
  const Lesson forgets = changed("b < BLOCKS; ++b", "b < BLOCKS - 1; ++b");
  const LessonRun run = run_shared(forgets, 7, on_emulator(problem));
  CHECK_FALSE(run.verification.passed);
  CHECK(run.verification.wrong_elements == 256);
  CHECK(run.verification.unwritten_elements == 0);

  // The part of a block that a kernel took for another's: never written, so not a number.
  const Lesson misplaces = changed("const int piece = from < begin;", "const int piece = 1;");
  const LessonRun misplaced = run_shared(misplaces, 7, on_emulator(problem));
  CHECK_FALSE(misplaced.verification.passed);
  CHECK(misplaced.verification.unwritten_elements == 0);

  RunOptions sampled = on_emulator({96, 96, 640});
  sampled.blocks = 4;
  CHECK_FALSE(run_shared(misplaces, 200, sampled).verification.passed);
}

TEST_CASE("findings of a second pass name its lines, and one that leaves C out is found") {
  const Lesson beyond = changed("BM * BN + e];", "BM * BN + e + 100000];");
  const LessonRun run = run_shared(beyond, 7, on_emulator({16, 48, 64}));
  REQUIRE_FALSE(run.emulation->findings.empty());
  const simt::Finding& finding = run.emulation->findings.front();
  CHECK(finding.kind() == simt::FindingKind::bounds);
  CHECK(contains(split_lines(beyond.source).at(finding.line - 1), "100000"));
  CHECK(finding.array == "partial");

  const Lesson leaves = changed("if (!is_whole && i < M && j < N)", "if (is_whole)");
  const LessonRun left = run_shared(leaves, 7, on_emulator({16, 48, 64}));
  REQUIRE(left.emulation->findings.size() == 1);
  CHECK(left.emulation->findings[0].kind() == simt::FindingKind::unwritten);
}

TEST_CASE("a second pass may not write the workspace that it adds up") {
  const Lesson writes =
      changed("if (!is_whole && i < M", "partial[e] = sum; if (!is_whole && i < M");
  const LessonRun run = run_shared(writes, 7, on_emulator({16, 48, 64}));
  REQUIRE_FALSE(run.emulation->findings.empty());
  CHECK(run.emulation->findings[0].fault->fault == simt::Fault::read_only);
}

TEST_CASE("a kernel is prepared with its second pass") {
  const Lesson lesson = stream_k_lesson();
  const LessonKernel kernel(lesson, lesson.kernels.front(),
                            settings_with(lesson.kernels.front(), 7));
  const auto prepared = prepare_kernel(kernel, on_emulator({16, 48, 64}));
  REQUIRE(prepared);
  CHECK(prepared->second_launch == simt::Launch{{1, 3}, {256}});
}

TEST_CASE("a prepared kernel and its second pass take other problems") {
  const Lesson lesson = stream_k_lesson();
  const Kernel& kernel = lesson.kernels.front();
  const Problem first{16, 48, 64};
  PreparedKernel prepared =
      prepare(kernel_source(lesson, kernel, kernel.settings, first), first, simt::find_gpu("h200"));
  CHECK_FALSE(prepared.second_launch);
  for (const Problem& problem : stream_k_sizes) {
    set_problem(prepared, problem);
    Matrices matrices = make_matrices(problem, 1);
    emulate(prepared, matrices, {});
    CHECK(verify(problem, matrices.a, matrices.b, matrices.c).passed);
  }
}

TEST_CASE("a kernel for newer GPUs is refused before it is compiled") {
  Lesson lesson = stream_k_lesson();
  lesson.source = "this does not compile";
  lesson.kernels.front().compute_capability = 80;
  RunOptions options = on_emulator({16, 16, 16});
  options.gpu = "t4";
  const Error error = error_of([&] { run_shared(lesson, 3, options); });
  CHECK(error.status() == ExitStatus::usage);
  CHECK(contains(error.what(), "compute capability 8.0"));
  CHECK(contains(error.what(), "NVIDIA T4 has 7.5"));
  CHECK(contains(error.help(), "--gpu a100"));
  options.gpu = "a100";
  CHECK(error_of([&] { run_shared(lesson, 3, options); }).status() == ExitStatus::compile_error);
}

TEST_CASE("flags are template arguments that follow from the problem") {
  Lesson lesson = stream_k_lesson();
  Kernel& kernel = lesson.kernels.front();
  kernel.flags = {{"wide", "N % 4 == 0"}, {"inside", "M >= BM and N >= BN"}};
  CHECK(kernel.name_expression(kernel.settings, {8, 8, 8}) ==
        "share_tiles<16, 16, 4, 2, 3, true, false>");
  CHECK(kernel.second_name_expression(kernel.settings, {8, 7, 8}) ==
        "add_partial_tiles<16, 16, 4, 2, 3, false, false>");
}

TEST_CASE("a kernel may choose its settings for a GPU and a problem") {
  Lesson lesson = stream_k_lesson();
  Kernel& kernel = lesson.kernels.front();
  const simt::GpuSpec gpu = simt::find_gpu("h200");
  CHECK(effective_settings(kernel, gpu, {8, 8, 8}) == kernel.settings);
  kernel.choose = [&](const simt::GpuSpec& chosen, const Problem& problem) {
    return settings_with(kernel, chosen.multiprocessors + problem.m);
  };
  CHECK(effective_settings(kernel, gpu, {8, 8, 8})["BLOCKS"] == gpu.multiprocessors + 8);
}

TEST_CASE("both passes run on a GPU, and are timed together") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const Lesson lesson = stream_k_lesson();
  for (const Problem& problem : stream_k_sizes) {
    for (const int blocks : {1, 3, 7, 200}) {
      INFO(text(problem) << " on " << blocks);
      RunOptions options = on_emulator(problem);
      options.backend = Backend::gpu;
      options.gpu.clear();
      options.one_of_many = true;
      const LessonRun run = run_shared(lesson, blocks, options);
      CHECK(run.backend == Backend::gpu);
      CHECK(run.verification.passed);
      REQUIRE(run.timing);
      CHECK(run.timing->median_ms > 0);
    }
  }
}

TEST_CASE("on a GPU, too, a part that no block wrote is not a number") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const Lesson misplaces = changed("const int piece = from < begin;", "const int piece = 1;");
  const Kernel& kernel = misplaces.kernels.front();
  const Problem problem{16, 48, 64};
  const PreparedKernel prepared =
      prepare(kernel_source(misplaces, kernel, settings_with(kernel, 7), problem), problem,
              gpu::status().spec);
  const Matrices matrices = make_matrices(problem, 1);
  gpu::Session session(problem, matrices.a, matrices.b);
  const std::vector<float> c = session.run(on_device(prepared));
  CHECK(std::ranges::any_of(c, [](float value) { return std::isnan(value); }));
  CHECK(std::ranges::none_of(c, is_poison));
}

TEST_CASE("launches before a kernel's own fill its workspace, and all are counted together") {
  for (const Problem& problem : {Problem{16, 24, 40}, {1, 1, 1}, {9, 35, 7}}) {
    INFO(text(problem));
    const LessonRun run =
        run_with_launches(lesson_with_launches(declared_launches), on_emulator(problem));
    CHECK(run.verification.passed);
    CHECK(run.emulation->findings.empty());
    CHECK(run.traffic.counted_loads == run.predicted.loads);
    CHECK(run.traffic.counted_stores == run.predicted.stores);
    REQUIRE(run.earlier_launches.size() == 1);
    const KernelLaunch& first = run.earlier_launches.front();
    const auto across = static_cast<std::uint32_t>((problem.n + 31) / 32);
    CHECK(first == simt::Launch{{across, static_cast<std::uint32_t>(problem.k)}, {32}});
    CHECK(first.statement.starts_with("transpose<8><<<"));
    CHECK(first.statement.ends_with("(A, B, C, M, N, K, columns)"));
  }
}

TEST_CASE("a launch that leaves something out is found where it is read") {
  const std::string source =
      replaced(source_with_launches, "if (n < N) columns", "if (n > 0 && n < N) columns");
  const LessonRun run =
      run_with_launches(lesson_with_launches(declared_launches, source), on_emulator({8, 16, 8}));
  CHECK_FALSE(run.verification.passed);
  CHECK(run.emulation->total.global_store_bytes == 4 * (8 * 16 + 15 * 8));
}

TEST_CASE("what is wrong in a declaration of launches is said with its line") {
  for (const auto& [from, to, what] :
       {std::tuple{"grid_y = \"K\"", "grid_y = \"BM\"", "'grid_y' is not a whole number made of"},
        {"workspace = \"columns\"\n", "", "workspace"},
        {"workspace_floats = \"N * K\"", "workspace_floats = \"N *\"", "'workspace_floats'"},
        {"kernel = \"transpose\", ", "", "kernel"}}) {
    INFO(to);
    CHECK_THROWS_WITH(lesson_with_launches(replaced(declared_launches, from, to)),
                      Catch::Contains(what));
  }
}

}  // namespace gemm_tutor
