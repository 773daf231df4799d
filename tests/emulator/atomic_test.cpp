// Operations on memory that no other thread comes between.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "instruction_table.hpp"
#include "ptx_kernel.hpp"

using namespace gemm_tutor::simt;

namespace {

// What each operation makes of what was there and one or two values.
template <typename T>
T changed(const std::string& operation, T before, T value, T other) {
  if (operation == "add") return static_cast<T>(before + value);
  if (operation == "min") return std::min(before, value);
  if (operation == "max") return std::max(before, value);
  if (operation == "exch") return value;
  if (operation == "cas") return before == value ? other : before;
  if constexpr (std::is_integral_v<T>) {
    if (operation == "inc") return before >= value ? 0 : before + 1;
    if (operation == "dec") return before == 0 || before > value ? value : before - 1;
    if (operation == "and") return before & value;
    if (operation == "or") return before | value;
    if (operation == "xor") return before ^ value;
  }
  FAIL(operation);
  return before;
}

struct Place {
  std::string space;  // "", ".global", ".shared"
  bool with_result = false;
};

// Every thread changes one place, which holds 5, by a value that follows from its number; thread t
// keeps what was there before. `kind` is "%r", "%rd", "%f" or "%fd", `convert` what makes such a
// value of a number.
template <typename T>
void check_operation(const std::string& operation, const std::string& type, const std::string& kind,
                     const std::string& convert, const Place& place, std::uint32_t threads) {
  const std::string name =
      fmt::format("{}{}.{}.{}", place.with_result ? "atom" : "red", place.space, operation, type);
  INFO(name << " by " << threads << " threads");
  const std::string bits = fmt::format("b{}", 8 * sizeof(T));
  const bool shared = place.space == ".shared";
  std::string body = "  mov.u32 %r0, %tid.x;\n  setp.eq.u32 %p0, %r0, 0;\n";
  // 0, 3, 6, 9, 12, 0, …, and the thread's number
  body += "  rem.u32 %r1, %r0, 5;\n  mul.lo.u32 %r1, %r1, 3;\n  mov.u32 %r2, 5;\n";
  for (int v = 0; v < 3; ++v) body += fmt::format("  {} {}{}, %r{};\n", convert, kind, 20 + v, v);
  body += shared ? fmt::format("  mov.u64 %rd10, place;\n  @%p0 st.shared.{} [%rd10], {}22;\n",
                               bits, kind)
                 : "  mov.u64 %rd10, %buffer0;\n";
  body += "  bar.sync 0;\n";
  const std::string values =
      operation == "cas" ? fmt::format("{0}21, {0}20", kind) : fmt::format("{}21", kind);
  body += fmt::format("  {} {}[%rd10], {};\n", name,
                      place.with_result ? kind + "9, " : std::string(), values);
  body += "  bar.sync 0;\n";
  if (shared) {
    body += fmt::format("  @%p0 ld.shared.{0} {1}8, [%rd10];\n", bits, kind);
    body += fmt::format("  @%p0 st.global.{0} [%buffer0], {1}8;\n", bits, kind);
  }
  if (place.with_result) {
    body += fmt::format(
        "  mul.wide.u32 %rd11, %r0, {};\n  add.s64 %rd11, %buffer1, %rd11;\n"
        "  st.global.{} [%rd11], {}9;\n",
        sizeof(T), bits, kind);
  }
  std::vector<T> memory = {5}, before(threads);
  const Result result = run_ptx(ptx_module(body, 2, ".shared .align 8 .b8 place[8];\n"),
                                {{1, 1, 1}, {threads, 1, 1}, 0},
                                {buffer_of(memory, "memory"), buffer_of(before, "before")});
  CHECK(kinds(result) == "");
  T expected = 5;  // lane by lane and warp by warp
  for (std::uint32_t t = 0; t < threads; ++t) {
    if (place.with_result) CHECK(before[t] == expected);
    expected = changed(operation, expected, static_cast<T>(t % 5 * 3), static_cast<T>(t));
  }
  CHECK(memory[0] == expected);
  CHECK(result.total.global_load_requests == 0);
  CHECK(result.total.atomic_requests == (threads + 31) / 32);
  CHECK(result.total.atomic_operations == threads);
}

void check_operation(const std::string& operation, const std::string& type, const Place& place,
                     std::uint32_t threads) {
  const auto check = [&]<typename T>(T, const char* kind, const char* convert) {
    check_operation<T>(operation, type, kind, convert, place, threads);
  };
  if (type == "f32") return check(float{}, "%f", "cvt.rn.f32.u32");
  if (type == "f64") return check(double{}, "%fd", "cvt.rn.f64.u32");
  if (type == "s32") return check(std::int32_t{}, "%r", "mov.b32");
  if (type == "s64") return check(std::int64_t{}, "%rd", "cvt.u64.u32");
  if (type == "b16") return check(std::uint16_t{}, "%rs", "cvt.u16.u32");
  if (type.ends_with("32")) return check(std::uint32_t{}, "%r", "mov.b32");
  if (type.ends_with("64")) return check(std::uint64_t{}, "%rd", "cvt.u64.u32");
  FAIL(type);
}

}  // namespace

