// Findings as the emulator words them, and what is said of their cause.
#include "catch.hpp"
#include "exercise/diagnosis.hpp"

namespace gemm_tutor {
namespace {

struct Case {
  std::string kind, message;
  std::string says;  // part of the cause
};

const std::string thread = "thread (1, 0, 0) of block (0, 0, 0) ";

const std::vector<Case> cases = {
    {"bounds", thread + "reads A[16][0], outside A, which is 16×16", "row < M and k < K"},
    {"bounds", thread + "reads B[16][0], outside B, which is 16×16", "k < K and column < N"},
    {"bounds", thread + "writes C[16][0], outside C, which is 16×16", "must not store there"},
    {"bounds", thread + "copies from A[16][0], outside A, which is 16×16", "row < M and k < K"},
    {"bounds", thread + "writes C[-1][15], outside C, which is 16×16", "falls below 0"},
    {"bounds", thread + "reads a_tile[32][0], outside a_tile, which is 32×32", "its extents"},
    {"bounds", thread + "writes A[0][0], which is an input", "only read: store to C"},
    {"alignment", thread + "reads 16 bytes at A[0][1], which is not aligned to 16 bytes",
     "where its length is a multiple of 4"},
    {"alignment", thread + "reads 16 bytes at a_tile[1][0], which is not aligned to 16 bytes",
     "alignas(16)"},
    {"uninitialised", thread + "reads C[0][0], which nothing has written", "= for +="},
    {"uninitialised", thread + "reads a_tile[31][0], which nothing has written",
     "write every element"},
    {"race", thread + "reads tile[3], which thread (2, 0, 0) wrote with no __syncthreads() between",
     "between filling the tile and reading it"},
    {"race", thread + "writes tile[3], which thread (2, 0, 0) read with no __syncthreads() between",
     "between reading it and the next step that fills it again: one of"},
    {"race",
     thread + "writes tile[3], which thread (2, 0, 0) wrote with no __syncthreads() between",
     "Two threads write one element"},
    {"race",
     thread + "reads tile[1], which thread (0, 0, 0) wrote with no __syncwarp() or "
              "__syncthreads() between",
     "after the tiles are filled and before"},
    {"race",
     thread + "reads tile[1], which an asynchronous copy that nobody has waited for is still "
              "filling",
     "__pipeline_wait_prior"},
    {"race", thread + "and thread (2, 0, 0) write different values to tile[0] at the same time",
     "chance decides"},
    {"race", thread + "writes C[0][0], which thread (2, 0, 0) of block (1, 0, 0) wrote too",
     "the same element of C"},
    {"barrier",
     "__syncthreads() is reached by only some threads of a warp of block (0, 0, 0); missing are "
     "(16, 0, 0)",
     "take it out of the if"},
    {"barrier",
     "block (0, 0, 0) waits at this __syncthreads() for threads that have returned: (32, 0, 0)",
     "guard only the loads and the store"},
    {"barrier", "block (0, 0, 0) waits in two places: warp 0 here and warp 1 at line 9",
     "behind the branches"},
    {"barrier", thread + "is not in the mask 0x0000ffff that it gives itself", "0xffffffff"},
    {"barrier", thread + "is here without others that its mask names: (8, 0, 0)", "0xffffffff"},
    {"barrier", thread + "takes the value of thread (3, 0, 0), which has returned", "A shuffle"},
    {"endless", thread + "is still in this loop after more than 10,000 instructions",
     "never becomes false"},
    {"unwritten", "12 of the 64 elements of C that were checked were never written",
     "No thread stores"},
};

}  // namespace

TEST_CASE("every kind of finding has a cause that its message tells") {
  for (const Case& example : cases) {
    const std::string cause = cause_of({example.kind, 1, example.message});
    INFO(example.message << ": " << cause);
    CHECK(cause.find(example.says) != std::string::npos);
    CHECK(cause.ends_with("."));
  }
}

TEST_CASE("of a finding of another kind no cause is told") {
  CHECK(cause_of({"other", 1, "reads A[16][0], outside A"}) == "");
}

}  // namespace gemm_tutor
