#include <fmt/format.h>

#include "catch.hpp"
#include "source/array_overruns.hpp"

namespace gemm_tutor {
namespace {

// "a[4] in line 2", for each.
std::vector<std::string> overruns(const std::string& body, const std::string& name = "k") {
  const std::string text =
      "template <int T = 4>\n__global__ void k(float* C, int M, int N) {\n" + body + "\n}\n";
  std::vector<std::string> result;
  const source::Kernel kernel(text, name);
  for (const source::ArrayOverrun& one : source::array_overruns(kernel, name)) {
    result.push_back(fmt::format("{}[{}] in line {}{}", one.array, one.index, one.line,
                                 one.is_written ? ", written" : ""));
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST_CASE("a loop that leaves an array of a thread is found") {
  CHECK(overruns("float a[4];\nfor (int i = 0; i <= 4; ++i) a[i] = 0;") ==
        Texts{"a[4] in line 4, written"});
  CHECK(overruns("float a[T];\nfor (int i = 0; i < T + 1; i++) {\n C[i] = a[i]; }") ==
        Texts{"a[4] in line 5"});
  CHECK(overruns("float a[T];\nfor (int i = 0; i < 8; i++) a[i] = 0;", "k<8>") == Texts{});
  CHECK(overruns("float a[4];\nfor (int i = 3; i >= -1; --i) a[i] = 0;") ==
        Texts{"a[-1] in line 4, written"});
  CHECK(overruns("float s[4][4] = {};\n"
                 "for (int i = 0; i < 4; ++i) for (int j = 0; j <= 4; ++j) s[i][j] += 1;") ==
        Texts{"s[16] in line 4, written"});
  CHECK(overruns("constexpr int n = 4;\nfloat a[n];\nconst auto f = [&](int k) {\n"
                 "for (int i = 0; i <= n; ++i) a[i] = k; };") == Texts{"a[4] in line 6, written"});
}

TEST_CASE("a loop that leaves an array only at some sizes is found") {
  CHECK(overruns("float s[4] = {};\nfor (int i = 0; i <= 4; ++i) {\n"
                 "const int row = threadIdx.x + 16 * i;\nif (row < M && 0 < N) C[row] = s[i]; }") ==
        Texts{"s[4] in line 6"});
  CHECK(overruns("float a[4];\nfor (int k = 0; k < M; ++k) {\n"
                 "for (int i = 0; i <= 4; ++i) a[i] = k < N ? a[i] : 0; }") ==
        Texts{"a[4] in line 5, written"});
}

TEST_CASE("nothing is said of arrays that may not be left") {
  for (const std::string body :
       {"float a[4]; for (int i = 0; i < 4; ++i) a[i] = 0;",
        "float a[4]; for (int i = 0; i < 8; ++i) if (i < 4) a[i] = 0;",
        "float a[4]; for (int i = 0; i < 8; ++i) a[i % 4] = 0;",
        "float a[4]; for (int i = 0; i < 8; ++i) { if (i == 4) break; a[i] = 0; }",
        "float a[4]; for (int i = 0; i < 8; ++i) if (threadIdx.x + i < 4) a[i] = 0;",
        "float a[4]; for (int i = 0; i < 4; i += 2) { a[i] = 0; a[i + 1] = 0; }",
        "float a[4]; for (int i = 0; i < 8; ++i) { i += 4; a[i - 4] = 0; }",
        "float a[4]; int n = 8; n = 4; for (int i = 0; i < n; ++i) a[i] = 0;",
        "float a[4]; for (float* p = a; p != &a[4]; ++p) *p = 0;",
        "float s[4][4]; for (int i = 0; i < 16; ++i) s[0][i] = 0;",
        "float a[4]; for (int i = 0; i < 8; ++i) { float a[8]; a[i] = 0; }",
        "float a[4]; if constexpr (T == 8) for (int i = 0; i < T; ++i) a[i] = 0;",
        "float a[4]; for (int i = 0; i < 8 && i < N; ++i) a[i] = 0;",
        "__shared__ float a[4]; for (int i = 0; i < 8; ++i) a[i] = 0;",
        "\n#if X\nfloat a[4];\n#else\nfloat a[8];\n#endif\nfor (int i = 0; i < 8; ++i) a[i] = 0;",
        "float a[4]; C[0] = sizeof(a[4]);"}) {
    INFO(body);
    CHECK(overruns(body, body.find("T == 8") == body.npos ? "k" : "k<4>") == Texts{});
  }
}

}  // namespace
}  // namespace gemm_tutor
