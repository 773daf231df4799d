#include "documents/lesson_document.hpp"
#include "documents/lesson_json.hpp"

#include <bit>

#include "catch.hpp"
#include "documents/lesson_json.hpp"
#include "gemm/matrices.hpp"
#include "sample_findings.hpp"
#include "sample_run.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Terminal plain{false, true, 80};

std::string text_of(const Sample& sample, const Terminal& terminal = plain) {
  return terminal_text(lesson_document({sample.run}), terminal);
}

// Without the gutter, the counts and the line breaks: the code, if none of it was lost.
// On one line.
std::string flat(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || result.empty() || result.back() != ' ') result += space ? ' ' : c;
  }
  return result;
}

Sample wrong_sample() {
  Sample sample = emulated_sample();
  Verification& v = sample.run.verification;
  v.passed = false;
  v.wrong_elements = 5;
  v.first_wrong = WrongElement{3, 7, 0.5f, 0.25, 1e-6};
  return sample;
}

Sample sampled_sample() {
  Sample sample = emulated_sample();
  sample.run.emulation->exact = false;
  sample.run.emulation->blocks_emulated = 148;
  sample.run.traffic.count_is_exact = false;
  sample.run.comparison->exact = false;
  sample.run.verification.elements_checked = 151552;
  return sample;
}

}  // namespace

TEST_CASE("the work is told by kinds, FFMAs first, and with the conflicts of shared memory") {
  const std::string text = text_of(emulated_sample());
  CHECK(contains(
      text,
      "\nWork     4,000 warp instructions as written in PTX, of them\n"
      "         25 % FFMA · 75 % memory\n"
      "         16,778,416 wavefronts of shared memory, 200 (< 0.1 %) by bank conflicts\n"));
  Sample free = emulated_sample();
  free.run.emulation->total.shared_load_conflicts = 0;
  CHECK(contains(text_of(free), "16,778,416 wavefronts of shared memory, none by a bank conflict"));
  CHECK(contains(text_of(sampled_sample()), "\nWork     ≈ 4,000 warp instructions"));
  CHECK_FALSE(contains(text_of(cpu_sample()), "Work"));
}

TEST_CASE("a kernel is placed under the GPU's roof, or above it where caches help") {
  Sample sample = emulated_sample();
  sample.run.gpu = find_gpu("h200");
  emulator::Counters& total = sample.run.emulation->total;
  total.global_load_bytes = 4ull << 30;  // 2·2048³ FLOP: 4 FLOP per byte, of 4.8 TB/s
  total.shared_load_bytes = 8ull << 30;
  const std::string below = flat(text_of(sample));
  CHECK(contains(below,
                 "roofline: 4.0 FLOP per byte of global memory, where the NVIDIA H200 can do "
                 "19.2 TFLOP/s; this is 48 % of it"));
  CHECK(contains(below, "2.00 FLOP per byte of shared memory"));
  total.global_load_bytes = 64ull << 30;
  CHECK(contains(flat(text_of(sample)), "1.2 TFLOP/s; this is 7.8× that, as caches answer"));
  sample.run.recorded.reset();
  CHECK(contains(flat(text_of(sample)), "can do 1.2 TFLOP/s ("));
}

TEST_CASE("the sections stand in the design's order") {
  for (const Sample& sample : {emulated_sample(), cpu_sample()}) {
    const std::string text = text_of(sample);
    std::size_t before = 0;
    for (const char* name : {"Lesson ", "\nIdea ", "\nSource ", "\nLaunch ", "\nTraffic ",
                             "\nTiming ", "\nResult ", "\nNext "}) {
      const std::size_t at = text.find(name);
      REQUIRE(at != std::string::npos);
      CHECK(at >= before);
      before = at;
    }
  }
}

TEST_CASE("no line is wider than the terminal, whatever it shows") {
  for (const int width : {60, 80, 100}) {
    for (const bool unicode : {true, false}) {
      for (const Sample& sample :
           {emulated_sample(), cpu_sample(), wrong_sample(), sampled_sample(), own_sample()}) {
        CHECK(widest(text_of(sample, {false, unicode, width})) <= width);
      }
    }
  }
}

