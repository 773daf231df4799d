// Instructions of a whole warp on matrices: mma, ldmatrix, stmatrix and movmatrix.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "matrix_kernels.hpp"
#include "ptx_kernel.hpp"
#include "simt/check/fault.hpp"
#include "simt/isa/matrix.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

using RegisterWords = std::vector<std::uint32_t>;

RegisterWords products(const MatrixInstruction& instruction, int capability, RegisterWords in) {
  const std::size_t warps = in.size() / instruction.words_in();
  RegisterWords out(warps * instruction.words_out()), unused(1);
  const Program program =
      Program::decode(matrix_module(instruction, capability), "multiply", "kernel.cu");
  program.run({{static_cast<std::uint32_t>(warps)}, {32}, 0},
              {buffer_of(in), buffer_of(unused, "B"), buffer_of(out, "C")},
              {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2),
               Argument::integer(1), Argument::integer(1), Argument::integer(1)});
  return out;
}

// FNV-1a of the words, low byte first.
std::uint64_t digest(const RegisterWords& words) {
  std::uint64_t result = 0xcbf29ce484222325;
  for (const std::uint32_t word : words) {
    for (int byte = 0; byte < 32; byte += 8) {
      result = (result ^ (word >> byte & 255)) * 0x100000001b3;
    }
  }
  return result;
}

const MatrixInstruction& instruction_of(const std::string& opcode) {
  return *std::ranges::find(matrix_instructions(), opcode, &MatrixInstruction::opcode);
}

// A row of A, a column of B and a sum of m16n8k16 in FP16, at the first row and column: where lane
// 0 to 3 have pairs of the first and of the second half of the depth.
float first_sum(int capability, const std::vector<std::uint32_t>& a,
                const std::vector<std::uint32_t>& b, float c) {
  const MatrixInstruction& of = instruction_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  RegisterWords in(of.words_in());
  for (std::size_t k = 0; k < a.size(); ++k) {
    const std::size_t lane = k % 8 / 2, half = k / 8, shift = k % 2 * 16;
    in[2 * half * 32 + lane] |= a[k] << shift;
    in[(4 + half) * 32 + lane] |= b[k] << shift;
  }
  in[6 * 32] = std::bit_cast<std::uint32_t>(c);
  return std::bit_cast<float>(products(of, capability, in)[0]);
}

// The words that a body leaves in a buffer of 32 × `of_lane`; %r0 is the lane, and %rd1 where its
// words are.
RegisterWords words_left(const std::string& body, std::size_t of_lane, RegisterWords in,
                         const Launch& launch, Result* result = nullptr) {
  RegisterWords out(32 * of_lane, 0xdeadbeef);
  const std::string whole = fmt::format(
      "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, %r0, {};\nadd.u64 %rd1, %buffer1, %rd0;\n{}",
      4 * of_lane, body);
  const Result run = run_ptx(ptx_module(whole, 2, ".shared .align 128 .b8 s[2048];"), launch,
                             {buffer_of(in), buffer_of(out, "C")});
  if (result != nullptr) *result = run;
  return out;
}

// Fills shared memory with the first 32 × 4 words of A, and leaves in %r2 where the lane's row is.
const std::string filled = R"(
  mul.wide.u32 %rd2, %r0, 16;
  add.u64 %rd3, %buffer0, %rd2;
  ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];
  mov.u32 %r1, s;
  shl.b32 %r3, %r0, 4;
  add.u32 %r2, %r1, %r3;
  st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7};
  bar.sync 0;
)";

// Element (row, column) of 8 × 8 numbered matrix `m`, as a row of 16 bytes each has them.
std::uint32_t element(std::size_t m, std::size_t row, std::size_t column) {
  return static_cast<std::uint32_t>(64 * m + 8 * row + column);
}

RegisterWords numbered() {
  RegisterWords words;
  for (std::uint32_t e = 0; e < 256; e += 2) words.push_back(e | (e + 1) << 16);
  return words;
}

}  // namespace

