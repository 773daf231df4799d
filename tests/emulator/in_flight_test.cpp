// What is on its way while a block multiplies, and barriers that order nothing.
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checks.hpp"
#include "emulator/cuda_kernel.hpp"
#include "emulator/ptx_kernel.hpp"

namespace gemm_tutor::simt {
namespace {

// `body` of a block of 64 threads. A has 256 elements and C 64, and multiply() is n multiply-adds.
Result overlapped(const std::string& body, int n = 9) {
  std::vector<float> a(256), c(64);
  std::iota(a.begin(), a.end(), 1.0f);
  const std::string source =
      "extern \"C\" __global__ void kernel(const float* A, float* C, float f, int n) {\n"
      "  __shared__ alignas(16) float s[4096];\n"
      "  const int t = threadIdx.x;\n  float sum = f;\n"
      "  const auto multiply = [&] {\n#pragma unroll 1\n"
      "    for (int i = 0; i < n; ++i) sum = fmaf(sum, f, f);\n  };\n" +
      body + "}\n";
  Result result = Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
                      .run({{1, 1, 1}, {64, 1, 1}, 0}, {buffer_of(a, "A"), buffer_of(c, "C")},
                           {Argument::pointer(0),
                            Argument::pointer(1),
                            {.value = 0x3f000000, .bytes = 4},
                            {.value = static_cast<std::uint64_t>(n), .bytes = 4}});
  CHECK(kinds(result) == "");
  return result;
}

const std::string store_sum = "  C[t] = s[63 - t] + sum;\n";

}  // namespace

TEST_CASE("what is loaded for shared memory is on its way until its first use") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const auto in_flight = [](const std::string& body, int n) {
    return overlapped(body + "  __syncthreads();\n  multiply();\n" + store_sum, n)
        .loaded_bytes_in_flight;
  };
  const std::string load = "  const float a = A[t];\n", multiply = "  multiply();\n";
  for (const int n : {9, 64}) {
    INFO(n);
    // 256 bytes for nearly half of the multiply-adds: there is an addition, too.
    const std::uint64_t early = in_flight(load + multiply + "  s[t] = a;\n", n);
    CHECK(early > 120);
    CHECK(early < 128);
    CHECK(in_flight(multiply + load + "  s[t] = a;\n", n) == 0);
    CHECK(in_flight(load + "  s[t] = a;\n" + multiply, n) == 0);
    CHECK(in_flight(load + "  const float b = a * f;\n  if (b == 0.5f * f) __trap();\n" + multiply +
                        "  s[t] = b;\n",
                    n) == 0);
    CHECK(in_flight(load + multiply + "  s[t] = a * f;\n", n) > 118);
    // What is not stored in shared memory is not counted.
    CHECK(in_flight("  s[t] = t;\n" + load + multiply + "  sum += a;\n", n) == 0);
  }
}

TEST_CASE("what is loaded two steps ahead is on its way twice as long") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  // Unrolled: clang moves a load behind a loop that does not use it.
  const auto in_flight = [](const std::string& before, const std::string& step) {
    return overlapped(before + "#pragma unroll 1\n  for (int k = 0; k < 16; ++k) {\n" + step +
                      "    for (int i = 0; i < 8; ++i) sum = fmaf(sum, f, f);\n    "
                      "__syncthreads();\n  }\n" +
                      store_sum)
        .loaded_bytes_in_flight;
  };
  const std::uint64_t one = in_flight("  float a = A[t];\n", "    s[t] = a;\n    a = A[t + k];\n");
  CHECK(one > 230);
  CHECK(one < 256);
  const std::uint64_t two = in_flight("  float a = A[t], b = A[t + 1];\n",
                                      "    s[t] = a;\n    a = b;\n    b = A[t + k];\n");
  CHECK(two > 430);
  CHECK(two < 512);
}

TEST_CASE("what ldmatrix reads is on its way until its first use") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string store = "  s[t] = t;\n  __syncthreads();\n", multiply = "  multiply();\n";
  const std::string read =
      "  unsigned word;\n"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\"\n"
      "               : \"=r\"(word) : \"r\"((unsigned)__cvta_generic_to_shared(s) + t % 8 * "
      "16));\n";
  const auto in_flight = [](const std::string& body) {
    return overlapped(body + "  C[t] = sum + word;\n").fragment_bytes_in_flight;
  };
  CHECK(in_flight(store + read + multiply) > 0);
  CHECK(in_flight(store + multiply + read) == 0);
}

TEST_CASE("a barrier that no access to shared memory needs is idle") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const auto idle = [](const std::string& body) {
    return overlapped(body + "  C[t] = sum;\n").idle_barriers;
  };
  const std::string store = "  s[t] = t;\n", barrier = "  __syncthreads();\n",
                    load = "  sum += s[63 - t];\n";
  CHECK(idle(store + barrier + load) == 0);
  CHECK(idle(store + barrier + load + barrier + store + barrier + load) == 0);
  CHECK(idle(store + barrier + load + barrier) == 1);
  CHECK(idle(store + barrier + load + barrier + "  sum += s[t / 2];\n" + barrier + store) == 1);
  CHECK(idle(store + barrier + barrier + load) == 1);
  CHECK(idle(store + barrier + "  atomicAdd(&s[63 - t], 1.0f);\n" + barrier + load) == 0);
  // Far apart in shared memory: what one thread stores, no other one reads.
  CHECK(idle(store + barrier + load + barrier + "  s[2048 + t] = t;\n") == 1);
  CHECK(idle(store + barrier + load + barrier + "  s[2048 + t] = t;\n" + barrier +
             "  sum += s[2111 - t];\n") == 1);
}

}  // namespace gemm_tutor::simt
