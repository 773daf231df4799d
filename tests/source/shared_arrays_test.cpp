#include "catch.hpp"
#include "source/kernel.hpp"

namespace gemm_tutor {
namespace {

using Extents = std::vector<std::int64_t>;

Extents extents_of(const std::string& array, const std::string& text,
                   const std::string& name = "k") {
  for (const source::SharedArray& shape : source::shared_arrays(text, name)) {
    if (shape.name == array) return shape.extents;
  }
  return {};
}

TEST_CASE("a shared array's extents follow from constants, macros and template arguments") {
  CHECK(extents_of("s", "__global__ void k() { __shared__ float s[4][8]; }") == Extents{4, 8});
  CHECK(extents_of(
            "s", "#define TILE 32\n__global__ void k() { __shared__ float s[TILE][TILE + 1]; }") ==
        Extents{32, 33});
  CHECK(extents_of("s",
                   "constexpr int BM = 128, BK = BM / 16;\n__global__ void k() { __shared__ float "
                   "s[2][BK][BM]; }") == Extents{2, 8, 128});
  const std::string tile =
      "template <int BM, int BN, int BK = 8> __global__ void tile(float* C) {\n"
      "  __shared__ float a[BM][BK], b[BK][BN];\n}\n";
  CHECK(extents_of("a", tile, "tile<64, 32>") == Extents{64, 8});
  CHECK(extents_of("b", tile, "tile<64, 32, 16>") == Extents{16, 32});
}

TEST_CASE("each kernel of a file has its own arrays, also where their names are the same") {
  const std::string both =
      "template <int BM, int BK> __global__ void one(float* C) { __shared__ float a[BM][BK]; }\n"
      "template <int BM, int BK> __global__ void other(float* C) { __shared__ float a[BK][BM]; }\n"
      "__device__ void helper() { __shared__ float s[3]; }\n";
  CHECK(extents_of("a", both, "one<64, 8>") == Extents{64, 8});
  CHECK(extents_of("a", both, "other<64, 8>") == Extents{8, 64});
  CHECK(extents_of("s", both, "other<64, 8>") == Extents{3});
}

TEST_CASE("an array whose extents are not known is left out") {
  CHECK(extents_of("s", "__global__ void k() { extern __shared__ float s[]; }").empty());
  CHECK(extents_of("s", "__global__ void k() { __shared__ float s[sizeof(int)][N]; }").empty());
  CHECK(extents_of("s", "__global__ void k() { __shared__ float s[4 / 0]; }").empty());
  CHECK(source::shared_arrays("", "").empty());
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST_CASE("a shared array has the bytes of its type, if that is one of CUDA's own") {
  const auto bytes = [](const std::string& declaration) {
    const auto arrays = source::shared_arrays("__global__ void k() { " + declaration + " }", "k");
    REQUIRE(!arrays.empty());
    return arrays.back().element_bytes;
  };
  CHECK(bytes("__shared__ float s[4];") == 4);
  CHECK(bytes("__shared__ __align__(16) half s[2][8];") == 2);
  CHECK(bytes("__shared__ unsigned char s[4];") == 1);
  CHECK(bytes("__shared__ unsigned int s[4];") == 4);
  CHECK(bytes("__shared__ long long s[4];") == 8);
  CHECK(bytes("__shared__ Pair<float, int> s[4];") == 0);
  CHECK(bytes("__shared__ float4 a[2], s[4];") == 16);
  CHECK(bytes("__shared__ Tile s[4];") == 0);
  CHECK(bytes("extern __shared__ double s[];") == 8);
  CHECK(source::shared_arrays("__global__ void k() { extern __shared__ Tile s[]; }", "k").empty());
}

TEST_CASE("the ways to write a shared array's extents") {
  const auto s = [](const std::string& before, const std::string& declaration) {
    return extents_of("s", before + "\n__global__ void k() { " + declaration + " }");
  };
  CHECK(s("#define TILE 32  // a tile", "__shared__ float s[TILE];") == Extents{32});
  CHECK(s("# define TILE (16 * 2)", "__shared__ float s[TILE];") == Extents{32});
  CHECK(s("// #define TILE 8\n#define TILE 32\n/*\n#define TILE 4\n*/",
          "__shared__ float s[TILE];") == Extents{32});
  CHECK(s("static constexpr unsigned int A = 4;\nconstexpr std::size_t B = A * 2;",
          "__shared__ float s[A] [B];") == Extents{4, 8});
  CHECK(s("constexpr int A = 4;\n#define TILE (A + 1)\nconst int B = TILE * 2;",
          "__shared__ float s[B];") == Extents{10});
  CHECK(s("__device__ int f(const int a, const int b) { constexpr int A = 3; return A; }",
          "__shared__ float s[A];") == Extents{3});
  CHECK(s("", "__shared__ __align__(16) float a[2], s[(2 + 1) * 4];") == Extents{12});
  CHECK(s("", "__shared__ alignas(16) float s[8];  // [9]") == Extents{8});
  CHECK(s("", "// __shared__ float s[4];\n") == Extents{});
  CHECK(s("", "__shared__ float s[8][N];") == Extents{});
  CHECK(extents_of("s",
                   "template <int A, int B = A * 2> __global__ void k() "
                   "{ __shared__ float s[A][B]; }",
                   "k<4>") == Extents{4, 8});
}

TEST_CASE("numbers beyond those of an int are no extents") {
  const auto extents = [](const std::string& value) {
    return extents_of("s", "__global__ void k() { __shared__ float s[" + value + "]; }");
  };
  CHECK(extents("65536 * 65536 / 65536").empty());
  CHECK(extents("(0 - 536870912 * 536870912 * 32) / (0 - 1)").empty());
  CHECK(extents("999999999 * 999999999 * 999999999 * 999999999").empty());
}

TEST_CASE("a long text is read for shared arrays, whatever it holds") {
  const std::string kernel = "__global__ void k() { __shared__ float s[4]; }\n";
  for (const std::string& text :
       {"const int lut[] = {" + repeated("1, ", 15'000) + "1};\n",
        "const int " + repeated("a", 100'000) + "\n;",
        "// const int " + repeated("a ", 100'000) + ";\n",
        "/* " + repeated("const int ", 50'000) + "*/\n", repeated("const int ", 50'000) + ";\n",
        "#define X " + repeated("1 + ", 50'000) + "1\n", "#define X \\\n" + repeated("\n", 500'000),
        "#define X(" + repeated("a, ", 50'000) + "\n",
        "// __shared__ " + repeated("a ", 100'000) + ";\n",
        "int a" + repeated(" ", 500'000) + "= 1;\n", repeated("#define X __device__\n", 30'000),
        repeated("struct A {} ", 50'000) + ";\n"}) {
    INFO(text.substr(0, 40));
    CHECK(extents_of("s", text + kernel) == Extents{4});
  }
  for (const std::string& declaration :
       {"__shared__ int a" + repeated("[", 100'000) + ";",
        "__shared__ int a[" + repeated("(", 100'000) + "1" + repeated(")", 100'000) + "];",
        "__shared__ int a[" + repeated("1 * ", 100'000) + "N];", repeated("__shared__ ", 50'000)}) {
    INFO(declaration.substr(0, 40));
    CHECK(extents_of("a", "__global__ void k() { " + declaration + "}").empty());
  }
}

}  // namespace
}  // namespace gemm_tutor