TEST_CASE("products of matrices have the bits of the tensor cores of an NVIDIA H200") {
  // matrix_products.txt has the digest of 1,000 warps, for each instruction.
  std::ifstream file(PROJECT_SOURCE_DIR "/tests/emulator/matrix_products.txt");
  std::map<std::string, std::string> recorded;
  for (std::string line; std::getline(file, line);) {
    const std::size_t space = line.find(' ');
    if (!line.starts_with('#') && space != line.npos)
      recorded[line.substr(0, space)] = line.substr(space + 1);
  }
  for (const MatrixInstruction& instruction : matrix_instructions()) {
    INFO(instruction.opcode);
    const RegisterWords sums = products(instruction, 90, matrix_operands(instruction, 1'000));
    CHECK(fmt::format("{:016x}", digest(sums)) == recorded[instruction.opcode]);
  }
}

TEST_CASE("an A100 adds 8 products of FP16 at a time, and an H100 16, with one more bit") {
  // 4096 · 4096 and -4096 · 4096 are in different halves of the depth, and 1.5 is in the first.
  constexpr std::uint32_t large = 0x6c00, minus_large = 0xec00, one = 0x3c00, one_and_half = 0x3e00;
  const std::vector<std::uint32_t> a = {large, one_and_half, 0, 0, 0, 0, 0, 0, minus_large};
  const std::vector<std::uint32_t> b = {large, one, 0, 0, 0, 0, 0, 0, large};
  // 2^24 + 1.5, cut to 24 bits behind the first and then to an FP32, is 2^24.
  CHECK(first_sum(80, a, b, 0) == 0);
  CHECK(first_sum(86, a, b, 0) == 0);
  CHECK(first_sum(90, a, b, 0) == 1.5f);
  // As lesson 15 has them: 2^30, -2^30 and six times 32, and then 2^22, -2^22 and -0.125.
  const auto of_lesson = [&](int capability) {
    constexpr std::uint32_t two_15 = 0x7800, two_11 = 0x6800, minus = 0x8000;
    const std::vector<std::uint32_t> ones(6, one), of_32(6, 0x5000);
    std::vector<std::uint32_t> first_a = {two_15, two_15}, first_b = {two_15, two_15 | minus};
    first_a.insert(first_a.end(), ones.begin(), ones.end());
    first_b.insert(first_b.end(), of_32.begin(), of_32.end());
    return first_sum(capability, {two_11, two_11, one}, {two_11, two_11 | minus, 0xb000},
                     first_sum(capability, first_a, first_b, 0));
  };
  CHECK(of_lesson(80) == 0);
  CHECK(of_lesson(90) == 191.875f);
  // Cut off, not rounded: 2^-25 below the largest stays, 2^-26 does not, on an H100.
  const auto with_one = [&](float c, int capability) {
    return first_sum(capability, {one}, {one}, c);
  };
  CHECK(with_one(0x1p-23f, 90) == 1 + 0x1p-23f);
  CHECK(with_one(-0x1p-25f, 90) == 1 - 0x1p-24f);
  CHECK(with_one(-0x1p-26f, 90) == 1);
  CHECK(with_one(-0x1p-25f, 80) == 1);
}

TEST_CASE("an integer product wraps around, or saturates where it says so") {
  for (const bool saturates : {false, true}) {
    const std::string opcode = fmt::format("mma.sync.aligned.m16n8k32.row.col.{}s32.s8.s8.s32",
                                           saturates ? "satfinite." : "");
    const MatrixInstruction& of = instruction_of(opcode);
    RegisterWords in(of.words_in());
    in[0] = 1, in[4 * 32] = 1, in[6 * 32] = 0x7fffffff;  // 1 · 1 + the largest
    CHECK(products(of, 90, in)[0] == (saturates ? 0x7fffffffu : 0x80000000u));
  }
}

TEST_CASE("opcodes of products say their shape, types and rule") {
  const auto of = [](std::string_view opcode, int capability) {
    return matrix_product(opcode, capability);
  };
  const auto bf16 = of("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 80);
  REQUIRE(bf16);
  CHECK(bf16->at_once == 8);
  CHECK(bf16->fraction_bits == 24);
  CHECK(bf16->registers_of_a == 4);
  CHECK(bf16->registers_of_b == 2);
  CHECK(bf16->registers_of_c == 4);
  CHECK(of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 90)->at_once == 8);
  CHECK(of("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 89)->fraction_bits == 13);
  CHECK(of("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", 120));
  for (const char* unknown :
       {"mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f16",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.f32",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sync.aligned.row.col.f32.f16.f16.f32", "wmma.mma.sync.aligned.m16n16k16.f32.f32",
        "wmma.mma.sync.aligned.row.col.m32n8k8.f32.tf32.tf32.f32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.e4m3.e4m3.f32", "mma.sync.aligned", "mma"}) {
    INFO(unknown);
    CHECK_FALSE(of(unknown, 90));
  }
  CHECK(matrix_access("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16"));
  CHECK(matrix_access("wmma.store.d.sync.aligned.col.m16n16k8.f32"));
  for (const char* unknown :
       {"wmma.load.a.sync.aligned.row.m32n8k32.shared.f16",
        "wmma.load.a.sync.aligned.row.m16n16k0.f16",
        "wmma.load.a.sync.aligned.row.m16n16k2000000000.f16",
        "wmma.load.a.sync.aligned.row.m8n8k32.s4", "wmma.load.a.sync.aligned.row.m16n16k16.f32",
        "wmma.load.a.sync.aligned.row.m16n16k16", "wmma.load.a.sync.aligned.m16n16k16.f16",
        "wmma.load.d.sync.aligned.row.m16n16k16.f32", "wmma.store.a.sync.aligned.row.m16n16k16.f16",
        "wmma.load.ab.sync.aligned.row.m16n16k16.f16", "wmma.load"}) {
    INFO(unknown);
    CHECK_FALSE(matrix_access(unknown));
  }
  CHECK(matrix_move("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16")->count == 4);
  CHECK(matrix_move("ldmatrix.sync.aligned.x4.m8n8.shared.b16"));
  CHECK_FALSE(matrix_move("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8"));
  CHECK_FALSE(matrix_move("movmatrix.sync.aligned.m8n8.b16"));
}

TEST_CASE("ldmatrix gives each lane two elements of a row, or of a column") {
  for (const std::size_t count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      std::string to;
      for (std::size_t m = 0; m < count; ++m)
        to += fmt::format("{}%r{}", m == 0 ? "" : ", ", 10 + m);
      std::string body = filled;
      body += fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, [%r2];\n", count,
                          transposed ? ".trans" : "", to);
      for (std::size_t m = 0; m < count; ++m)
        body += fmt::format("st.global.u32 [%rd1+{}], %r{};\n", 4 * m, 10 + m);
      Result run;
      const RegisterWords out = words_left(body, 4, numbered(), one_warp, &run);
      CHECK(kinds(run) == "");
      for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t m = 0; m < count; ++m) {
          const std::size_t line = lane / 4, pair = lane % 4 * 2;
          const std::uint32_t low = transposed ? element(m, pair, line) : element(m, line, pair);
          const std::uint32_t high =
              transposed ? element(m, pair + 1, line) : element(m, line, pair + 1);
          INFO(count << " matrices, lane " << lane << ", matrix " << m);
          CHECK(out[4 * lane + m] == (low | high << 16));
        }
      }
      CHECK(run.total.shared_load_requests == 1);
      CHECK(run.total.shared_load_wavefronts == count);
      CHECK(run.total.shared_load_bytes == 128 * count);
    }
  }
}

