// Lanes that come to one .sync instruction, or to several, by different paths.
#include <string>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor::simt {
namespace {

struct Met {
  Result result;
  std::vector<int> c;
};

// `body` is that of a kernel of one warp, whose C holds 32 numbers.
Met run_warp(const std::string& body) {
  Met met{{}, std::vector<int>(32)};
  met.result =
      Program::decode(cuda_to_ptx("extern \"C\" __global__ void kernel(int* C, int n) {\n"
                                  "  const int t = threadIdx.x;\n" +
                                  body + "}\n"),
                      "kernel", "kernel.cu")
          .run(one_warp, {buffer_of(met.c, "C")}, {Argument::pointer(0), Argument::integer(3)});
  return met;
}

std::vector<int> by_lane(int (*value)(int)) {
  std::vector<int> values;
  for (int t = 0; t < 32; ++t) values.push_back(value(t));
  return values;
}

TEST_CASE("lanes in both branches exchange values") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Met met = run_warp(
      "  if (t < 10) C[t] = __shfl_xor_sync(~0u, 2 * t, 31) + 1000;\n"
      "  else C[t] = __shfl_xor_sync(~0u, 3 * t, 31);\n");
  CHECK(kinds(met.result) == "");
  CHECK(met.c == by_lane([](int t) {
          const int from = 31 - t, value = from < 10 ? 2 * from : 3 * from;
          return t < 10 ? value + 1000 : value;
        }));
}

TEST_CASE("lanes in nested branches vote, match and reduce") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Met met = run_warp(
      "  int votes;\n"
      "  if (t % 2) { if (t % 3) votes = __ballot_sync(~0u, t > 7); else votes = "
      "__ballot_sync(~0u, t > 9); }\n"
      "  else if (t < 20) votes = __ballot_sync(~0u, 1); else votes = __ballot_sync(~0u, 0);\n"
      "  C[t] = votes;\n");
  CHECK(kinds(met.result) == "");
  int expected = 0;
  for (int t = 0; t < 32; ++t) {
    const bool vote = t % 2 ? (t % 3 ? t > 7 : t > 9) : t < 20;
    expected |= static_cast<int>(static_cast<unsigned>(vote) << t);
  }
  CHECK(met.c == std::vector<int>(32, expected));
}

TEST_CASE("lanes in different iterations of a loop wait for those that their masks name") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  // The halves have masks of their own, and loops of different lengths.
  const Met met = run_warp(
      "  const unsigned mask = t < 16 ? 0xffff : 0xffff0000;\n"
      "  int sum = 0;\n"
      "  for (int k = 0; k < (t < 16 ? n : n + 2); ++k) sum += __shfl_sync(mask, t + k, 0, 16);\n"
      "  C[t] = sum;\n");
  CHECK(kinds(met.result) == "");
  CHECK(met.c == by_lane([](int t) { return t < 16 ? 0 + 1 + 2 : 16 + 17 + 18 + 19 + 20; }));
}

TEST_CASE("__syncwarp() in both branches orders what was before it and what comes after") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Met met = run_warp(
      "  __shared__ int s[32];\n"
      "  if (t < 16) { s[t] = t; __syncwarp(); C[t] = s[t + 16]; }\n"
      "  else { s[t] = 2 * t; __syncwarp(); C[t] = s[t - 16]; }\n");
  CHECK(kinds(met.result) == "");
  CHECK(met.c == by_lane([](int t) { return t < 16 ? 2 * (t + 16) : t - 16; }));
}

TEST_CASE("lanes that a mask names and that do not come are found") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string and_then = "  C[t] = n;\n";
  CHECK(kinds(run_warp("  if (t < 16) n = __shfl_sync(~0u, t, 0);\n" + and_then).result) ==
        "barrier@3");
  CHECK(kinds(run_warp("  C[t] = 0;\n  if (t < 16) __syncwarp();\n" + and_then).result) ==
        "barrier@4");
  // No lane waits for those that have returned or do nothing more.
  CHECK(kinds(run_warp("  if (t < 16) C[t] = __shfl_sync(~0u, t, 0);\n").result) == "");
  CHECK(kinds(run_warp("  if (t < 16) C[t] = __shfl_sync(~0u, t, 20);\n").result) == "barrier@3");
  CHECK(kinds(run_warp("  if (t < 16) {\n    __shared__ int s[16];\n    s[t] = t;\n"
                       "    __syncwarp();\n    C[t] = s[15 - t];\n  }\n")
                  .result) == "");
  CHECK(kinds(run_warp("  if (t >= 16) return;\n  C[t] = __any_sync(~0u, t == 3);\n").result) ==
        "");
}

}  // namespace
}  // namespace gemm_tutor::simt