TEST_CASE("every atomic operation changes what is there, and says what it was before") {
  int tested = 0;
  for (const TableEntry& entry : table_of_instructions()) {
    if (entry.how != "atomic") continue;
    for (const std::string& name : entry.names) {
      const std::size_t dot = name.find('.', 5);
      const std::string operation = name.substr(5, dot - 5), type = name.substr(dot + 1);
      if (type.find("f16") != std::string::npos) continue;  // below
      for (const char* space : {"", ".global", ".shared"}) {
        for (const bool with_result : {false, true}) {
          for (const std::uint32_t threads : {1u, 45u, 64u}) {
            check_operation(operation, type, {space, with_result}, threads);
          }
        }
      }
      ++tested;
    }
  }
  CHECK(tested >= 26);
}

TEST_CASE("half, bfloat16, their pairs and vectors of floats are added to atomically") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  if (!compiler_status().has_assembler) SKIP_BECAUSE("clang has no such functions");
  std::vector<float> c(16);
  const std::string source =
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "extern \"C\" __global__ void kernel(float* C) {\n"
      "  __shared__ __half h; __shared__ __half2 h2; __shared__ __nv_bfloat16 b;\n"
      "  __shared__ __nv_bfloat162 b2;\n"
      "  const int t = threadIdx.x;\n"
      "  if (t == 0) { h = 0.5f; h2 = __half2(1, 2); b = 0.5f; b2 = __nv_bfloat162(1.f, 2.f); }\n"
      "  __syncthreads();\n"
      "  atomicAdd(&h, __half(t));\n"
      "  atomicAdd(&h2, __half2(t, 1));\n"
      "  atomicAdd(&b, __nv_bfloat16(1.f));\n"
      "  atomicAdd(&b2, __nv_bfloat162(2.f, -1.f));\n"
      "  atomicAdd((float4*)(C + 8), make_float4(1, 2, 3, t));\n"
      "  const float2 old = atomicAdd((float2*)(C + 12), make_float2(1, 2));\n"
      "  if (t == 31) { C[14] = old.x; C[15] = old.y; }\n"
      "  __syncthreads();\n"
      "  if (t == 0) { C[0] = h; C[1] = h2.x; C[2] = h2.y; C[3] = b; C[4] = b2.x; C[5] = b2.y; }\n"
      "}\n";
  const Result result = Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
                            .run(one_warp, {buffer_of(c, "C")}, {Argument::pointer(0)});
  CHECK(kinds(result) == "");
  CHECK(c ==
        std::vector<float>{496.5f, 497, 34, 32.5f, 65, -30, 0, 0, 32, 64, 96, 496, 32, 64, 31, 62});
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

TEST_CASE("an atomic operation outside, unaligned, or to what nothing wrote is found") {
  const auto run = [](const std::string& address, bool output) {
    std::vector<float> c(4);
    Buffer buffer = buffer_of(c, "C");
    buffer.output = output;
    return run_ptx(ptx_module("  red.global.add.f32 [" + address + "], 0f3F800000;\n", 1),
                   {{1, 1, 1}, {1, 1, 1}, 0}, {buffer});
  };
  CHECK(kinds(run("%buffer0+12", false)) == "");
  CHECK(kinds(run("%buffer0+16", false)) == "bounds@0");
  CHECK(message(run("%buffer0+16", false).findings[0]).find("updates C[4]") != std::string::npos);
  CHECK(kinds(run("%buffer0+2", false)) == "alignment@0");
  CHECK(kinds(run("%buffer0", true)) == "uninitialised@0");
}