TEST_CASE("stmatrix is the way back, and movmatrix transposes") {
  for (const bool transposed : {false, true}) {
    const std::string trans = transposed ? ".trans" : "";
    const std::string body = filled + "ldmatrix.sync.aligned.m8n8.x4" + trans +
                             ".shared.b16 {%r10, %r11, %r12, %r13}, [%r2];\nbar.sync 0;\n"
                             "stmatrix.sync.aligned.m8n8.x4" +
                             trans +
                             ".shared.b16 [%r2+512], {%r10, %r11, %r12, %r13};\nbar.sync 0;\n"
                             "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2+512];\n"
                             "st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};\n";
    CHECK(words_left(body, 4, numbered(), one_warp) == numbered());
  }
  const std::string body = filled +
                           "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r2];\n"
                           "movmatrix.sync.aligned.m8n8.trans.b16 %r11, %r10;\n"
                           "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r12}, [%r2];\n"
                           "sub.u32 %r11, %r11, %r12;\nst.global.u32 [%rd1], %r11;\n";
  CHECK(words_left(body, 1, numbered(), one_warp) == RegisterWords(32, 0));
}

TEST_CASE("rows in the same banks take a wavefront each") {
  // All eight rows of a matrix are 128 bytes apart.
  const std::string body =
      "mov.u32 %r1, s;\nshl.b32 %r2, %r0, 7;\nand.b32 %r2, %r2, 896;\nadd.u32 %r2, %r2, %r1;\n"
      "mov.u32 %r3, 0;\nst.shared.v4.u32 [%r2], {%r3, %r3, %r3, %r3};\nbar.sync 0;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r2];\nst.global.u32 [%rd1], %r10;\n";
  Result run;
  words_left(body, 1, numbered(), one_warp, &run);
  CHECK(run.total.shared_load_wavefronts == 8);
  CHECK(run.total.shared_load_conflicts == 7);
}

