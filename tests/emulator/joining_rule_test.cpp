// The rule by which ptxas joins accesses to shared memory, piece by piece. What is expected of each
// is what ptxas 13.0 made of the same PTX for sm_90.
#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "ptx_kernel.hpp"

namespace gemm_tutor::simt {
namespace {

// Lane i's own 16 bytes.
const std::string own16 =
    "mov.u32 %r9, %tid.x; mov.u32 %r8, s; shl.b32 %r7, %r9, 4; add.s32 %r1, %r7, %r8;\n";

std::string loads(const std::vector<int>& offsets, const std::string& base = "%r1") {
  std::string text;
  for (const int offset : offsets) {
    text += fmt::format("ld.shared.f32 %f1, [{}+{}];\n", base, offset);
  }
  return text;
}

std::string stores(const std::vector<int>& offsets, const std::string& base = "%r1") {
  std::string text = "mov.f32 %f1, 0f00000000;\n";
  for (const int offset : offsets) {
    text += fmt::format("st.shared.f32 [{}+{}], %f1;\n", base, offset);
  }
  return text;
}

const std::string own_shared = ".shared .align 16 .b8 s[8192];";

Result result_of(const std::string& body, const std::string& variables = own_shared) {
  std::vector<float> c(256);
  Options options;
  options.check = false;
  const Result result = run_ptx(ptx_module(body, 1, variables) + "\t.file\t1 \"kernel.cu\"\n",
                                one_warp, {buffer_of(c, "C")}, options);
  CHECK_FALSE(result.shared_as_in_machine_code);
  CHECK(result.findings.empty());
  CHECK(result.total.unmatched_requests == 0);
  return result;
}

Counters counters_of(const std::string& body, const std::string& variables = own_shared) {
  return result_of(body, variables).total;
}

std::uint64_t load_requests(const std::string& body) {
  return counters_of(body).shared_load_requests;
}
std::uint64_t store_requests(const std::string& body) {
  return counters_of(body).shared_store_requests;
}

// %r1 begins at own16's, and is 4 bytes further in each iteration.
std::string loop(int iterations, const std::string& body, const std::string& pragma = "") {
  return fmt::format(
      "{}mov.u32 %r5, 0;\nLOOP:\n{}{}add.s32 %r1, %r1, 4; add.s32 %r5, %r5, 1;\n"
      "setp.ne.s32 %p1, %r5, {}; @%p1 bra LOOP;\n",
      own16, pragma, body, iterations);
}

}  // namespace

TEST_CASE("neighbours in aligned 16 or 8 bytes are joined, with at most one word too many") {
  struct Case {
    std::vector<int> offsets;
    std::uint64_t loads, stores;
  };
  const Case cases[] = {{{0, 4, 8, 12}, 1, 1},
                        {{12, 8, 4, 0}, 1, 1},
                        {{0, 4}, 1, 1},
                        {{8, 12}, 1, 1},
                        {{4, 8}, 2, 2},
                        {{0, 8}, 2, 2},
                        {{0, 12}, 2, 2},
                        {{0, 4, 8}, 1, 2},
                        {{0, 4, 12}, 1, 2},
                        {{4, 8, 12}, 1, 2},
                        {{0, 4, 8, 12, 16}, 2, 2},
                        {{8, 12, 16, 20}, 2, 2},
                        {{0, 4, 8, 16, 20, 24}, 2, 4},
                        {{0, 1024, 4, 1028}, 2, 4},
                        {{0, 4, 64, 68, 8, 12}, 2, 3},
                        {{0, 8, 4, 12}, 1, 1},
                        {{8, 20, 12}, 2, 3}};
  for (const Case& c : cases) {
    INFO(fmt::format("{}", fmt::join(c.offsets, " ")));
    CHECK(load_requests(own16 + loads(c.offsets)) == c.loads);
    CHECK(store_requests(own16 + stores(c.offsets)) == c.stores);
  }
}

TEST_CASE("a joined access has the wavefronts of a wide one") {
  const Counters row = counters_of(own16 + loads({4, 8, 12}));
  CHECK(row.shared_load_requests == 1);
  CHECK(row.shared_load_wavefronts == 4);
  CHECK(row.shared_load_conflicts == 0);
  CHECK(row.ptx.shared_load_requests == 3);
  CHECK(row.ptx.shared_load_wavefronts == 12);
  CHECK(row.ptx.shared_load_conflicts == 9);
  CHECK(row.shared_load_bytes == 32 * 16);  // one word more than the PTX reads
}

TEST_CASE("a joined access is one of the line of its first part, with all of its bytes") {
  const Result result = result_of(own16 + "  .loc 1 7 1\n" + loads({4}) + "  .loc 1 5 1\n" +
                                  loads({0, 12, 64}) + "  .loc 1 9 1\n" + loads({8}) +
                                  stores({0, 4}) + "  .loc 1 11 1\n" + stores({8, 12}));
  const auto counters = [&](int line) {
    return std::ranges::find(result.lines, line, &LineCounters::line)->counters;
  };
  CHECK(counters(5).shared_load_requests == 2);
  CHECK(counters(5).shared_load_bytes == 32 * (16 + 4));
  for (const int line : {7, 9}) {
    CHECK(counters(line).shared_load_requests == 0);
    CHECK(counters(line).shared_load_bytes == 0);
  }
  CHECK(counters(9).shared_store_bytes == 32 * 16);
  CHECK(counters(11).shared_store_bytes == 0);
  CHECK(result.total.shared_load_bytes == 32 * (16 + 4));
}

TEST_CASE("the alignment has to be known") {
  const auto at = [](const std::string& address) {
    return load_requests("mov.u32 %r9, %tid.x; mov.u32 %r8, s;\n" + address +
                         "add.s32 %r1, %r3, %r8;\n" + loads({0, 4, 8, 12}));
  };
  CHECK(at("shl.b32 %r3, %r9, 2;") == 4);
  CHECK(at("shl.b32 %r3, %r9, 3;") == 2);
  CHECK(at("shl.b32 %r3, %r9, 4;") == 1);
  CHECK(at("mul.lo.s32 %r3, %r9, 68;") == 4);
  CHECK(at("mul.lo.s32 %r3, %r9, 72;") == 2);
  CHECK(at("mul.lo.s32 %r3, %r9, 80;") == 1);
  CHECK(at("and.b32 %r4, %r9, -4; shl.b32 %r3, %r4, 2;") == 1);
  CHECK(at("shr.u32 %r4, %r9, 3; shl.b32 %r3, %r4, 5;") == 1);
  CHECK(at("mov.u32 %r3, %r9; shl.b32 %r3, %r3, 4;") == 1);
  const auto lying = [](const std::string& variables) {
    return counters_of(own16 + loads({0, 4, 8, 12}), variables).shared_load_requests;
  };
  CHECK(lying(".shared .align 4 .b8 s[8192];") == 1);
  CHECK(lying(".shared .align 4 .b8 w[4]; .shared .align 4 .b8 s[8192];") == 4);
  CHECK(lying(".shared .align 4 .b8 w[8]; .shared .align 4 .b8 s[8192];") == 2);
}

TEST_CASE("accesses are joined at one value, whatever register holds it") {
  CHECK(load_requests(own16 + loads({0, 4}) + "add.s32 %r2, %r1, 16;\n" + loads({-8, -4}, "%r2")) ==
        1);
  CHECK(load_requests(own16 + loads({0}) + "add.s32 %r1, %r1, 16;\n" + loads({-12})) == 1);
  CHECK(load_requests(own16 + loads({0}) + "add.s32 %r1, %r1, %r7;\n" + loads({4})) == 2);
  CHECK(load_requests(own16 + "add.s32 %r2, %r7, %r1;\n" + loads({0}) + loads({4}, "%r2")) == 2);
  CHECK(load_requests(loads({0, 4, 8, 12}, "s")) == 1);
}

TEST_CASE("accesses of other sizes are joined with their like") {
  const std::string pair = "ld.shared.v2.f32 {%f1, %f2}, ";
  CHECK(load_requests(own16 + pair + "[%r1];\n" + pair + "[%r1+8];\n") == 1);
  CHECK(load_requests(own16 + pair + "[%r1];\n" + loads({8, 12})) == 1);
  CHECK(load_requests(own16 + "ld.shared.f64 %fd1, [%r1]; ld.shared.f64 %fd2, [%r1+8];\n") == 1);
  CHECK(load_requests(own16 + loads({0, 4}) + "ld.shared.f64 %fd1, [%r1+8];\n") == 2);
  CHECK(load_requests(own16 + "ld.shared.u16 %rs1, [%r1]; ld.shared.u16 %rs2, [%r1+2];\n") == 2);
  CHECK(load_requests(own16 + "ld.volatile.shared.f32 %f1, [%r1]; ld.volatile.shared.f32 %f2, "
                              "[%r1+4];\n") == 2);
  CHECK(store_requests(own16 + "mov.f32 %f1, 0f00000000;\nst.shared.v2.f32 [%r1], {%f1, %f1};\n"
                               "st.shared.v2.f32 [%r1+8], {%f1, %f1};\n") == 1);
}

TEST_CASE("what is between two accesses may keep them apart") {
  struct Case {
    std::string between;
    std::uint64_t loads, stores;
  };
  const auto wmma = [](const std::string& what, const std::string& space) {
    const std::string registers = "{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}",
                      address = space == ".shared" ? "[s+4096]" : "[%buffer0]";
    return fmt::format("wmma.{}.sync.aligned.row.m16n16k16{}.f32 {}, {}, 16;", what, space,
                       what == "load.c" ? registers : address,
                       what == "load.c" ? address : registers);
  };
  const Case cases[] = {{"", 1, 1},
                        {"bar.sync 0;", 2, 2},
                        {"membar.cta;", 2, 2},
                        {"red.shared.add.u32 [s+4096], 1;", 2, 2},
                        {"mov.f32 %f9, 0f00000000; st.shared.f32 [s+4096], %f9;", 2, 3},
                        {"ld.shared.f32 %f9, [s+4096];", 2, 2},
                        {"ld.global.f32 %f9, [%buffer0];", 1, 1},
                        {"mov.f32 %f9, 0f00000000; st.global.f32 [%buffer0], %f9;", 1, 1},
                        {"ld.f32 %f9, [%buffer0];", 1, 2},
                        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [s+4096];", 2, 2},
                        {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [s+4096], {%r9};", 2, 3},
                        {wmma("load.c", ".shared"), 5, 2},
                        {wmma("load.c", ""), 1, 2},
                        {wmma("load.c", ".global"), 1, 1},
                        {wmma("store.d", ".shared"), 2, 6},
                        {wmma("store.d", ""), 2, 2},
                        {wmma("store.d", ".global"), 1, 1},
                        {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r20, %r21}, {%r9}, "
                         "{%r9}, {%r9, %r9};",
                         1, 1},
                        {"cp.async.wait_all;", 2, 2},
                        {"cp.async.commit_group;", 1, 2},
                        {"setp.eq.u32 %p2, %r9, 99; @%p2 bra END;", 1, 2},
                        {"sqrt.rn.f32 %f9, %f9;", 2, 2}};
  for (const Case& c : cases) {
    INFO(c.between);
    const std::string between = c.between + "\n", end = "END:\n";
    CHECK(load_requests(own16 + loads({0}) + between + loads({4}) + end) == c.loads);
    CHECK(store_requests(own16 + stores({0}) + between + stores({4}) + end) == c.stores);
  }
}

TEST_CASE("a short loop of a known number of iterations is written out first") {
  CHECK(load_requests(loop(16, loads({0}))) == 4);
  CHECK(load_requests(loop(2, loads({0}))) == 1);
  CHECK(store_requests(loop(8, stores({0}))) == 2);
  CHECK(load_requests(loop(4, loads({0}), ".pragma \"nounroll\";\n")) == 4);
  std::string more;
  for (int i = 0; i < 96; ++i) more += "fma.rn.f32 %f2, %f1, %f1, %f2;\n";
  CHECK(load_requests(loop(4, loads({0}) + more)) == 4);
  CHECK(load_requests(own16 +
                      "setp.eq.u32 %p2, %r9, 99; mov.u32 %r5, 0; mov.u32 %r6, 4;\n"
                      "@%p2 mov.u32 %r6, 5;\nLOOP:\n" +
                      loads({0}) +
                      "add.s32 %r1, %r1, 4; add.s32 %r5, %r5, 1;\n"
                      "setp.ne.s32 %p1, %r5, %r6; @%p1 bra LOOP;\n") == 4);
}

}  // namespace gemm_tutor::simt
