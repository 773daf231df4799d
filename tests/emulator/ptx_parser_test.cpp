// PTX text to a program: which lines it counts for, and what becomes of text that is no PTX.
#include <fmt/format.h>

#include <functional>
#include <random>

#include "checks.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"
#include "simt/ptx/ptx.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

// `body` in a module that names its files after the code, as NVRTC does.
std::string with_files(const std::string& body) {
  return ptx_module(body, 0) +
         "\t.file\t1 \"/home/somebody/kernel.cu\"\n"
         "\t.file\t2 \"/usr/include/cuda_helpers.h\", 1700000000, 4096\n";
}

std::vector<int> lines_of(const std::string& module) {
  const ptx::Module parsed = ptx::parse(module, "kernel.cu");
  std::vector<int> lines;
  for (const ptx::Statement& statement : parsed.entries.at(0).statements)
    lines.push_back(statement.line);
  return lines;
}

Error decode_error(const std::string& module) {
  return error_of([&] { Program::decode(module, "kernel", "kernel.cu"); });
}

// Whatever the text is, this either works or throws an Error.
void decode_or_refuse(const std::string& text, const std::string& entry) {
  try {
    Program::decode(text, entry, "kernel.cu");
  } catch (const Error&) {
  }
}

// A kernel with most of what NVRTC writes: shared and local arrays, loops, vectors, calls inlined.
const char* const rich_kernel = R"(
extern __shared__ float dynamic[];
__device__ __forceinline__ float twice(float x) { return x + x; }
extern "C" __global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float4 tile[64];
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  float local[8];
  for (int k = 0; k < 8; ++k) local[k] = A[k * i];
  tile[threadIdx.x % 64] = reinterpret_cast<const float4*>(B)[i];
  __syncthreads();
  float sum = dynamic[i % N];
  for (int k = 0; k < K; ++k) {
    if ((k ^ i) % 3 == 0) continue;
    sum = fmaf(tile[(i + k) % 64].y, local[k % 8], sum);
    sum += __shfl_xor_sync(~0u, sum, 1);
  }
  if (i < M) C[i] = twice(sum) / 3.0f;
})";

}  // namespace

TEST_CASE("statements carry the line of the source file, wherever they were inlined from") {
  const std::vector<int> lines = lines_of(with_files(
      "  mov.u32 %r0, 0;\n"
      "  .loc 1 12 3\n  mov.u32 %r0, 1;\n  mov.u32 %r0, 2;\n"
      "  .loc 2 99 1, function_name $L__info_string0, inlined_at 1 15 7\n  mov.u32 %r0, 3;\n"
      "  .loc 2 98 1, function_name $L__info_string0+20, inlined_at 1 16 7\n  mov.u32 %r0, 4;\n"
      "  .loc 1 0 0\n  mov.u32 %r0, 5;\n"
      "  .loc 2 97 1\n  mov.u32 %r0, 6;\n"
      "  .loc 1 20 3, function_name $L__info_string0, inlined_at 1 30 7\n  mov.u32 %r0, 7;\n"));
  // Line 0 is the compiler's own, and line 97 of a header came from nowhere: with the line before.
  CHECK(lines == std::vector<int>{0, 12, 12, 15, 16, 16, 16, 20, 20});
}

TEST_CASE("a function that is inlined through several others has its line and its calls") {
  const std::string text = with_files(
      "  .loc 1 12 5\n"
      "  .loc 2 103 9, function_name $L__info_string0, inlined_at 1 12 5\n"
      "  .loc 2 50 7, function_name $L__info_string0, inlined_at 2 103 9\n"
      "  .loc 2 40 7, function_name $L__info_string0, inlined_at 2 50 7\n  mov.u32 %r0, 1;\n"
      "  .loc 1 3 3, function_name $L__info_string0, inlined_at 1 13 5\n"
      "  .loc 2 103 9, function_name $L__info_string0, inlined_at 1 3 3\n  mov.u32 %r0, 2;\n"
      "  .loc 1 20 1\n  mov.u32 %r0, 3;\n"
      // Its own call, as no compiler writes.
      "  .loc 1 30 1, function_name $L__info_string0, inlined_at 1 30 1\n"
      "  .loc 1 30 1, function_name $L__info_string0, inlined_at 1 30 1\n  mov.u32 %r0, 4;\n");
  const ptx::Module module = ptx::parse(text, "kernel.cu");
  const std::vector<ptx::Statement>& statements = module.entries.at(0).statements;
  CHECK(statements.at(0).line == 12);
  CHECK(statements.at(0).calls.empty());
  CHECK(!statements.at(0).stands_there);
  CHECK(statements.at(1).line == 3);
  CHECK(statements.at(1).calls == std::vector<int>{13});
  CHECK(statements.at(2).line == 20);
  CHECK(statements.at(2).calls.empty());
  CHECK(statements.at(2).stands_there);
  CHECK(statements.at(3).line == 30);
}