TEST_CASE("mistakes with matrices are found at their lines") {
  Result run;
  const std::string at_line = ".loc 1 7 0\n";
  SECTION("a row that does not begin at a multiple of 16 bytes") {
    words_left(filled + "add.u32 %r2, %r2, 4;\n" + at_line +
                   "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r2];\n"
                   "st.global.u32 [%rd1], %r10;\n",
               1, numbered(), one_warp, &run);
    CHECK(kinds(run).starts_with("alignment@"));
  }
  SECTION("a row that nobody has written") {
    words_left(filled + at_line +
                   "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r2+512];\n"
                   "st.global.u32 [%rd1], %r10;\n",
               1, numbered(), one_warp, &run);
    CHECK(kinds(run).starts_with("uninitialised@"));
  }
  SECTION("a fragment that nothing has set") {
    words_left(filled + at_line +
                   "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r8, %r9}, {%r4}, {%r10}, "
                   "{%r6, %r7};\nst.global.u32 [%rd1], %r8;\n",
               1, numbered(), one_warp, &run);
    REQUIRE(run.findings.size() == 1);
    CHECK(kinds(run).starts_with("uninitialised@"));
    CHECK(message(run.findings[0]).find("a part of B") != std::string::npos);
  }
  SECTION("a row that another warp writes, without a barrier") {
    words_left(
        "mov.u32 %r1, s;\nmov.u32 %r9, %warpid;\nmul.lo.u32 %r3, %r0, 16;\n"
        "add.u32 %r2, %r1, %r3;\nst.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};\n"
        "xor.b32 %r2, %r3, 512;\nadd.u32 %r2, %r2, %r1;\n" +
            at_line + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r2];\n",
        2, numbered(), {{1}, {64}, 0}, &run);
    CHECK(kinds(run).find("race@") != std::string::npos);
  }
  SECTION("a row that the warp writes, without a barrier: only a note") {
    words_left(
        "mov.u32 %r1, s;\nmul.lo.u32 %r3, %r0, 16;\nadd.u32 %r2, %r1, %r3;\n"
        "st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};\n" +
            at_line +
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r2];\n"
            "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r4, %r5}, {%r10}, {%r11}, "
            "{%r12, %r13};\n"
            "xor.b32 %r3, %r3, 16;\nadd.u32 %r2, %r1, %r3;\n"
            "st.shared.v4.u32 [%r2], {%r4, %r4, %r4, %r4};\n",
        1, numbered(), one_warp, &run);
    CHECK(run.findings.empty());
    REQUIRE(!run.notes.empty());
    CHECK(run.notes[0].fault->fault == Fault::order_by_matrices);
  }
  SECTION("a block of 16 threads") {
    words_left("movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r0;\n", 1, numbered(), {{1}, {16}, 0},
               &run);
    REQUIRE(run.findings.size() == 1);
    CHECK(message(run.findings[0]).find("a warp of fewer than 32 threads") != std::string::npos);
  }
  SECTION("half of a warp") {
    for (const char* instruction :
         {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r2];",
          "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r4};",
          "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r4;",
          "wmma.load.c.sync.aligned.row.m8n32k16.global.f16 {%r10, %r11, %r12, %r13}, [%buffer0];",
          "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, "
          "{%r4}, {%r5}, {%r6, %r7};"}) {
      words_left(filled + "setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra $end;\n" + at_line + instruction +
                     "\n$end:\n",
                 1, numbered(), one_warp, &run);
      INFO(instruction);
      REQUIRE(run.findings.size() == 1);
      CHECK(run.findings[0].fault->fault == Fault::part_of_a_warp);
      CHECK(
          message(run.findings[0]).find("all 32 threads must execute this instruction together") !=
          std::string::npos);
    }
  }
}

