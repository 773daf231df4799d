#include "course/lesson_run.hpp"
#include "simt/compiler.hpp"

#include "course_checks.hpp"
#include "gpu/gpu.hpp"

namespace gemm_tutor {
namespace {

LessonRun run_with(int number, const RunOptions& options) {
  const Lesson& lesson = find_lesson(std::to_string(number));
  const Kernel& kernel = lesson.kernels.front();
  return run_kernel(lesson, kernel, kernel.settings, options);
}

// Lesson 2's kernel with `from` replaced in its source.
LessonRun run_broken(const std::string& from, const std::string& to) {
  Lesson lesson = find_lesson("2");
  lesson.source = replaced(lesson.source, from, to);
  return run_kernel(lesson, lesson.kernels.front(), {}, on_emulator({40, 40, 40}));
}

}  // namespace

TEST_CASE("a run says how the kernel is launched and what it needs") {
  const LessonRun run = run_lesson(3, {64, 96, 32});
  CHECK(run.backend == Backend::emulator);
  CHECK(run.device == "emulator · H200 limits");
  CHECK(run.launch == simt::Launch{{3, 2}, {32, 32}});
  CHECK(run.launch->statement ==
        "shared_memory_tile<32, 32, 32><<<dim3(3, 2), dim3(32, 32)>>>(A, B, C, M, N, K)");
  CHECK(run.launch->resources.static_shared_bytes == 8192);
  CHECK((run.launch->resources.registers_per_thread > 0) == simt::compiler_status().has_assembler);
  CHECK(run.compiler == simt::compiler_status().name);
  CHECK(run.launch->occupancy.occupancy == 1);
  CHECK(run.launch->occupancy.limited_by == "threads");
  CHECK_FALSE(run.timing);
}

TEST_CASE("a lesson's excerpt has its functions whole, and of earlier ones the lines with counts") {
  const auto has = [](const LessonRun& run, const std::string& code) {
    return std::ranges::any_of(run.excerpt, [&](const SourceLine& line) {
      return line.text.find(code) != std::string::npos;
    });
  };
  const std::string head = "float4 load4(", load = "*reinterpret_cast<const float4*>(from)";
  const LessonRun first = run_lesson(7, {128, 128, 16}), later = run_lesson(8, {128, 128, 16});
  CHECK(has(first, head));
  CHECK(has(first, load));
  CHECK_FALSE(has(later, head));
  CHECK(has(later, load));
  const std::vector<SourceLine> marked = excerpt(*later.lesson, *later.kernel);
  CHECK(later.excerpt.front().number < marked.front().number);
  CHECK(later.excerpt.back().number == marked.back().number);
}

TEST_CASE("a lesson on the CPU is timed and verified there") {
  const LessonRun run = run_lesson(0, {33, 40, 8});
  CHECK(run.backend == Backend::cpu);
  CHECK_FALSE(run.device.empty());
  CHECK_FALSE(run.launch);
  CHECK_FALSE(run.emulation);
  REQUIRE(run.timing);
  CHECK(run.timing->where == Backend::cpu);
  CHECK(run.timing->runs >= 3);
  CHECK(run.timing->min_ms <= run.timing->median_ms);
  CHECK_FALSE(run.timing->percent_of_cublas);
  CHECK(run.verification.passed);
}

TEST_CASE("a kernel that is wrong is no Error: its result is") {
  const LessonRun run = run_broken("sum += ", "sum -= ");
  CHECK_FALSE(run.verification.passed);
  CHECK(run.emulation->findings.empty());
}

TEST_CASE("elements that no thread wrote are a finding") {
  const LessonRun run = run_broken("column >= N", "column >= N - 1");
  CHECK_FALSE(run.verification.passed);
  REQUIRE(run.emulation->findings.size() == 1);
  CHECK(run.emulation->findings[0].kind() == simt::FindingKind::unwritten);
  CHECK(contains(message(run.emulation->findings[0]), "40 of the 1,600 elements"));
}

TEST_CASE("what a kernel left unwritten that was stopped is no finding of its own") {
  const LessonRun run = run_broken("float sum", "if (column == 35) __trap();\n  float sum");
  CHECK(run.emulation->stopped);
  CHECK_FALSE(run.verification.passed);
  REQUIRE(run.emulation->findings.size() == 1);
  CHECK(run.emulation->findings[0].kind() == simt::FindingKind::trap);
}

TEST_CASE("a kernel that does not compile is an Error with the file's name and line") {
  const Error error = error_of([] { run_broken("float sum", "flaot sum"); });
  CHECK(error.status() == ExitStatus::compile_error);
  CHECK(contains(error.what(), "lessons/02-naive-coalesced/kernel.cu"));
}

TEST_CASE("some blocks stand for all: counts are scaled, and just their elements verified") {
  RunOptions options = on_emulator({512, 512, 64});
  options.blocks = 6;
  const LessonRun run = run_with(2, options);
  CHECK_FALSE(run.emulation->exact);
  CHECK_FALSE(run.traffic.count_is_exact);
  CHECK(run.emulation->blocks_emulated <= 6);
  CHECK(run.emulation->blocks_total == 256);
  CHECK(run.traffic.counted_loads == run.predicted.loads);
  CHECK(run.verification.passed);
  CHECK(run.verification.elements_checked ==
        static_cast<std::int64_t>(run.emulation->blocks_emulated) * 32 * 32);
  CHECK(run.verification.elements_total == 512 * 512);
}

TEST_CASE("a lesson is compared with the one that it changes, from the counts of both") {
  CHECK_FALSE(run_lesson(1, {64, 64, 64}).comparison);  // it changes the CPU's

  const auto coalesced = run_lesson(2, {64, 64, 64}).comparison;
  REQUIRE(coalesced);
  CHECK(coalesced->lesson->number == 1);
  CHECK(coalesced->exact);
  CHECK(coalesced->load_floats_factor == 1);
  CHECK(coalesced->load_sectors_factor == 33.0 / 5);  // 32 + 1 sectors against 1 + 4

  const auto tile = run_lesson(3, {64, 64, 64}).comparison;
  REQUIRE(tile);
  CHECK(tile->lesson->number == 2);
  CHECK(tile->load_floats_factor == 32);
  CHECK(tile->load_sectors_factor == 20);  // 2.5 sectors each and not 4, of 32 times the requests

  const auto global_tile = run_lesson(4, {128, 128, 8}).comparison;
  REQUIRE(global_tile);
  CHECK(global_tile->lesson->number == 2);
  CHECK(global_tile->load_floats_factor == 8);  // a thread's 8×8 elements need 16 floats a step

  const auto thread_tile = run_lesson(5, {64, 64, 64}).comparison;
  REQUIRE(thread_tile);
  CHECK(thread_tile->lesson->number == 3);
  CHECK(thread_tile->load_floats_factor == 1);  // tiles of 32×32, as in lesson 3
}

TEST_CASE("a comparison that cannot be made is left out", "[long]") {
  // 65,537 blocks along y are too many for lesson 1, whose y runs along N; not along lesson 2's x.
  const LessonRun run = run_lesson(2, {1, 65536 * 32 + 1, 1});
  CHECK(run.verification.passed);
  CHECK_FALSE(run.comparison);
  CHECK(error_of([] { run_lesson(1, {1, 65536 * 32 + 1, 1}); }).status() == ExitStatus::usage);
}

TEST_CASE("a size at which a formula has no value is counted all the same") {
  Lesson lesson = find_lesson("2");
  Kernel& kernel = lesson.kernels.front();
  kernel.traffic.loads = "1/(K - 8)";
  const LessonRun run = run_kernel(lesson, kernel, kernel.settings, on_emulator({8, 8, 8}));
  CHECK(run.verification.passed);
  CHECK_FALSE(run.predicted.loads);
  CHECK_FALSE(run.predicted.stores);
  CHECK(run.traffic.counted_loads == 1024);  // 2·8³
  CHECK(run_kernel(lesson, kernel, kernel.settings, on_emulator({9, 9, 9})).predicted.loads);
}

TEST_CASE("the emulator takes the limits of the GPU that is named") {
  RunOptions options = on_emulator({64, 64, 64});
  options.gpu = "t4";
  const LessonRun run = run_with(3, options);
  CHECK(run.device == "emulator · T4 limits");
  CHECK(run.launch->occupancy.blocks_per_multiprocessor ==
        1);  // of 1,024 threads, which is all it has
  options.gpu = "t5";
  CHECK(error_of([&] { run_with(3, options); }).status() == ExitStatus::usage);
}

TEST_CASE("a size beyond an int's reach is refused before anything is done") {
  for (int lesson = 0; lesson < 4; ++lesson) {
    // C would have 10^10 elements, which few machines have the memory for either.
    const Error error = error_of([&] { run_lesson(lesson, {100000, 100000, 1}); });
    CHECK((error.status() == ExitStatus::usage || error.status() == ExitStatus::unavailable));
  }
}

TEST_CASE("the GPU backend without a GPU") {
  if (gpu::status().available) SKIP_BECAUSE("this machine has a GPU");
  RunOptions options = on_emulator({64, 64, 64});
  options.backend = Backend::gpu;
  const Error error = error_of([&] { run_with(3, options); });
  CHECK(error.status() == ExitStatus::unavailable);
  CHECK(error.what() == gpu::status().problem);

  options.backend = std::nullopt;
  CHECK(run_with(3, options).backend == Backend::emulator);
}

TEST_CASE("the GPU backend with one") {
  const gpu::Status status = gpu::status();
  if (!status.available) SKIP_BECAUSE(status.problem);
  RunOptions options = on_emulator({256, 256, 256});
  options.backend = Backend::gpu;
  options.gpu = status.spec.name == "t4" ? "h200" : "t4";
  CHECK(error_of([&] { run_with(3, options); }).status() == ExitStatus::usage);
  options.backend = std::nullopt;
  CHECK(run_with(3, options).backend == Backend::emulator);

  options.gpu.clear();
  const LessonRun run = run_with(3, options);
  CHECK(run.backend == Backend::gpu);
  CHECK(run.device == status.spec.full_name);
  CHECK(run.verification.passed);
  CHECK(run.emulation);
  REQUIRE(run.timing);
  CHECK(run.timing->where == Backend::gpu);
  CHECK(run.timing->percent_of_cublas.has_value() == status.cublas_available);
  CHECK_FALSE(run.recorded);
}

}  // namespace gemm_tutor