TEST_CASE("the source file is known by a name that the PTX has in escapes") {
  for (const auto& [name, written] :
       {std::pair{"\u00e9.cu", R"(/home/somebody/\303\251.cu)"},
        {"jos\u00e9/1\u6f22.cu", R"(/home/q\"q/jos\303\251/1\346\274\242.cu)"},
        {"\xff.cu", R"(/home/a\\b/\377.cu)"},
        {"\u00e9.cu", "/home/somebody/\u00e9.cu"}}) {
    const std::string text = ptx_module("  .loc 1 12 3\n  mov.u32 %r0, 1;\n", 0) +
                             fmt::format("\t.file\t1 \"{}\"\n\t.file\t2 \"other.h\"\n", written);
    INFO(text);
    CHECK(ptx::parse(text, name).entries.at(0).statements.at(0).line == 12);
    CHECK(ptx::parse(text, "other.cu").entries.at(0).statements.at(0).line == 0);
  }
}

TEST_CASE("counts are put to the lines of the source file") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Program program = Program::decode(cuda_to_ptx(R"(
__device__ __forceinline__ float load(const float* p, int i) {
  return p[i];
}
extern "C" __global__ void kernel(const float* A, float* C) {
  const int i = threadIdx.x;
  float sum = load(A, i);
  sum += A[i + 32];
  C[i] = sum;
})"),
                                          "kernel", "kernel.cu");
  std::vector<float> a(64), c(32);
  const Result result = program.run(one_warp, {buffer_of(a, "A"), buffer_of(c, "C")},
                                    {Argument::pointer(0), Argument::pointer(1)});
  Counters sum;
  for (const LineCounters& line : result.lines) {
    INFO("line " << line.line);
    CHECK(line.counters.global_load_requests == (line.line == 3 || line.line == 8 ? 1u : 0u));
    CHECK(line.counters.global_store_requests == (line.line == 9 ? 1u : 0u));
    sum += line.counters;
  }
  CHECK(sum.global_load_requests == 2);
  CHECK(sum.global_store_requests == 1);
}

TEST_CASE("a number may be written with a point, and is of the instruction's width") {
  std::vector<std::uint64_t> out(2);
  run_ptx(ptx_module("  mov.f64 %rd1, -1.5;\n"
                     "  mov.b32 %r1, 0f3F800000;\n"
                     "  add.f32 %r2, %r1, -0.25;\n"
                     "  cvt.u64.u32 %rd2, %r2;\n"
                     "  st.global.v2.b64 [%buffer0], {%rd1, %rd2};\n",
                     1),
          {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(out, "out")});
  CHECK(out[0] == 0xbff8000000000000);
  CHECK(out[1] == 0x3f400000);
}

TEST_CASE("an instruction that is not known is named, with its line") {
  for (const char* name :
       {"tex.2d.v4.f32.f32", "wmma.load.a", "add.f8", "atom.global.add.f32", "add.ra.f32",
        "cvt.rn.f16.pred", "setp.less.f16", "nonsense", "setp.lt", "mul", "ld.global", "shfl.sync",
        "cp.async", "cp.async.bulk", "mbarrier"}) {
    const Error error =
        decode_error(with_files(fmt::format("  .loc 1 42 1\n  {} %f0, %f1, %f2;\n", name)));
    CHECK(error.status() == ExitStatus::unavailable);
    CHECK(std::string(error.what()).find(name) != std::string::npos);
    CHECK(std::string(error.what()).find("line 42") != std::string::npos);
    CHECK_FALSE(error.help().empty());
  }
}

TEST_CASE("a texture is named, with its line, though its operands are like no others") {
  const Error error = decode_error(
      with_files("  .loc 1 42 1\n  tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd0, {%r0, %r1}];\n"));
  CHECK(std::string(error.what()).find("line 42") != std::string::npos);
  CHECK(std::string(error.what()).find("tex.2d.v4.f32.s32") != std::string::npos);
}