TEST_CASE("a generic address of a matrix is one of shared memory, or it is a mistake") {
  const std::string generic = filled + "cvt.u64.u32 %rd4, %r2;\ncvta.shared.u64 %rd4, %rd4;\n";
  const std::string load =
      "ldmatrix.sync.aligned.m8n8.x4.b16 {%r10, %r11, %r12, %r13}, [%rd4];\n"
      "st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\n";
  const std::string store =
      "stmatrix.sync.aligned.m8n8.x1.b16 [%rd4], {%r0};\nst.global.u32 [%rd1], %r0;\n";
  Result run;
  const RegisterWords rows = words_left(generic + load, 4, numbered(), one_warp, &run);
  CHECK(kinds(run) == "");
  CHECK(rows[4 * 5 + 1] == (element(1, 1, 2) | element(1, 1, 3) << 16));
  words_left(generic + store, 1, numbered(), one_warp, &run);
  CHECK(kinds(run) == "");
  for (const std::string& access : {load, store}) {
    words_left(filled + "mov.u64 %rd4, %rd3;\n.loc 1 7 0\n" + access, 4, numbered(), one_warp,
               &run);
    REQUIRE(run.findings.size() == 1);
    CHECK(run.findings[0].fault->fault == Fault::wrong_space);
    CHECK(message(run.findings[0]).find("A[0], which is in global memory; this instruction") !=
          std::string::npos);
  }
}

