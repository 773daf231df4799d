// Additions that no other thread comes between.
#include <fmt/format.h>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "instruction_table.hpp"
#include "ptx_kernel.hpp"

using namespace gemm_tutor::emulator;

namespace {

// Every thread adds its number to one place; thread t of the block keeps what was there before.
template <typename T>
void check_addition(const std::string& name, std::uint32_t threads) {
  INFO(name << " by " << threads << " threads");
  const bool with_result = name.starts_with("atom"),
             shared = name.find("shared") != std::string::npos;
  const std::string bits = fmt::format("b{}", 8 * sizeof(T));
  const std::string kind = std::is_floating_point_v<T> ? "%f" : sizeof(T) == 8 ? "%rd" : "%r";
  const std::string convert = std::is_floating_point_v<T> ? "  cvt.rn.f32.u32 %f0, %r0;\n"
                              : sizeof(T) == 8            ? "  cvt.u64.u32 %rd0, %r0;\n"
                                                          : "";
  const std::string zero = std::is_floating_point_v<T> ? "0f00000000" : "0";
  std::string body =
      "  mov.u32 %r0, %tid.x;\n"
      "  setp.eq.u32 %p0, %r0, 0;\n" +
      convert;
  body += shared ? "  mov.u64 %rd10, place;\n  @%p0 st.shared." + bits + " [%rd10], " + zero + ";\n"
                 : "  mov.u64 %rd10, %buffer0;\n";
  body += "  bar.sync 0;\n";
  body += with_result ? fmt::format("  {} {}9, [%rd10], {}0;\n", name, kind, kind)
                      : fmt::format("  {} [%rd10], {}0;\n", name, kind);
  body += "  bar.sync 0;\n";
  if (shared)
    body +=
        fmt::format("  @%p0 ld.shared.{0} {1}8, [%rd10];\n  @%p0 st.global.{0} [%buffer0], {1}8;\n",
                    bits, kind);
  if (with_result) {
    body += fmt::format(
        "  mul.wide.u32 %rd11, %r0, {};\n  add.s64 %rd11, %buffer1, %rd11;\n"
        "  st.global.{} [%rd11], {}9;\n",
        sizeof(T), bits, kind);
  }
  std::vector<T> sum(1), before(threads);
  const Result result = run_ptx(ptx_module(body, 2, ".shared .align 8 .b8 place[8];\n"),
                                {{1, 1, 1}, {threads, 1, 1}, 0},
                                {buffer_of(sum, "sum"), buffer_of(before, "before")});
  CHECK(kinds(result) == "");
  CHECK(sum[0] == static_cast<T>(threads * (threads - 1) / 2));
  // Lane by lane and warp by warp: the sum of all the numbers below.
  for (std::uint32_t t = 0; with_result && t < threads; ++t) {
    CHECK(before[t] == static_cast<T>(t * (t - 1) / 2));
  }
  CHECK(result.total.global_load_requests == 0);
}

}  // namespace

TEST_CASE("every atomic addition adds all, and says what was there before") {
  int tested = 0;
  for (const TableEntry& entry : table_of_instructions()) {
    if (entry.how != "atomic") continue;
    for (const std::string& name : entry.names) {
      ++tested;
      for (const std::uint32_t threads : {1u, 45u, 64u}) {
        if (name.ends_with("f32")) check_addition<float>(name, threads);
        if (name.ends_with("u64")) check_addition<std::uint64_t>(name, threads);
        if (name.ends_with("u32") || name.ends_with("s32"))
          check_addition<std::uint32_t>(name, threads);
      }
    }
  }
  CHECK(tested == 24);  // atom and red, of 3 spaces and 4 types
}

TEST_CASE("blocks on all cores add to one place") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  std::vector<float> sum(1);
  const Result result =
      Program::decode(cuda_to_ptx("extern \"C\" __global__ void kernel(float* sum) {"
                                  "  atomicAdd(sum, 1.0f); }"),
                      "kernel", "kernel.cu")
          .run({{64, 1, 1}, {128, 1, 1}, 0}, {buffer_of(sum, "sum")}, {Argument::pointer(0)});
  CHECK(kinds(result) == "");
  CHECK(sum[0] == 64 * 128);
}

TEST_CASE("an atomic addition outside, unaligned, or to what nothing wrote is found") {
  const auto run = [](const std::string& address, bool output) {
    std::vector<float> c(4);
    Buffer buffer = buffer_of(c, "C");
    buffer.output = output;
    return run_ptx(ptx_module("  red.global.add.f32 [" + address + "], 0f3F800000;\n", 1),
                   {{1, 1, 1}, {1, 1, 1}, 0}, {buffer});
  };
  CHECK(kinds(run("%buffer0+12", false)) == "");
  CHECK(kinds(run("%buffer0+16", false)) == "bounds@0");
  CHECK(message(run("%buffer0+16", false).findings[0]).find("adds to C[4]") != std::string::npos);
  CHECK(kinds(run("%buffer0+2", false)) == "alignment@0");
  CHECK(kinds(run("%buffer0", true)) == "uninitialised@0");
}
