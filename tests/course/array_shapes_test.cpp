#include "course/array_shapes.hpp"

#include "catch.hpp"

namespace gemm_tutor {
namespace {

using Extents = std::vector<std::int64_t>;

Extents extents_of(const std::string& array, const std::string& source,
                   const std::string& name = "k") {
  for (const emulator::ArrayShape& shape : shared_array_shapes(source, name)) {
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
  CHECK(shared_array_shapes("", "").empty());
}

}  // namespace
}  // namespace gemm_tutor