TEST_CASE("lanes that went different ways are together again before a product") {
  const std::string product =
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, {%r4}, {%r5}, {%r6, %r7};\n"
      "st.global.u32 [%rd1], %r10;\n";
  const std::string registers =
      "mov.u32 %r4, %r0;\nmov.u32 %r5, %r0;\nmov.u32 %r6, 1;\n"
      "mov.u32 %r7, 2;\nmov.u32 %r8, 0;\n";
  const std::string half = "setp.lt.u32 %p1, %r0, 16;\n";
  const auto found = [&](const std::string& body, std::uint32_t threads = 32) {
    Result run;
    RegisterWords in(1), out(2 * threads);
    run = run_ptx(ptx_module("mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, %r0, 4;\n"
                             "add.u64 %rd1, %buffer1, %rd0;\n" +
                                 registers + body,
                             2),
                  {{1}, {threads}, 0}, {buffer_of(in), buffer_of(out, "C")});
    return kinds(run);
  };
  // if and else
  CHECK(found(half +
              "@%p1 bra $then;\nadd.u32 %r4, %r4, 1;\nbra $both;\n$then:\n"
              "add.u32 %r4, %r4, 2;\n$both:\n" +
              product) == "");
  // if with two conditions, the second of which some lanes do not test
  CHECK(found(half +
              "setp.eq.u32 %p2, %r0, 3;\n@!%p1 bra $both;\n@%p2 bra $both;\n"
              "add.u32 %r4, %r4, 2;\n$both:\n" +
              product) == "");
  // a loop that each lane goes through as often as its number says, before the product
  CHECK(found("$again:\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, %r0;\n@%p1 bra $again;\n" +
              product) == "");
  // a loop with the product, as often as the warp's number says, and a way round a part of it
  CHECK(found(half + "shr.u32 %r9, %r0, 5;\n$again:\n" + product +
                  "add.u32 %r8, %r8, 1;\nsetp.le.u32 %p2, %r8, %r9;\n@%p1 bra $next;\n"
                  "add.u32 %r4, %r4, 1;\n$next:\n@%p2 bra $again;\n",
              96) == "");
  // a product that each warp executes as a whole, or not at all
  CHECK(found("setp.ge.u32 %p1, %r0, 32;\n@%p1 bra $end;\n" + product + "$end:\n", 64) == "");
  CHECK(found("setp.ge.u32 %p1, %r0, 32;\n@%p1 " + product, 64) == "");
  // but not by the lanes that are left when others have returned
  CHECK(found(half + "@%p1 ret;\n" + product) != "");
  CHECK(found(half + "@%p1 " + product) != "");
}

TEST_CASE("products are counted as instructions of their own") {
  const MatrixInstruction& of = instruction_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  RegisterWords in = matrix_operands(of, 3), out(3 * of.words_out()), unused(1);
  const Result run =
      Program::decode(matrix_module(of, 90), "multiply", "kernel.cu")
          .run({{3}, {32}, 0}, {buffer_of(in), buffer_of(unused, "B"), buffer_of(out, "C")},
               {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2),
                Argument::integer(1), Argument::integer(1), Argument::integer(1)});
  CHECK(run.total.instructions[static_cast<std::size_t>(InstructionKind::tensor)] == 3);
  CHECK(name_of(InstructionKind::tensor) == "tensor");
}

TEST_CASE("a product under a predicate has multiply-adds where the predicate is true") {
  const std::string product =
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r8, %r9}, {%r4}, {%r5}, {%r6, %r7};\n";
  Result run;
  words_left(filled + "setp.lt.u32 %p1, %r0, 32;\n@%p1 " + product + "@!%p1 " + product, 1,
             numbered(), one_warp, &run);
  CHECK(run.findings.empty());
  CHECK(run.total.tensor_multiply_adds == 8 * 8 * 16);
}

