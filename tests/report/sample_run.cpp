#include "sample_run.hpp"

#include "sample_findings.hpp"

namespace gemm_tutor {
namespace {

// Line 7 is as long as code in a lesson gets, and line 8 longer than any terminal.
constexpr const char* tile_source = R"(// A kernel.
template <int BM, int BN, int BK>
__global__ void shared_memory_tile(const float* A, const float* B, float* C, int M, int N, int K) {
// excerpt: shared_memory_tile
  for (int k0 = 0; k0 < K; k0 += BK) {
    a_tile[ty][tx] = A[row * K + k0 + tx];
    b_tile[ty][tx] = k0 + ty < K && column < N ? B[(k0 + ty) * N + column] : 0.0f;
    const float nothing = some_function_with_a_long_name(row, column, a_tile[ty][tx], b_tile[ty][tx], k0);
    __syncthreads();  // nobody reads before everybody wrote

    for (int k = 0; k < BK; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
  }
// end excerpt
}
)";

constexpr const char* tile_text = R"(# A tile in shared memory

Each block keeps a 32×32 tile of `A` and of `B` in *shared memory*, so that a value fetched from
global memory once is used **32 times** — and M·N·K stays what it was.

A second paragraph, which the report does not show.
)";

constexpr const char* loop_source = R"(// excerpt: cpu_loop
for (int i = 0; i < M; ++i)
// end excerpt
// excerpt: cpu_loop_reordered
for (int k = 0; k < K; ++k)
// end excerpt
)";

// That loads `from` in global memory, and accesses a tile in shared memory.
simt::LineCounters line_counters(int line, const simt::Counters& c, const std::string& from,
                                 const std::string& tile) {
  using simt::MemorySpace;
  simt::LineCounters result{line, c};
  if (!from.empty()) {
    result.operands.push_back(
        {from, MemorySpace::global, c.global_load_requests, c.global_load_sectors});
  }
  result.operands.push_back({tile, MemorySpace::shared,
                             c.shared_load_requests + c.shared_store_requests,
                             c.shared_load_wavefronts + c.shared_store_wavefronts,
                             c.shared_load_conflicts + c.shared_store_conflicts});
  return result;
}

simt::Result tile_emulation() {
  simt::Counters tile_store;
  tile_store.global_load_requests = 8388608;
  tile_store.global_load_sectors = 33554432;
  tile_store.shared_store_requests = 8388608;
  tile_store.shared_store_wavefronts = 8388608;
  simt::Counters inner;
  inner.shared_load_requests = 1000;
  inner.shared_load_wavefronts = 1200;
  inner.shared_load_conflicts = 200;
  inner.ffma = 8589934592;
  inner.instructions[static_cast<std::size_t>(simt::InstructionKind::ffma)] = 1000;
  inner.instructions[static_cast<std::size_t>(simt::InstructionKind::memory)] = 3000;

  simt::Result result;
  result.lines = {line_counters(6, tile_store, "A", "a_tile"),
                  line_counters(7, tile_store, "B", "b_tile"),
                  line_counters(11, inner, "", "a_tile")};
  for (const simt::LineCounters& line : result.lines) result.total += line.counters;
  result.blocks_emulated = result.blocks_total = 4096;
  result.seconds = 1.9;
  return result;
}

Verification all_right(std::int64_t elements) {
  Verification verification;
  verification.passed = true;
  verification.elements_checked = verification.elements_total = elements;
  verification.worst_error_over_bound = 0.01;
  return verification;
}

Sample sample(Lesson lesson, const Problem& problem) {
  auto kept = std::make_unique<Lesson>(std::move(lesson));
  const LessonKernel own(*kept, kept->kernels.front());
  Sample result{std::move(kept), {{}, own}};
  result.run.source.file_name = result.lesson->source_file;
  result.run.source.source = result.lesson->source;
  result.run.excerpt = excerpt(*result.lesson, *result.run.kernel);
  result.run.problem = problem;
  result.run.verification = all_right(problem.c_elements());
  return result;
}

}  // namespace

