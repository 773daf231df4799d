// Instructions by which the lanes of a warp learn of each other.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "catch.hpp"
#include "ptx_kernel.hpp"

using namespace gemm_tutor::simt;

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
                                     "OUT:\n"
                                     "  mov.u32 %r5, 0;\n",
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

// %r6 of each lane after `body`, which finds the lane's number in %r0, its mask in %r1 (even lanes
// and odd lanes are a group each) and a value of its own, 7 · lane mod 11 - 5, in %r2.
std::vector<std::uint32_t> of_groups(const std::string& body) {
  std::vector<std::uint32_t> out(32);
  const Result result = run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                                           "  mul.wide.u32 %rd0, %r0, 4;\n"
                                           "  add.s64 %rd0, %buffer0, %rd0;\n"
                                           "  and.b32 %r1, %r0, 1;\n"
                                           "  shl.b32 %r1, 0x55555555, %r1;\n"
                                           "  mul.lo.u32 %r2, %r0, 7;\n"
                                           "  rem.u32 %r2, %r2, 11;\n"
                                           "  sub.s32 %r2, %r2, 5;\n" +
                                               body + "  st.global.u32 [%rd0], %r6;\n",
                                           1),
                                one_warp, {buffer_of(out, "out")});
  CHECK(kinds(result) == "");
  return out;
}

std::int32_t own_value(int lane) { return 7 * lane % 11 - 5; }

}  // namespace

TEST_CASE("a reduction is of the values of a lane's mask") {
  using Unsigned = std::uint32_t;
  const auto check = [](const std::string& operation, Unsigned (*join)(Unsigned, Unsigned)) {
    const std::vector<Unsigned> out =
        of_groups(fmt::format("  redux.sync.{} %r6, %r2, %r1;\n", operation));
    for (int lane = 0; lane < 32; ++lane) {
      Unsigned expected = static_cast<Unsigned>(own_value(lane % 2));
      for (int other = lane % 2 + 2; other < 32; other += 2)
        expected = join(expected, static_cast<Unsigned>(own_value(other)));
      INFO(operation << " in lane " << lane);
      CHECK(out[static_cast<std::size_t>(lane)] == expected);
    }
  };
  check("add.u32", [](Unsigned a, Unsigned b) { return a + b; });
  check("add.s32", [](Unsigned a, Unsigned b) { return a + b; });
  check("min.u32", [](Unsigned a, Unsigned b) { return std::min(a, b); });
  check("max.u32", [](Unsigned a, Unsigned b) { return std::max(a, b); });
  check("min.s32", [](Unsigned a, Unsigned b) { return a - 1000 < b - 1000 ? a : b; });
  check("max.s32", [](Unsigned a, Unsigned b) { return a + 1000 > b + 1000 ? a : b; });
  check("and.b32", [](Unsigned a, Unsigned b) { return a & b; });
  check("or.b32", [](Unsigned a, Unsigned b) { return a | b; });
  check("xor.b32", [](Unsigned a, Unsigned b) { return a ^ b; });
}

TEST_CASE("a reduction of floats takes no NaN where there is a number") {
  for (const auto& [operation, expected] :
       std::vector<std::pair<std::string, float>>{{"min.f32", -5}, {"max.f32", 5}}) {
    const auto out =
        of_groups(fmt::format("  cvt.rn.f32.s32 %f0, %r2;\n"
                              "  setp.eq.u32 %p0, %r0, 5;\n"
                              "  @%p0 mov.b32 %f0, 0x7fc00000;\n"
                              "  redux.sync.{} %f1, %f0, -1;\n"
                              "  mov.b32 %r6, %f1;\n",
                              operation));
    for (const std::uint32_t bits : out) CHECK(bits == std::bit_cast<std::uint32_t>(expected));
  }
}

TEST_CASE("a vote counts the lanes of its mask alone") {
  const auto out = of_groups(
      "  setp.eq.u32 %p0, %r0, 4;\n"
      "  vote.sync.any.pred %p1, %p0, %r1;\n"
      "  selp.u32 %r6, 1, 0, %p1;\n"
      "  setp.ne.u32 %p0, %r0, 4;\n"
      "  vote.sync.all.pred %p1, %p0, %r1;\n"
      "  selp.u32 %r7, 2, 0, %p1;\n"
      "  or.b32 %r6, %r6, %r7;\n"
      "  vote.sync.uni.pred %p1, %p0, %r1;\n"
      "  selp.u32 %r7, 4, 0, %p1;\n"
      "  or.b32 %r6, %r6, %r7;\n"
      "  not.pred %p0, %p0;\n"
      "  vote.sync.uni.pred %p1, %p0, %r1;\n"
      "  selp.u32 %r7, 8, 0, %p1;\n"
      "  or.b32 %r6, %r6, %r7;\n"
      "  vote.sync.ballot.b32 %r7, %p0, %r1;\n"
      "  shl.b32 %r7, %r7, 4;\n"
      "  or.b32 %r6, %r6, %r7;\n");
  for (std::size_t lane = 0; lane < 32; ++lane)
    CHECK(out[lane] == (lane % 2 == 0 ? 1u | 1u << 8 : 2u | 4u | 8u));
}