namespace {

// A product by wmma: shapes, types and layouts.
struct WmmaCase {
  int rows, columns, depth;
  std::string element, sum;  // of D
  std::string addend = sum;  // of C
};

template <typename T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

// A small whole number as an element.
void append_number(std::vector<std::byte>& bytes, const std::string& element, int number) {
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  const std::uint32_t exponent = (single >> 23 & 255) - 112;
  const std::uint32_t half =
      number == 0 ? 0 : single >> 31 << 15 | exponent << 10 | (single >> 13 & 1023);
  if (element == "f16") return append(bytes, static_cast<std::uint16_t>(half));
  if (element == "bf16") return append(bytes, static_cast<std::uint16_t>(single >> 16));
  if (element == "s8" || element == "u8") return append(bytes, static_cast<std::int8_t>(number));
  if (element == "s32") return append(bytes, number);
  if (element == "f64") return append(bytes, static_cast<double>(number));
  append(bytes, static_cast<float>(number));
}

// Declares a fragment's registers, and returns their list: "{%a0, %a1}".
std::string list_of(const std::string& name, const MatrixAccess& access, bool has_doubles,
                    std::string& declarations) {
  declarations +=
      fmt::format(".reg .{} %{}<{}>;\n", has_doubles ? "f64" : "b32", name, access.all_registers);
  std::string list;
  for (int r = 0; r < access.all_registers; ++r)
    list += fmt::format("{}%{}{}", r == 0 ? "" : ", ", name, r);
  return "{" + list + "}";
}

// The `bytes` of D = A·B + C, with A and B in that order of memory, and C and D in that.
std::vector<std::byte> wmma_product(const WmmaCase& of, const std::string& a_layout,
                                    const std::string& b_layout, const std::string& c_layout,
                                    const std::string& space, std::vector<std::byte> a,
                                    std::vector<std::byte> b, std::vector<std::byte> c,
                                    std::size_t bytes, std::string& found) {
  const std::string shape = fmt::format("m{}n{}k{}", of.rows, of.columns, of.depth);
  const auto opcode = [&](const char* what, const std::string& layout, const std::string& type) {
    return fmt::format("wmma.{}.sync.aligned.{}.{}{}.{}", what, layout, shape, space, type);
  };
  const std::string load_a = opcode("load.a", a_layout, of.element),
                    load_b = opcode("load.b", b_layout, of.element),
                    load_c = opcode("load.c", c_layout, of.addend),
                    store_d = opcode("store.d", c_layout, of.sum);
  std::string body;
  const bool has_doubles = of.element == "f64";
  const std::string in_a = list_of("a", *matrix_access(load_a), has_doubles, body),
                    in_b = list_of("b", *matrix_access(load_b), has_doubles, body),
                    in_c = list_of("c", *matrix_access(load_c), has_doubles, body),
                    in_d = list_of("d", *matrix_access(store_d), has_doubles, body);
  const auto stride = [](bool is_row, int rows, int columns) { return is_row ? columns : rows; };
  const std::string types = of.element == "f16"
                                ? fmt::format("{}.{}", of.sum, of.addend)
                                : fmt::format("{0}.{1}.{1}.{0}", of.sum, of.element);
  body += fmt::format("{} {}, [%buffer0], {};\n", load_a, in_a,
                      stride(a_layout == "row", of.rows, of.depth));
  body += fmt::format("{} {}, [%buffer1], {};\n", load_b, in_b,
                      stride(b_layout == "row", of.depth, of.columns));
  const int c_stride = stride(c_layout == "row", of.rows, of.columns);
  body += fmt::format("mov.u32 %r1, {};\n{} {}, [%buffer2], %r1;\n", c_stride, load_c, in_c);
  body += fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{} {}, {}, {}, {};\n", a_layout, b_layout,
                      shape, types, in_d, in_a, in_b, in_c);
  body += fmt::format("{} [%buffer3], {}, {};\n", store_d, in_d, c_stride);
  std::vector<std::byte> d(bytes);
  const Result run =
      run_ptx(ptx_module(body, 4), one_warp,
              {buffer_of(a), buffer_of(b, "B"), buffer_of(c, "C"), buffer_of(d, "D")});
  found = kinds(run);
  return d;
}

}  // namespace

