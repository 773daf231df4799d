// The other access of a race, and the barrier that would separate both.
#include <string>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"
#include "simt/check/fault.hpp"

namespace gemm_tutor::simt {
namespace {

// The first race of a kernel of 64 threads, whose body begins at line 5; `n` is 4.
std::string race_of(const std::string& body) {
  const std::string source =
      "extern \"C\" __global__ void kernel(float* C, int n) {\n"
      "  __shared__ float s[64], r[64];\n"
      "  const int t = threadIdx.x;\n"
      "  float x = 0;\n" +
      body + "  C[t] = x;\n}\n";
  std::vector<float> c(64);
  const Result result = Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
                            .run({{1, 1, 1}, {64, 1, 1}, 0}, {buffer_of(c, "C")},
                                 {Argument::pointer(0), Argument::integer(4)});
  for (const Finding& finding : result.findings) {
    if (finding.kind() != FindingKind::race) continue;
    std::string text = std::to_string(finding.line) + " " + std::to_string(finding.other_line);
    if (const auto& separation = finding.fault->separation) {
      const Separation& s = *separation;
      text += " " + std::to_string(s.first_line) + "-" + std::to_string(s.second_line) +
              (s.between ? " between" : "") + (s.around ? " around" : "");
    }
    return text;
  }
  return "";
}

const std::string loop = "#pragma unroll 1\n  for (int i = 0; i < n; ++i) {\n";

TEST_CASE("a race names the line of the other access, and where a barrier is missing") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  CHECK(race_of("  s[t] = t;\n  x = s[63 - t];\n") == "5 6 5-6 between");
  CHECK(race_of("  s[t] = t;\n  __syncthreads();\n  x = s[63 - t];\n  s[t] = 0;\n") ==
        "7 8 7-8 between");
  CHECK(race_of("  if (t < 40) s[t] = t;\n  if (t > 50) x = s[t - 20];\n") == "6 5 5-6 between");
  // Lines 7 to 9.
  CHECK(race_of(loop + "    s[t] = t + i;\n    x += s[63 - t];\n    __syncthreads();\n  }\n") ==
        "7 8 7-8 between");
  // Warps run ahead of others into the next iteration.
  CHECK(race_of(loop + "    s[t] = t + i;\n    __syncthreads();\n    x += s[63 - t];\n  }\n") ==
        "7 9 7-9 around");
}

TEST_CASE("no barrier is named where none would help") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  // Both are in one branch, which some threads take.
  CHECK(race_of("  if (t % 2) {\n    s[t] = t;\n    x = s[64 - t];\n  }\n") == "6 7");
  CHECK(race_of("  s[0] = t;\n  __syncthreads();\n  x = s[0];\n") == "5 0");
  // Of two stores, a barrier would only say which is lost.
  CHECK(race_of("  s[t] = t;\n  s[63 - t] = t + 1;\n  __syncthreads();\n  x = s[t];\n") == "5 6");
}

TEST_CASE(
    "no barrier is named in a loop before which the array is filled: it may be the wrong half") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string fill = "  s[t % 32] = t / 32;\n  __syncthreads();\n";
  // Lines 9 to 11. Right would be the other half of s in line 9.
  CHECK(
      race_of(fill + loop +
              "    s[t % 32 + i % 2 * 32] = t / 32 + i;\n    x += s[(63 - t) % 32 + i % 2 * 32];\n"
              "    __syncthreads();\n  }\n")
          .find("-") == std::string::npos);
}

}  // namespace
}  // namespace gemm_tutor::simt