TEST_CASE("PTX that makes no sense is refused where it stops making sense") {
  for (const char* body : {"  mov.u32 %r0, %r99;\n",
                           "  mov.u32 5, %r0;\n",
                           "  bra NOWHERE;\n",
                           "  @%r0 mov.u32 %r0, 1;\n",
                           "  mov.u32 %r0, 1\n",
                           "  mov.u32 %r0, 0x1G;\n",
                           "  }\n",
                           "  ld.global.b32 %r0, [%r0];\n",
                           "  ld.global.b32 %r0, [nowhere];\n",
                           "  add.s32 %r0, %rd0, 1;\n",
                           "  ld.global.v4.b32 {%r0, %r1}, [%rd0];\n",
                           "  ld.param.u64 %rd0, [p7];\n",
                           "  X:\n  X:\n",
                           "  .reg .b32 %q<-1>;\n",
                           "  .reg .b32 %q<99999999>;\n",
                           "  .shared .b8 big[99999999999];\n",
                           "  mov.u32 %r0, 99999999999999999999999;\n",
                           "  \"",
                           "  /* ",
                           "  .loc 1\n",
                           "  {{{\n"}) {
    const Error error = decode_error(with_files(body));
    INFO(body);
    CHECK(error.status() != ExitStatus::ok);
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
  }
  for (const char* text :
       {"", " ", "int main() {}", ".version", ".version 8.0\n.visible .entry", "\0", "\xff\xfe"})
    CHECK(decode_error(text).status() != ExitStatus::ok);
  CHECK(decode_error(".version 8.0\n.target sm_90\n").status() ==
        ExitStatus::usage);  // no such kernel
}

TEST_CASE("what a fuzzer found to go wrong once is decoded or refused") {
  for (const char* body :
       {"  mul %r0, %r0, %r0;\n", "  .shared .align 4294967295 .b8 big[4];\n",
        "  { .param .b64 value;\n  st.param.b64 [value+9223372036854775807], %rd0;\n  }\n",
        "  ld.global.bb8 %r0, [%rd0];\n", "  cp.async.wait_group -9223372036854775807;\n"})
    decode_or_refuse(ptx_module(body, 0), "kernel");
}

TEST_CASE("registers that are declared and not used cost little, and too many are refused") {
  const auto with_registers = [](int count) {
    std::string declared;
    for (int i = 0; i < 10; ++i) declared += fmt::format("  .reg .b32 %q{}<{}>;\n", i, count);
    // Many blocks: what is kept for each register is kept for each of them.
    for (int i = 0; i < 5000; ++i) declared += fmt::format("  @%p0 bra l{0};\nl{0}:\n", i);
    return ptx_module(declared, 0);
  };
  CHECK_NOTHROW(Program::decode(with_registers(10'000), "kernel", "kernel.cu"));
  CHECK_THROWS_AS(Program::decode(with_registers(100'000), "kernel", "kernel.cu"), Error);
}

TEST_CASE("variables of the module are refused where they have more than 1 GiB together") {
  const auto module_with = [](std::uint64_t bytes) {
    const std::string kernel =
        ptx_module("  ld.global.u8 %r1, [q];\n  ld.global.u8 %r1, [p];\n", 0);
    const std::string variables =
        fmt::format(".global .b8 q[536870912];\n.global .b8 p[{}];\n", bytes);
    return std::string(kernel).insert(kernel.find(".visible"), variables);
  };
  CHECK_NOTHROW(Program::decode(module_with(536870912), "kernel", "kernel.cu"));
  CHECK(decode_error(module_with(536870913)).status() == ExitStatus::unavailable);
}

TEST_CASE("entries are listed in the order of the file") {
  const std::string two = ".entry b() { ret; }\n.visible .entry a(.param .u32 x) { ret; }\n";
  const auto entries = ptx::parse(".version 8.0\n" + two, "").entries;
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].name == "b");
  CHECK(entries[1].name == "a");
  CHECK(ptx::parse(".version 8.0\n", "").entries.empty());
}

TEST_CASE("PTX cut off anywhere is decoded or refused") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string ptx = cuda_to_ptx(rich_kernel);
  Program::decode(ptx, "kernel", "kernel.cu");
  for (std::size_t length = 0; length < ptx.size(); ++length)
    decode_or_refuse(ptx.substr(0, length), "kernel");
}

TEST_CASE("garbled PTX is decoded or refused") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string ptx = cuda_to_ptx(rich_kernel);
  const std::string separators = " \t\n,;[]{}()";
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
    const auto token = [&](const std::string& text) {
      const std::size_t begin = below(text.size());
      const std::size_t end = text.find_first_of(separators, begin + 1);
      return std::pair(begin, (end == std::string::npos ? text.size() : end) - begin);
    };
    std::string text = ptx;
    for (std::size_t changes = 1 + below(8); changes > 0; --changes) {
      const auto [begin, length] = token(text);
      const auto [from, from_length] = token(text);
      switch (below(4)) {
        case 0:
          text[begin] = static_cast<char>(text[begin] ^ 1 << below(8));
          break;
        case 1:
          text.erase(begin, length);
          break;
        case 2:
          text.insert(begin, text.substr(from, from_length));
          break;
        default:
          text.replace(begin, length, std::string(text.substr(from, from_length)));
      }
    }
    INFO("seed " << seed);
    decode_or_refuse(text, "kernel");
  }
}