TEST_CASE("wmma loads, multiplies and stores matrices of every shape, type and order") {
  const WmmaCase all[] = {{16, 16, 16, "f16", "f32"},        {16, 16, 16, "f16", "f16"},
                          {16, 16, 16, "bf16", "f32"},       {16, 16, 16, "s8", "s32"},
                          {16, 16, 16, "u8", "s32"},         {32, 8, 16, "f16", "f32"},
                          {32, 8, 16, "f16", "f16"},         {32, 8, 16, "bf16", "f32"},
                          {32, 8, 16, "s8", "s32"},          {8, 32, 16, "f16", "f32"},
                          {8, 32, 16, "f16", "f16"},         {8, 32, 16, "bf16", "f32"},
                          {8, 32, 16, "u8", "s32"},          {16, 16, 8, "tf32", "f32"},
                          {8, 8, 4, "f64", "f64"},           {16, 16, 16, "f16", "f32", "f16"},
                          {16, 16, 16, "f16", "f16", "f32"}, {32, 8, 16, "f16", "f32", "f16"},
                          {8, 32, 16, "f16", "f16", "f32"}};
  const auto value = [](int row, int column) { return (row * 5 + column * 3) % 7; };
  for (const WmmaCase& of : all) {
    for (const char* a_layout : {"row", "col"}) {
      for (const char* b_layout : {"row", "col"}) {
        for (const char* c_layout : {"row", "col"}) {
          for (const char* space : {"", ".global"}) {
            const auto matrix = [&](int rows, int columns, const std::string& layout,
                                    const std::string& element, auto number) {
              std::vector<std::byte> bytes;
              const bool is_row = layout == "row";
              for (int i = 0; i < (is_row ? rows : columns); ++i) {
                for (int j = 0; j < (is_row ? columns : rows); ++j)
                  append_number(bytes, element, is_row ? number(i, j) : number(j, i));
              }
              return bytes;
            };
            const auto b = [&](int k, int n) { return value(n + 1, k); };
            const auto c = [&](int m, int n) { return value(m, n + 2); };
            const std::vector<std::byte> expected =
                matrix(of.rows, of.columns, c_layout, of.sum, [&](int m, int n) {
                  int sum = c(m, n);
                  for (int k = 0; k < of.depth; ++k) sum += value(m, k) * b(k, n);
                  return sum;
                });
            std::string found;
            const std::vector<std::byte> left = wmma_product(
                of, a_layout, b_layout, c_layout, space,
                matrix(of.rows, of.depth, a_layout, of.element, value),
                matrix(of.depth, of.columns, b_layout, of.element, b),
                matrix(of.rows, of.columns, c_layout, of.addend, c), expected.size(), found);
            INFO(fmt::format("m{}n{}k{} {} {}, A {}, B {}, C {}, {}", of.rows, of.columns, of.depth,
                             of.element, of.sum, a_layout, b_layout, c_layout, space));
            CHECK(found == "");
            CHECK((left == expected));
          }
        }
      }
    }
  }
}

TEST_CASE("sums in FP32 are rounded to nearest even for a fragment of FP16") {
  std::string body = "mov.b32 %r4, 0x3f801800;\nmov.b32 %r5, 0;\n";  // 1 + 2^-11 + 2^-12
  const auto eight = [](const std::string& reg) {
    std::string list = reg;
    for (int i = 1; i < 8; ++i) list += ", " + reg;
    return list;
  };
  body += "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {%r10, %r11, %r12, %r13}, {" +
          eight("%r5") + "}, {" + eight("%r5") + "}, {" + eight("%r4") +
          "};\nst.global.u32 [%rd1], %r11;\n";
  CHECK(words_left(body, 1, numbered(), one_warp) == RegisterWords(32, 0x3c013c01));  // 1 + 2^-10
}

TEST_CASE("a fragment of wmma has the elements in the lanes and registers that a GPU gives them") {
  // As recorded on an NVIDIA H100: the places, in a matrix of adjacent elements, of lane 5's.
  const auto places = [](const std::string& opcode, int stride) {
    const MatrixAccess access = *matrix_access(opcode);
    const int lane = 5;
    std::vector<int> result;
    for (const MatrixAccess::Tile& tile : access.tiles) {
      for (int e = 0; e < access.elements; ++e) {
        const int line = tile.line + lane / 4, along = tile.along + lane % 4 * access.elements + e;
        result.push_back(access.along_memory ? line * stride + along : along * stride + line);
      }
    }
    return result;
  };
  using Places = std::vector<int>;
  CHECK(places("wmma.load.a.sync.aligned.row.m16n16k16.f16", 16) ==
        Places{18, 19, 146, 147, 26, 27, 154, 155});
  CHECK(places("wmma.load.b.sync.aligned.row.m16n16k16.f16", 16) ==
        Places{33, 49, 161, 177, 41, 57, 169, 185});
  CHECK(places("wmma.load.c.sync.aligned.row.m16n16k16.f32", 16) ==
        Places{18, 19, 146, 147, 26, 27, 154, 155});
  CHECK(places("wmma.load.a.sync.aligned.row.m16n16k16.s8", 16) ==
        Places{20, 21, 22, 23, 148, 149, 150, 151});
}