TEST_CASE("lanes that all have one value match") {
  // The odd lanes have one value, the even ones several.
  const std::string prepared =
      "  setp.eq.u32 %p0, %r1, 0x55555555;\n"
      "  selp.b32 %r2, %r2, 3, %p0;\n"
      "  cvt.s64.s32 %rd1, %r2;\n";
  for (const std::string match :
       {"match.all.sync.b32 %r6|%p1, %r2, %r1;\n", "match.all.sync.b64 %r6|%p1, %rd1, %r1;\n"}) {
    const auto masks = of_groups(prepared + match);
    const auto found = of_groups(prepared + match + "  selp.u32 %r6, 1, 0, %p1;\n");
    for (std::size_t lane = 0; lane < 32; ++lane) {
      CHECK(masks[lane] == (lane % 2 == 0 ? 0u : 0xaaaaaaaau));
      CHECK(found[lane] == lane % 2);
    }
  }
}

TEST_CASE("the first lane of a mask is elected") {
  const auto leaders = of_groups("  elect.sync %r6|%p0, %r1;\n");
  const auto elected = of_groups("  elect.sync _|%p0, %r1;\n  selp.u32 %r6, 1, 0, %p0;\n");
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CHECK(leaders[lane] == lane % 2);
    CHECK(elected[lane] == (lane < 2));
  }
}

TEST_CASE("special registers say which lane, warp and block it is") {
  std::vector<std::uint32_t> out(64 * 12);
  const std::vector<std::string> names = {
      "lanemask_eq",       "lanemask_lt",    "lanemask_le", "lanemask_gt", "lanemask_ge",
      "nwarpid",           "smid",           "nsmid",       "gridid",      "warpid",
      "dynamic_smem_size", "total_smem_size"};
  std::string body =
      "  mov.u32 %r0, %tid.x;\n  mul.wide.u32 %rd0, %r0, 48;\n"
      "  add.s64 %rd0, %buffer0, %rd0;\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    body += fmt::format("  mov.u32 %r1, %{};\n  st.global.u32 [%rd0+{}], %r1;\n", names[i], 4 * i);
  run_ptx(ptx_module(body, 1, ".shared .align 4 .b8 s[64];"), {{1, 1, 1}, {64, 1, 1}, 128},
          {buffer_of(out, "out")});
  for (std::uint32_t thread = 0; thread < 64; ++thread) {
    const std::uint32_t lane = thread % 32, one = 1u << lane, below = one - 1;
    const std::vector<std::uint32_t> expected = {
        one, below, below | one, ~(below | one), ~below, 2, 0, 1, 0, thread / 32, 128, 192};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO(names[i] << " of thread " << thread);
      CHECK(out[12 * thread + i] == expected[i]);
    }
  }
}

TEST_CASE("every reading of a clock is later than the one before") {
  std::vector<std::uint64_t> out(4);
  run_ptx(ptx_module("  mov.u64 %rd1, %clock64;\n"
                     "  mov.u32 %r1, %clock;\n"
                     "  cvt.u64.u32 %rd2, %r1;\n"
                     "  mov.u64 %rd3, %globaltimer;\n"
                     "  mov.u32 %r2, %globaltimer_lo;\n"
                     "  cvt.u64.u32 %rd4, %r2;\n"
                     "  st.global.v2.b64 [%buffer0], {%rd1, %rd2};\n"
                     "  st.global.v2.b64 [%buffer0+16], {%rd3, %rd4};\n",
                     1),
          {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(out, "out")});
  CHECK(out[0] < out[1]);
  CHECK(out[1] < out[2]);
  CHECK(out[2] < out[3]);
}

TEST_CASE("what is about caches changes nothing") {
  std::vector<std::uint32_t> out = {5, 6, 7, 8};
  const Result result =
      run_ptx(ptx_module("  prefetch.global.L2 [%buffer0];\n"
                         "  prefetchu.L1 [%buffer0+4];\n"
                         "  applypriority.global.L2::evict_normal [%buffer0], 128;\n"
                         "  createpolicy.fractional.L2::evict_first.b64 %rd1, 0f3F800000;\n"
                         "  ld.global.L2::cache_hint.v2.b32 {%r1, %r2}, [%buffer0], %rd1;\n"
                         "  st.global.L2::cache_hint.b32 [%buffer0+8], %r2, %rd1;\n",
                         1),
              {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(out, "out")});
  CHECK(kinds(result) == "");
  CHECK(out == std::vector<std::uint32_t>{5, 6, 6, 8});
}

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
