// Instructions by which the lanes of a warp learn of each other.
#include <fmt/format.h>

#include <tuple>

#include "catch.hpp"
#include "ptx_kernel.hpp"

using namespace gemm_tutor::emulator;

namespace {

struct Shuffled {
  std::vector<std::uint32_t> values, in_range;
};

// Lane l gives 100 + l; `active` lanes take part.
Shuffled shuffle(const std::string& mode, const std::string& argument, std::uint32_t clamp,
                 std::uint32_t active = 0xffffffff) {
  std::vector<std::uint32_t> out(64, 7);
  const Result result =
      run_ptx(ptx_module(fmt::format("  mov.u32 %r0, %tid.x;\n"
                                     "  mul.wide.u32 %rd0, %r0, 8;\n"
                                     "  add.s64 %rd0, %buffer0, %rd0;\n"
                                     "  shr.u32 %r1, {3}, %r0;\n"
                                     "  and.b32 %r1, %r1, 1;\n"
                                     "  setp.eq.u32 %p0, %r1, 0;\n"
                                     "  @%p0 bra OUT;\n"
                                     "  add.u32 %r2, %r0, 100;\n"
                                     "  rem.u32 %r3, %r0, 3;\n"
                                     "  shfl.sync.{0}.b32 %r4|%p1, %r2, {1}, {2}, -1;\n"
                                     "  selp.u32 %r5, 1, 0, %p1;\n"
                                     "  st.global.v2.b32 [%rd0], {{%r4, %r5}};\n"
                                     "OUT:\n",
                                     mode, argument, clamp, active),
                         1),
              one_warp, {buffer_of(out, "out")});
  CHECK(kinds(result) == (active == 0xffffffff ? "" : "barrier@0"));  // the mask names all
  Shuffled shuffled;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    shuffled.values.push_back(out[2 * lane]);
    shuffled.in_range.push_back(out[2 * lane + 1]);
  }
  return shuffled;
}

// The last operand as CUDA C++ makes it for segments of `width` lanes.
std::uint32_t clamp_of(std::uint32_t width, bool up) { return (32 - width) << 8 | (up ? 0 : 31); }

}  // namespace

TEST_CASE("a shuffle takes another lane's value, and its own where there is none") {
  for (const std::uint32_t width : {32u, 16u, 8u, 1u}) {
    const Shuffled down = shuffle("down", "3", clamp_of(width, false));
    const Shuffled up = shuffle("up", "3", clamp_of(width, true));
    const Shuffled exchange = shuffle("bfly", "5", clamp_of(width, false));
    const Shuffled from = shuffle("idx", "9", clamp_of(width, false));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      INFO("lane " << lane << " of segments of " << width);
      const std::uint32_t first = lane / width * width, last = first + width - 1;
      CHECK(down.values[lane] == 100 + (lane + 3 <= last ? lane + 3 : lane));
      CHECK(down.in_range[lane] == (lane + 3 <= last));
      CHECK(up.values[lane] == 100 + (lane >= first + 3 ? lane - 3 : lane));
      CHECK(up.in_range[lane] == (lane >= first + 3));
      CHECK(exchange.values[lane] == 100 + ((lane ^ 5) <= last ? lane ^ 5 : lane));
      CHECK(exchange.in_range[lane] == ((lane ^ 5) <= last));
      CHECK(from.values[lane] == 100 + first + 9 % width);
      CHECK(from.in_range[lane] == 1);
    }
  }
}

TEST_CASE("each lane may ask for another lane's value") {
  const Shuffled shuffled = shuffle("idx", "%r3", clamp_of(32, false));
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(shuffled.values[lane] == 100 + lane % 3);
}

TEST_CASE("lanes that are elsewhere get nothing from a shuffle") {
  const Shuffled shuffled = shuffle("bfly", "1", clamp_of(32, false), 0x0000ffff);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    CHECK(shuffled.values[lane] == (lane < 16 ? 100 + (lane ^ 1) : 7));
    CHECK(shuffled.in_range[lane] == (lane < 16 ? 1 : 7));
  }
}

TEST_CASE("to take the value of a lane that has returned is found") {
  std::vector<std::uint32_t> out(32);
  const Result result = run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                                           "  setp.ge.u32 %p0, %r0, 8;\n"
                                           "  @%p0 ret;\n"
                                           "  shfl.sync.down.b32 %r1, %r0, 4, 31, -1;\n",
                                           1),
                                one_warp, {buffer_of(out)});
  REQUIRE(kinds(result) == "barrier@0");
  CHECK(result.findings[0].count == 4);  // lanes 4 to 7; that the mask names the others is no fault
  CHECK(
      message(result.findings[0]).find("takes the value of thread (8, 0, 0), which has returned") !=
      std::string::npos);
}

TEST_CASE("a vote has the bits of the lanes that are there and say yes") {
  std::vector<std::uint32_t> out(64);
  run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                     "  mul.wide.u32 %rd0, %r0, 8;\n"
                     "  add.s64 %rd0, %buffer0, %rd0;\n"
                     "  and.b32 %r1, %r0, 1;\n"
                     "  setp.eq.u32 %p0, %r1, 0;\n"
                     "  setp.gt.u32 %p1, %r0, 9;\n"
                     "  @%p0 bra OUT;\n"
                     "  vote.sync.ballot.b32 %r2, %p1, -1;\n"
                     "  activemask.b32 %r3;\n"
                     "  bar.warp.sync -1;\n"
                     "  st.global.v2.b32 [%rd0], {%r2, %r3};\n"
                     "OUT:\n",
                     1),
          one_warp, {buffer_of(out, "out")});
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CHECK(out[2 * lane] == (lane % 2 == 1 ? 0xaaaaa800u : 0u));  // odd lanes from 11
    CHECK(out[2 * lane + 1] == (lane % 2 == 1 ? 0xaaaaaaaau : 0u));
  }
}

TEST_CASE("any and all ask the lanes that are there") {
  // The lanes from 8 on are there; those from `from` on say yes.
  for (const auto& [from, any, all] : std::vector<std::tuple<int, unsigned, unsigned>>{
           {0, 1, 1}, {8, 1, 1}, {9, 1, 0}, {31, 1, 0}, {32, 0, 0}}) {
    INFO("from lane " << from);
    std::vector<std::uint32_t> out(64, 7);
    run_ptx(ptx_module(fmt::format("  mov.u32 %r0, %tid.x;\n"
                                   "  mul.wide.u32 %rd0, %r0, 8;\n"
                                   "  add.s64 %rd0, %buffer0, %rd0;\n"
                                   "  setp.lt.u32 %p0, %r0, 8;\n"
                                   "  setp.ge.u32 %p1, %r0, {};\n"
                                   "  mov.u32 %r5, -256;\n"
                                   "  @%p0 bra OUT;\n"
                                   "  vote.sync.any.pred %p2, %p1, %r5;\n"
                                   "  vote.sync.all.pred %p3, %p1, -1;\n"
                                   "  selp.u32 %r1, 1, 0, %p2;\n"
                                   "  selp.u32 %r2, 1, 0, %p3;\n"
                                   "  st.global.v2.b32 [%rd0], {{%r1, %r2}};\n"
                                   "OUT:\n",
                                   from),
                       1),
            one_warp, {buffer_of(out, "out")});
    for (std::size_t lane = 0; lane < 32; ++lane) {
      CHECK(out[2 * lane] == (lane < 8 ? 7 : any));
      CHECK(out[2 * lane + 1] == (lane < 8 ? 7 : all));
    }
  }
}