TEST_CASE("without colour there is no escape code, with colour the text is the same") {
  const Sample sample = emulated_sample();
  const std::string bare = text_of(sample);
  std::string colored = text_of(sample, {true, true, 80});
  CHECK_FALSE(contains(bare, "\033"));
  CHECK(contains(colored, "\033["));
  for (std::size_t at = 0; (at = colored.find("\033[")) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  CHECK(colored == bare);
}

TEST_CASE("a locale without UTF-8 gets ASCII alone") {
  const std::string text = text_of(emulated_sample(), {false, false, 80});
  CHECK(is_ascii(text));
  CHECK(contains(text, "M*N*K*(1/BM + 1/BN)"));
  CHECK(contains(text, "grid 64x64 - block 32x32"));
  CHECK(contains(text, "ok all 4,194,304 elements"));
}

TEST_CASE("the source has the file's line numbers and the counts beside their lines") {
  const std::string text = text_of(emulated_sample());
  CHECK(contains(text, "lessons/03-shared-memory-tile/kernel.cu           global       shared\n"));
  CHECK(contains(
      text, "   6 │     a_tile[ty][tx] = A[row * K + k0 + tx];     4.0 sec/req   1.0 wf/req\n"));
  CHECK(contains(text, "   5 │   for (int k0 = 0; k0 < K; k0 += BK) {\n"));
  CHECK(contains(text, "  10 │\n"));
  CHECK(contains(text, "1.2 wf/req !\n"));
  CHECK_FALSE(contains(text, "excerpt"));
}

TEST_CASE("lines that are left out of the source are a … line") {
  Sample sample = emulated_sample();
  CHECK_FALSE(contains(text_of(sample), "│ …\n"));
  sample.run.excerpt.erase(sample.run.excerpt.begin() + 3, sample.run.excerpt.begin() + 5);
  CHECK(contains(text_of(sample), "     │ …\n  10 │\n"));
}

TEST_CASE("bank conflicts are marked, with a legend where there are any") {
  Sample sample = emulated_sample();
  CHECK(contains(text_of(sample), "         ! more wavefronts than the data needs"));
  CHECK(contains(text_of(sample, {true, true, 80}), "\033[1;31m1.2 wf/req\033[0m"));
  sample.run.emulation->lines[2].operands[0].conflicts = 0;
  const std::string text = text_of(sample);
  CHECK_FALSE(contains(text, "!"));
  CHECK(contains(text, "1.2 wf/req\n"));
  CHECK(contains(text, "kernel.cu             global       shared\n"));
}

TEST_CASE("counts of shared memory that are not the machine code's are said to be so") {
  Sample sample = emulated_sample();
  CHECK_FALSE(contains(text_of(sample), "machine code"));
  sample.run.emulation->total.unmatched_requests = 40;
  CHECK(contains(flat(text_of(sample)),
                 "(40 of 16,778,216 requests of shared memory are counted as "
                 "written in PTX: the machine code does not say what became "
                 "of them)"));
  sample.run.compiler = "clang 14.0.6";
  sample.run.emulation->shared_accesses = emulator::SharedAccesses::as_the_assembler_would;
  CHECK(
      contains(flat(text_of(sample)),
               "(accesses to shared memory are joined as the assembler would: there is no machine "
               "code with clang 14.0.6)"));
  CHECK(contains(lesson_json(sample.run), "\"shared_memory_counts\": \"as the assembler would\""));
}

TEST_CASE("code that does not fit is never cut") {
  for (const int width : {60, 80}) {
    const std::string text = without_spaces(text_of(emulated_sample(), {false, false, width}));
    CHECK(contains(text, "some_function_with_a_long_name(row,"));
    CHECK(contains(text, "b_tile[ty][tx],k0);"));
    CHECK(contains(text, "k0+ty<K&&column<N?"));
    CHECK(contains(text, ":0.0f;"));
  }
}

TEST_CASE("tabs in the source are spaces, and control characters are replaced") {
  Sample sample = emulated_sample();
  sample.run.excerpt[0].text = "\tif (x)\ty = 漢\x1b[31m;";
  CHECK(contains(text_of(sample), "   5 │     if (x)  y = 漢\ufffd[31m;\n"));
  const std::string ascii = text_of(sample, {false, false, 80});
  CHECK(contains(ascii, "   5 |     if (x)  y = ??[31m;\n"));
}

TEST_CASE("a kernel without counts of a kind has no column for them") {
  Sample sample = emulated_sample();
  for (emulator::LineCounters& line : sample.run.emulation->lines) {
    std::erase_if(line.operands, [](const emulator::OperandCounters& operand) {
      return operand.space == emulator::MemorySpace::shared;
    });
  }
  CHECK_FALSE(contains(text_of(sample), "wf/req"));
  CHECK_FALSE(contains(text_of(sample), "  shared\n"));
  CHECK(contains(text_of(sample), "      global\n"));
  CHECK_FALSE(contains(text_of(cpu_sample()), "global"));
}

TEST_CASE("launch: the statement, geometry and occupancy") {
  const std::string text = text_of(emulated_sample(), {false, true, 100});
  CHECK(contains(text,
                 "Launch   shared_memory_tile<32, 32, 32><<<dim3(64, 64), dim3(32, 32)>>>(A, B, C, "
                 "M, N, K)\n"));
  CHECK(contains(text, "grid 64×64 · block 32×32 = 1,024 threads · 8 KiB shared · 38 registers\n"));
  CHECK(contains(text, "occupancy 100 % (2 blocks on an SM, limited by threads)\n"));
  CHECK(contains(text_of(emulated_sample()),
                 "Launch   shared_memory_tile<32, 32, 32>\n"
                 "             <<<dim3(64, 64), dim3(32, 32)>>>(A, B, C, M, N, K)\n"));
  CHECK(contains(text_of(cpu_sample()), "Launch   cpu_loop(A, B, C, M, N, K)\n"));
}

TEST_CASE("compiler warnings are shown before the result") {
  Sample sample = own_sample();
  CHECK_FALSE(contains(text_of(sample), "Warnings"));
  sample.run.warnings = {{3, "no return", "mine.cu(3): warning: no return\n  }\n  ^"}};
  const std::string text = text_of(sample);
  CHECK(contains(text, "\n\nWarnings ! mine.cu(3): warning: no return\n"));
  CHECK(text.find("\nWarnings") < text.find("\nResult"));
}

TEST_CASE("traffic: equal counts are marked right, others wrong") {
  Sample sample = emulated_sample();
  const Terminal wide{false, true, 100};
  CHECK(contains(
      text_of(sample, wide),
      "loads   M·N·K·(1/BM + 1/BN)  = 536,870,912 floats   counted 536,870,912  ✓\n"
      "         stores  M·N                  =   4,194,304 floats   counted   4,194,304  ✓\n"
      "         32.0× less than lesson 2 · 20.0× fewer sectors · 8.0 FLOP per byte loaded\n"));
  CHECK(occurrences(text_of(sample, wide), "A tile is loaded once") == 1);
  sample.run.traffic.counted_loads = 536870913;
  CHECK(contains(text_of(sample, wide), "counted 536,870,913  ✗\n"));
}

TEST_CASE("traffic: what is not exact is marked so, with the reason") {
  Sample sample = sampled_sample();
  std::string text = text_of(sample);
  CHECK(contains(text, "counted 536,870,912  ≈\n"));
  CHECK(contains(text, "≈ 148 of 4,096 blocks emulated, scaled to all\n"));
  CHECK(contains(text, "≈ 32.0× less than lesson 2"));
  CHECK_FALSE(contains(text, "536,870,912  ✓"));
  CHECK(contains(text, "✓ 151,552 elements checked of 4,194,304, all within the error bound\n"));

  sample = cpu_sample();
  sample.run.traffic.count_is_exact = false;
  CHECK(contains(text_of(sample), "≈ counted for some rows of C, scaled to all\n"));

  sample = emulated_sample();
  sample.run.traffic.formula_is_exact = false;
  CHECK_FALSE(contains(text_of(sample), "≈ the formula"));  // as it agrees all the same
  sample.run.traffic.counted_loads = 1;
  text = text_of(sample);
  CHECK(contains(text, "≈ the formula is for whole tiles"));
  CHECK(contains(text, "counted           1  ≈\n"));
  CHECK(contains(text, "counted   4,194,304  ✓\n"));
  CHECK_FALSE(contains(text, "✗"));
  sample.lesson->kernels.front().shape = [](const Settings& s) {
    LaunchShape shape;
    shape.tile_rows = s["BM"];
    shape.tile_columns = s["BN"];
    return shape;
  };
  CHECK(contains(text_of(sample), "at this size some are cut"));
  sample.run.problem.n = 1;
  CHECK(contains(text_of(sample), "32 × 32 reaches beyond"));
}

TEST_CASE("work: what asynchronous copies write to shared memory is said to be left out") {
  Sample sample = emulated_sample();
  CHECK_FALSE(contains(text_of(sample), "asynchronous copies"));
  sample.lesson->source += "// cp.async.cg.shared.global";
  CHECK(contains(text_of(sample), "without what asynchronous copies write there"));
}

TEST_CASE("traffic: where a formula has no value, what was counted is shown alone") {
  Sample sample = emulated_sample();
  TrafficFormula& formula = sample.lesson->kernels.front().traffic;
  formula.loads = formula.stores = "1/(K - K)";
  sample.run.traffic.predicted_loads.reset();
  sample.run.traffic.predicted_stores.reset();
  sample.run.traffic.formula_is_exact = false;
  const std::string text = text_of(sample);
  CHECK(contains(text, "loads   536,870,912 floats counted\n"));
  CHECK(contains(text, "the formula has no value at this size\n"));
  CHECK_FALSE(contains(text, "for whole tiles"));
}

TEST_CASE("traffic: the same floats in fewer sectors, and more of both") {
  Sample sample = emulated_sample();
  sample.run.comparison = Comparison{1, 1.0, 6.6, true};
  CHECK(contains(text_of(sample), "as many floats as lesson 1 · 6.6× fewer sectors ·"));
  sample.run.comparison = Comparison{1, 0.97, 1.04, true};
  CHECK(contains(text_of(sample), "as many floats as lesson 1 · as many sectors · "));
  sample.run.comparison = Comparison{1, 0.5, 1.0, true};
  CHECK(contains(text_of(sample), "2.0× more than lesson 1 · as many sectors · "));
}

TEST_CASE("timing: recorded, emulated, measured") {
  Sample sample = emulated_sample();
  CHECK(
      contains(terminal_text(lesson_document({sample.run, nullptr, true}), {false, true, 100}),
               "Timing   NVIDIA H200, recorded 2026-11-21: 1.84 ms · 9.3 TFLOP/s · 18 % of cuBLAS\n"
               "         (no GPU here: emulated in 1.90 s, which says nothing of a GPU's time)\n"));
  CHECK(contains(text_of(sample), "(emulated in 1.90 s, which says nothing"));
  CHECK(contains(text_of(cpu_sample()), "12.5 ms · 960 MFLOP/s\n"));

  sample.run.backend = Backend::gpu;
  sample.run.recorded.reset();
  sample.run.timing = RunTiming{Backend::gpu, 50, 1.84, 1.80, 9.3, 0.33, 18.0};
  const std::string measured = text_of(sample);
  CHECK(
      contains(measured,
               "Timing   1.84 ms · 9.3 TFLOP/s · 18 % of cuBLAS\n"
               "         median of 50 runs, the fastest 1.80 ms; cuBLAS 330 µs in the same run\n"));
  CHECK_FALSE(contains(measured, "emulated in"));

  sample.run.timing.reset();
  CHECK(contains(text_of(sample), "Timing   not taken, because the result is wrong\n"));
}

TEST_CASE("result: right, wrong, never written") {
  CHECK(contains(text_of(emulated_sample()),
                 "Result   ✓ all 4,194,304 elements within the error bound\n"));
  Sample sample = wrong_sample();
  std::string text = text_of(sample);
  CHECK(contains(text, "Result   ✗ 5 of 4,194,304 elements checked are wrong\n"));
  CHECK(contains(text, "row 3, column 7: it is 0.5, and 0.25 ± 1e-06 is right\n"));
  CHECK_FALSE(contains(text, "✓ all"));
  CHECK_FALSE(is_clean(sample.run));

  sample.run.verification.unwritten_elements = 2;
  sample.run.verification.first_wrong->value = std::bit_cast<float>(poison_bits);
  text = text_of(sample);
  CHECK(contains(text, "2 of them were never written\n"));
  CHECK(contains(text, "column 7: it was never written"));
}

TEST_CASE("result: findings are listed, and make a right product no clean run") {
  Sample sample = emulated_sample();
  CHECK(is_clean(sample.run));
  sample.run.emulation->findings = {sample_race(9, 1200)};
  CHECK_FALSE(is_clean(sample.run));
  CHECK(
      contains(text_of(sample),
               "✗ race, line 9: thread (1, 0, 0) of block (0, 0, 0) writes C[0][1],\n"
               "         which thread (2, 0, 0) of block (0, 0, 0) wrote too (and 1,199 more)\n"));
  sample.run.emulation->findings = {sample_unwritten(5)};
  CHECK(contains(text_of(sample), "✗ unwritten: 5 of the 4,096 elements of C"));
}

TEST_CASE("result: a value and its bound stand in one line, below what is said before") {
  Sample sample = wrong_sample();
  WrongElement& first = *sample.run.verification.first_wrong;
  first.row = first.column = 1000;
  first.value = 0.12345678f;
  CHECK(contains(text_of(sample), "it is 0.12345678, and\n           0.25 ± 1e-06 is right\n"));
}

TEST_CASE("result: where something was found, right values are said last, without a mark") {
  Sample sample = emulated_sample();
  sample.run.emulation->findings = {sample_race(9)};
  INFO(text_of(sample));
  CHECK(contains(text_of(sample),
                 "Result   ✗ race, line 9: thread (1, 0, 0) of block (0, 0, 0) writes C[0][1],\n"
                 "         which thread (2, 0, 0) of block (0, 0, 0) wrote too\n"
                 "           the values are right all the same: all 4,194,304 elements within the\n"
                 "           error bound\n"));
  CHECK_FALSE(contains(text_of(sample), "✓ all"));
}

TEST_CASE("result: one element, and what was never written said once") {
  Sample sample = emulated_sample();
  sample.run.verification.elements_checked = sample.run.verification.elements_total = 1;
  CHECK(contains(text_of(sample), "✓ the one element is within the error bound\n"));
  CHECK_FALSE(contains(text_of(own_sample()), "of them were never written"));
}

TEST_CASE("a run that was stopped tells what was found, and no totals") {
  Sample sample = own_sample();
  sample.run.emulation->findings = {{.fault = emulator::Fault::endless, .line = 6}};
  sample.run.emulation->stopped = true;
  sample.run.emulation->exact = sample.run.traffic.count_is_exact = false;
  sample.run.unwritten.reset();
  const std::string text = text_of(sample);
  INFO(text);
  CHECK(contains(
      text,
      "\nTraffic  not known: the emulator stopped at what it found, and the counts beside\n"
      "         the source are of what ran until then\n"));
  CHECK(contains(
      text,
      "\nResult   ✗ endless, line 6: thread (0, 0, 0) of block (0, 0, 0) is still in this\n"
      "         loop after more than 0 instructions\n"
      "           the emulator stopped before the kernel's end: C is incomplete\n"));
  for (const char* misleading :
       {"floats counted", "scaled", "FLOP per byte", "are wrong", "Work", "never written"}) {
    CHECK_FALSE(contains(text, misleading));
  }
}

TEST_CASE("next: the trace, the exercise, the lesson after, the other kernels, another size") {
  const Sample cpu = cpu_sample();
  const Sample tile = emulated_sample();
  const std::string text =
      terminal_text(lesson_document({cpu.run, tile.lesson.get(), false}), plain);
  CHECK(contains(text, "Next     gemm-tutor lesson 3 ·"));
  CHECK(contains(text, "gemm-tutor lesson 0 --kernel cpu_loop_reordered"));
  CHECK_FALSE(contains(text, "gemm-tutor trace"));
  CHECK(contains(text_of(tile),
                 "Next     gemm-tutor trace 3 --size 2048 · gemm-tutor exercise start 3 ·\n"
                 "         gemm-tutor lesson 3 --size 1000\n"));
}

TEST_CASE("next: the very run is traced, and a lesson of a course with its course") {
  Sample sample = emulated_sample();
  const auto first_command = [&] { return next_commands({sample.run}).front(); };
  sample.run.problem = {1024, 1024, 1024};
  CHECK(first_command() == "gemm-tutor trace 3");
  sample.run.problem = {1024, 1024, 64};
  sample.run.settings.set("BK", 16);
  CHECK(first_command() == "gemm-tutor trace 3 --m 1024 --n 1024 --k 64 --set BK=16");
  Kernel other;
  other.name = "other";
  CHECK(other_kernel_command(sample.run, other) ==
        "gemm-tutor lesson 3 --kernel other --m 1024 --n 1024 --k 64");
  sample.lesson->of_course = true;
  for (const std::string& command : next_commands({sample.run})) {
    CHECK(command.starts_with("gemm-tutor --course DIR "));
  }
  // What follows a course's lesson, or comes before one, need not be of the course.
  Lesson next;
  next.number = 61;
  CHECK(next_commands({sample.run, &next})[2] == "gemm-tutor lesson 61");
}

TEST_CASE("a kernel of the user's own: its name, what was counted, nothing of a lesson") {
  const std::string text = text_of(own_sample());
  CHECK(text.starts_with("Kernel mine::tile<32>   "));
  CHECK(contains(text, "\nSource   mine.cu "));
  CHECK(contains(text, "   5 │   for (int k0 = 0; k0 < K; k0 += BK) {\n"));
  CHECK(contains(text,
                 "\nTraffic  loads   536,870,912 floats counted\n"
                 "         stores    4,194,304 floats counted\n"
                 "         8.0 FLOP per byte loaded\n"));
  for (const char* of_a_lesson : {"Idea", "Next", "formula", "recorded", "lesson"}) {
    CHECK_FALSE(contains(text, of_a_lesson));
  }
}

TEST_CASE("a kernel of the user's own, of some blocks: the counts are marked") {
  Sample sample = own_sample();
  sample.run.traffic.count_is_exact = false;
  sample.run.emulation->blocks_emulated = 148;
  CHECK(contains(text_of(sample), "loads   536,870,912 floats counted  ≈\n"));
  CHECK(contains(text_of(sample), "≈ 148 of 4,096 blocks emulated, scaled to all\n"));
}

TEST_CASE("the map of what was not written stands below the findings") {
  const std::string text = text_of(own_sample());
  INFO(text);
  CHECK(contains(text, "wrote too (and 1,199 more)\n"));
  CHECK(
      contains(text,
               "✗ unwritten: 2,048 of the 4,096 elements of C that were checked were\n"
               "         never written\n"
               "         C[32..63][0..31], 2 rows × 1 column a character: # all written, . none,\n"
               "         + some\n"
               "           #############################+..\n"));
}

TEST_CASE("a kernel that was kept from the GPU says why it has no time") {
  Sample sample = own_sample();
  sample.run.kept_from_gpu = true;
  CHECK(contains(text_of(sample), "Timing   not taken: the kernel was kept from the GPU"));
}