Sample emulated_sample() {
  Kernel kernel;
  kernel.name = kernel.function = "shared_memory_tile";
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 32}};
  kernel.traffic = {"M·N·K·(1/BM + 1/BN)", "M·N"};
  Lesson lesson;
  lesson.number = lesson.place = 3;
  lesson.slug = "shared-memory-tile";
  lesson.title = "A tile in shared memory";
  lesson.text = tile_text;
  lesson.source_file = "lessons/03-shared-memory-tile/kernel.cu";
  lesson.source = tile_source;
  lesson.kernels = {kernel};
  lesson.change = "A tile is loaded once by the whole block and then read from shared memory.";
  Sample result = sample(lesson, {2048, 2048, 2048});
  result.lesson->exercise = tile_source;
  LessonRun& run = result.run;
  run.settings = kernel.settings;
  run.backend = Backend::emulator;
  run.device = "emulator · H200 limits";
  run.launch = KernelLaunch{
      {{64, 64, 1}, {32, 32, 1}, 0},
      "shared_memory_tile<32, 32, 32><<<dim3(64, 64), dim3(32, 32)>>>(A, B, C, M, N, K)",
      {38, 8192, 0, 0, 0},
      {2, 1.0, "threads"}};
  run.predicted = {536870912, 4194304};
  run.traffic = {536870912, 4194304};
  run.emulation = tile_emulation();
  run.recorded = RecordedTiming{"NVIDIA H200", "580.159.04", "2026-11-21", 1.84, 9.3, 18.0};
  run.comparison = Comparison{&find_lesson("2"), 32.0, 20.0, true};
  return result;
}

simt::Estimate sample_estimate() {
  simt::Estimate estimate;
  estimate.gpu = "NVIDIA H200";
  estimate.median_ms = 1.26;
  estimate.low_ms = 1.12;
  estimate.high_ms = 1.41;
  // In the order of Limit.
  estimate.cycles = {1.12e6, 640e3, 0, 60e3, 1.68e6, 160e3, 210e3, 40e3, 750e3, 5e3};
  estimate.clock_ghz = 1.98;
  estimate.warps_per_scheduler = 8;
  estimate.instructions_per_barrier = 144;
  estimate.conflicting_ffma_share = 0.12;
  estimate.changes = {{simt::Change::Kind::twice_the_results, 0.9, 0},
                      {simt::Change::Kind::no_bank_conflicts, 1.1, 11}};
  return estimate;
}

OwnSample own_sample() {
  OwnSample result{emulated_sample().run};
  KernelRun& run = result.run;
  run.name = "mine::tile<32>";
  run.source.file_name = "mine.cu";
  run.recorded.reset();
  run.verification.passed = false;
  run.verification.wrong_elements = run.verification.unwritten_elements = 2048;
  run.emulation->findings = {sample_race(6, 1200), sample_unwritten(2048)};
  run.wrong.unwritten = WriteMap{
      {32, 64, 0, 32}, 2, 1, std::vector<std::string>(16, "#############################+..")};
  return result;
}

Sample cpu_sample() {
  Kernel loop, reordered;
  loop.name = "cpu_loop";
  loop.title = "the loops in the order of the formula";
  loop.traffic = {"2·M·N·K", "M·N"};
  loop.cpu = [](const float*, const float*, float*, int, int, int) {};
  reordered = loop;
  reordered.name = "cpu_loop_reordered";
  Lesson lesson;
  lesson.number = 0;
  lesson.slug = "cpu-loop";
  lesson.title = "Three loops";
  lesson.text = "# Three loops\n\nC is a sum.\n";
  lesson.source_file = "lessons/00-cpu-loop/kernel.cpp";
  lesson.source = loop_source;
  lesson.kernels = {loop, reordered};
  Sample result = sample(lesson, {100, 200, 300});
  LessonRun& run = result.run;
  run.backend = Backend::cpu;
  run.device = "AMD EPYC 9B14";
  run.name = "cpu_loop";
  run.predicted = {12000000, 20000};
  run.traffic = {12000000, 20000};
  run.timing = RunTiming{Backend::cpu, 3, 12.5, 12.1, 0.00096, {}, {}};
  return result;
}

Sample estimated_sample() {
  Sample sample = emulated_sample();
  sample.run.gpu = simt::find_gpu("h200");
  sample.run.estimate = sample_estimate();
  return sample;
}

Sample on_three_gpus() {
  Sample sample = estimated_sample();
  simt::Estimate slower = sample_estimate();
  slower.median_ms = 17.18;  // of 2·2048³ FLOP: 1 TFLOP/s, of 19.5
  slower.cycles[static_cast<std::size_t>(simt::Limit::latency)] = 20e6;
  simt::Estimate unreliable;
  unreliable.gpu = "NVIDIA T4";
  unreliable.doubts = {"atomics"};
  sample.run.estimates = {{simt::find_gpu("h200"), sample_estimate()},
                          {simt::find_gpu("a100"), slower},
                          {simt::find_gpu("t4"), unreliable}};
  return sample;
}

}  // namespace gemm_tutor
