// Lanes of a warp that go different ways: each must get what it would get alone.
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"
#include "random_kernel.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

#define __device__ [[maybe_unused]]  // the same text is compiled as CUDA C++
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#include "control_flow_shapes.inc"
#pragma GCC diagnostic pop
#undef __device__

struct Shape {
  const char* name;
  unsigned (*on_the_cpu)(int lane);
};

constexpr Shape shapes[] = {
    {"if_else", if_else},
    {"nested", nested},
    {"own_trip_count", own_trip_count},
    {"break_and_continue", break_and_continue},
    {"loops_in_loops", loops_in_loops},
    {"early_return", early_return},
    {"uniform", uniform},
    {"loop_in_divergent_branch", loop_in_divergent_branch},
    {"choice_of_many", choice_of_many},
    {"irreducible", irreducible},
};

std::string shapes_as_cuda() {
  std::ifstream file(PROJECT_SOURCE_DIR "/tests/emulator/control_flow_shapes.inc");
  std::string source(std::istreambuf_iterator<char>(file), {});
  const std::string rolled = "\n#pragma unroll 1\n";
  for (std::size_t at = source.find("for ("); at != std::string::npos;
       at = source.find("for (", at)) {
    source.insert(at, rolled);
    at += rolled.size() + 1;
  }
  for (const Shape& shape : shapes) {
    source += fmt::format(
        "extern \"C\" __global__ void run_{0}(int* out) {{ out[threadIdx.x] = {0}(threadIdx.x); "
        "}}\n",
        shape.name);
  }
  return source;
}

std::vector<int> run_in_lanes(const std::string& ptx, const std::string& entry,
                              std::uint32_t threads) {
  std::vector<int> out(threads);
  const Launch launch{{1, 1, 1}, {threads, 1, 1}, 0};
  const Result result = Program::decode(ptx, entry, "kernel.cu")
                            .run(launch, {buffer_of(out, "out")}, {Argument::pointer(0)});
  CHECK(kinds(result) == "");
  return out;
}

std::vector<std::uint32_t> run_for_lanes(const std::string& body) {
  std::vector<std::uint32_t> out(32);
  const std::string store =
      "  mul.wide.u32 %rd0, %r0, 4;\n  add.s64 %rd0, %buffer0, %rd0;\n"
      "  st.global.u32 [%rd0], %r1;\n";
  const Result result =
      run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, 0;\n" + body + store, 1), one_warp,
              {buffer_of(out, "out")});
  CHECK(kinds(result) == "");
  return out;
}

// Lane l is let into the levels 0 to l - 1, one lane fewer each time.
std::string levels(int level, bool jump_inwards) {
  if (level == 31) return "";
  const std::string inner = levels(level + 1, jump_inwards) + "  add.u32 %r1, %r1, 1;\n";
  const std::string enter =
      jump_inwards
          ? fmt::format("  setp.gt.u32 %p0, %r0, {0};\n  @%p0 bra IN{0};\n  bra OUT{0};\nIN{0}:\n",
                        level)
          : fmt::format("  setp.gt.u32 %p0, %r0, {0};\n  @!%p0 bra OUT{0};\n", level);
  return enter + inner + fmt::format("OUT{}:\n  add.u32 %r1, %r1, 100;\n", level);
}

}  // namespace

TEST_CASE("lanes that go different ways compute what the CPU computes for each") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string ptx = cuda_to_ptx(shapes_as_cuda());
  for (const Shape& shape : shapes) {
    for (const std::uint32_t threads : {1u, 31u, 32u, 33u, 200u}) {
      const std::vector<int> out = run_in_lanes(ptx, std::string("run_") + shape.name, threads);
      for (std::size_t lane = 0; lane < out.size(); ++lane) {
        INFO(shape.name << " in lane " << lane << " of " << threads);
        CHECK(static_cast<unsigned>(out[lane]) == shape.on_the_cpu(static_cast<int>(lane)));
      }
    }
  }
}

TEST_CASE("branches nest as deep as a warp has lanes to lose") {
  for (const bool jump_inwards : {false, true}) {
    const std::vector<std::uint32_t> out = run_for_lanes(levels(0, jump_inwards));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      INFO("lane " << lane << (jump_inwards ? ", jumping inwards" : ", jumping outwards"));
      // Entered `lane` levels, and asked at one more unless that was the last.
      CHECK(out[lane] == lane + 100 * std::min(lane + 1, 31u));
    }
  }
}

TEST_CASE("lanes leave a loop one by one and meet behind it") {
  const std::vector<std::uint32_t> out = run_for_lanes(
      "  mov.u32 %r2, 0;\n"
      "LOOP:\n"
      "  add.u32 %r1, %r1, %r2;\n"
      "  add.u32 %r2, %r2, 1;\n"
      "  setp.le.u32 %p0, %r2, %r0;\n"
      "  @%p0 bra LOOP;\n"
      "  activemask.b32 %r3;\n"
      "  shl.b32 %r4, %r3, 16;\n"
      "  add.u32 %r1, %r1, %r4;\n");
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(out[lane] == lane * (lane + 1) / 2 + 0xffff0000u);  // 0 + 1 + … + lane, all lanes there
}

TEST_CASE("both sides of a branch are left before what follows runs, once for all lanes") {
  const std::vector<std::uint32_t> out = run_for_lanes(
      "  and.b32 %r2, %r0, 1;\n"
      "  setp.eq.u32 %p0, %r2, 0;\n"
      "  @%p0 bra EVEN;\n"
      "  activemask.b32 %r1;\n"
      "  bra MEET;\n"
      "EVEN:\n"
      "  activemask.b32 %r1;\n"
      "MEET:\n"
      "  activemask.b32 %r3;\n"
      "  not.b32 %r3, %r3;\n"
      "  or.b32 %r1, %r1, %r3;\n");
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(out[lane] == (lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau));
}

// A predicate is a word of one bit a lane, a value a word for each lane.
TEST_CASE("what a waiting lane still needs is not overwritten by predicates of the others") {
  const std::vector<std::uint32_t> out = run_for_lanes(
      "  add.u32 %r2, %r0, 500;\n"
      "  setp.ne.u32 %p0, %r0, 0;\n"
      "  @%p0 bra OTHERS;\n"
      "  mov.u32 %r1, %r2;\n"
      "  bra MEET;\n"
      "OTHERS:\n"
      "  setp.gt.u32 %p1, %r0, 7;\n"
      "  setp.gt.u32 %p2, %r0, 20;\n"
      "  selp.u32 %r1, 1, 2, %p1;\n"
      "  selp.u32 %r1, 3, %r1, %p2;\n"
      "MEET:\n");
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(out[lane] == (lane == 0 ? 500u : lane > 20 ? 3u : lane > 7 ? 1u : 2u));
}

TEST_CASE("lanes that return early are gone, and the others go on") {
  std::vector<std::uint32_t> out(32, 7);
  const Result result = run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                                           "  mul.wide.u32 %rd0, %r0, 4;\n"
                                           "  add.s64 %rd0, %buffer0, %rd0;\n"
                                           "  setp.lt.u32 %p0, %r0, 5;\n"
                                           "  @%p0 exit;\n"
                                           "  setp.gt.u32 %p0, %r0, 20;\n"
                                           "  @!%p0 bra STAY;\n"
                                           "  ret;\n"
                                           "STAY:\n"
                                           "  activemask.b32 %r1;\n"
                                           "  st.global.u32 [%rd0], %r1;\n",
                                           1),
                                one_warp, {buffer_of(out, "out")});
  CHECK(kinds(result) == "");
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(out[lane] == (lane < 5 || lane > 20 ? 7u : 0x001fffe0u));  // bits 5 to 20
  CHECK(result.total.global_store_requests == 1);
  CHECK(result.total.global_store_bytes == 16 * 4);
}

TEST_CASE("what a warp executes is counted once for all its lanes, an FFMA for each") {
  std::vector<float> out(32);
  // Lane l goes round l times; the warp 31 times, and 32 times past the loop's head.
  const Result result = run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                                           "  mov.f32 %f0, 0f3F800000;\n"
                                           "HEAD:\n"
                                           "  setp.eq.u32 %p0, %r0, 0;\n"
                                           "  @%p0 bra OUT;\n"
                                           "  fma.rn.f32 %f0, %f0, %f0, %f0;\n"
                                           "  sub.u32 %r0, %r0, 1;\n"
                                           "  bra HEAD;\n"
                                           "OUT:\n",
                                           1),
                                one_warp, {buffer_of(out, "out")});
  CHECK(result.total.ffma == 31 * 32 / 2);
  // ld.param and two moves; two at the head, 32 times; three in the loop, 31 times; ret
  CHECK(result.total.warp_instructions() == 3 + 2 * 32 + 3 * 31 + 1);
}

TEST_CASE("random kernels compute what the CPU computes from the same statements") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<RandomFunction> functions;
    std::string source;
    for (std::uint64_t i = 0; i < 12; ++i) {
      functions.emplace_back(100 * seed + i);
      source += fmt::format(
          "{}extern \"C\" __global__ void run{}(int* out) {{\n"
          "  out[threadIdx.x] = f{}(threadIdx.x);\n}}\n",
          functions.back().text(fmt::format("f{}", i)), i, i);
    }
    const std::string ptx = cuda_to_ptx(source);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const std::vector<int> out = run_in_lanes(ptx, fmt::format("run{}", i), 96);
      for (std::uint32_t lane = 0; lane < 96; ++lane) {
        INFO("seed " << 100 * seed + i << ", lane " << lane << ":\n" << functions[i].text("f"));
        REQUIRE(static_cast<std::uint32_t>(out[lane]) == functions[i].value(lane));
      }
    }
  }
}
