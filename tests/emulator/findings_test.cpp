// Every kind of finding by a kernel that has just that fault, and nothing by the kernel without it.
// The faulty line is the one that ends in "// fault"; the text after "// instead:" on the line
// before it is the correct one.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "emulator/cuda_kernel.hpp"
#include "emulator/ptx_kernel.hpp"
#include "simt/check/fault.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr int rows = 16, columns = 16, elements = rows * columns;

// A grid of 2 blocks of 64 threads; A and B of 16×16 are inputs, C of 16×16 the output.
const std::string signature =
    "#include <cuda_pipeline.h>\n"
    "extern \"C\" __global__ void kernel(const float* A, const float* B, float* C, int n) {\n"
    "  const int t = threadIdx.x, i = blockIdx.x * 64 + t;\n";

struct PlantedFault {
  std::string name, kind;
  std::string says;  // part of the message
  std::string body;
};

const std::vector<PlantedFault> faults = {
    {"a read one past the end", "bounds", "reads A[16][0], outside A, which is 16×16", R"(
  // instead: C[i] = A[i + 128];
  C[i] = A[i + 129];  // fault
)"},
    {"a write one before the beginning", "bounds", "writes C[-1][15], outside C", R"(
  // instead: C[i] = A[i];
  C[i - 1] = A[i];  // fault
)"},
    {"a read far past the end, where another buffer may be", "bounds", "outside B", R"(
  // instead: C[i] = A[i];
  C[i] = B[i + 4096];  // fault
)"},
    {"shared memory, one past an array that another follows", "bounds",
     "reads tile[64], outside tile", R"(
  __shared__ float tile[64];
  __shared__ float other[64];
  tile[t] = A[i];
  other[t] = B[i];
  __syncthreads();
  // instead: C[i] = tile[t] + other[t];
  C[i] = tile[t + 1] + other[t];  // fault
)"},
    {"local memory, one past", "bounds", "outside", R"(
  float values[4];
  for (int k = 0; k < 4; ++k) values[(k + n) % 4] = A[i];
  // instead: C[i] = values[n % 4];
  C[i] = values[n % 4 + 4];  // fault
)"},
    {"a float4 that is not aligned", "alignment", "not aligned to 16 bytes", R"(
  // instead: const float4 v = *reinterpret_cast<const float4*>(A + t * 4);
  const float4 v = *reinterpret_cast<const float4*>(A + (t % 63) * 4 + 1);  // fault
  C[i] = v.x + v.y + v.z + v.w;
)"},
    {"shared memory that nothing wrote", "uninitialised",
     "reads tile[63], which nothing has written", R"(
  __shared__ float tile[64];
  if (t < 63) tile[t] = A[i];
  __syncthreads();
  // instead: C[i] = tile[t % 63];
  C[i] = tile[t];  // fault
)"},
    {"padding that nothing wrote", "uninitialised",
     "reads tile[32], which nothing has written; the block never writes elements 32 to 35 of each "
     "36 of tile",
     R"(
  __shared__ float tile[2 * 36];
  tile[t / 32 * 36 + t % 32] = A[i];
  __syncthreads();
  // instead: C[i] = tile[t / 32 * 36 + t % 32];
  C[i] = tile[t];  // fault
)"},
    {"local memory that nothing wrote", "uninitialised", "which nothing has written", R"(
  float values[4];
  for (int k = 0; k < 3; ++k) values[(k + n) % 4] = A[i];
  // instead: C[i] = values[(n + 2) % 4];
  C[i] = values[(n + 3) % 4];  // fault
)"},
    {"C before it is written", "uninitialised", "reads C[0][0], which nothing has written", R"(
  // instead: C[i] = A[i];
  C[i] += A[i];  // fault
)"},
    {"two warps without a barrier", "race", "with no __syncthreads() between", R"(
  __shared__ float tile[64];
  tile[t] = A[i];
  // instead: __syncthreads(); C[i] = tile[63 - t];
  C[i] = tile[63 - t];  // fault
)"},
    {"a tile filled again while others still read it", "race", "with no __syncthreads() between",
     R"(
  __shared__ float tile[64];
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (k > 0) {
      // instead: __syncthreads();
      sum += 0;
    }
    tile[t] = A[i + k];  // fault
    __syncthreads();
    sum += tile[63 - t];
  }
  C[i] = sum;
)"},
    {"lanes of a warp without __syncwarp()", "race",
     "with no __syncwarp() or __syncthreads() between", R"(
  __shared__ volatile float tile[64];
  tile[t] = A[i];
  // instead: __syncwarp(); C[i] = tile[t ^ 1];
  C[i] = tile[t ^ 1];  // fault
)"},
    {"volatile floats of another warp without a barrier", "race", "with no __syncthreads() between",
     R"(
  __shared__ volatile float tile[64];
  tile[t] = A[i];
  // instead: __syncthreads(); C[i] = tile[63 - t];
  C[i] = tile[63 - t];  // fault
)"},
    {"floats of another warp by a volatile pointer, without a barrier", "race",
     "with no __syncthreads() between", R"(
  __shared__ float tile[64];
  volatile float* place = tile;
  place[t] = A[i];
  // instead: __syncthreads(); C[i] = place[63 - t];
  C[i] = place[63 - t];  // fault
)"},
    {"volatile floats in a space that only the run decides", "race",
     "with no __syncthreads() between", R"(
  __shared__ float tile[64];
  volatile float* place = A[0] > 9 ? (volatile float*)C : (volatile float*)tile;
  place[t] = A[i];
  // instead: __syncthreads(); C[i] = place[63 - t];
  C[i] = place[63 - t];  // fault
)"},
    {"two values for one place in one instruction", "race", "write different values to", R"(
  __shared__ float tile[1];
  // instead: if (t == 0) tile[0] = A[i];
  if (t < 32) tile[0] = A[i];  // fault
  __syncthreads();
  C[i] = tile[0];
)"},
    {"a copy that nobody waits for", "race",
     "which an asynchronous copy that no thread has waited for", R"(
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[t], &A[i], 4);
  __pipeline_commit();
  // instead: __pipeline_wait_prior(0); C[i] = tile[t];
  C[i] = tile[t];  // fault
)"},
    {"a copy that only its own thread waits for", "race", "with no __syncthreads() between", R"(
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[t], &A[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  // instead: __syncthreads(); C[i] = tile[63 - t];
  C[i] = tile[63 - t];  // fault
)"},
    {"two blocks that write one element", "race", "wrote too", R"(
  // instead: C[i] = A[i];
  C[t] = A[i];  // fault
)"},
    {"two threads of a block that write one element", "race", "wrote too", R"(
  // instead: C[i] = A[i];
  C[i / 2] = A[i];  // fault
)"},
    {"a barrier that half a warp passes by", "barrier", "missing are (16, 0, 0)", R"(
  __shared__ float tile[64];
  tile[t] = A[i];
  if (t % 32 < 16 + n) {
    // instead: }  __syncthreads();  {
    __syncthreads();  // fault
  }
  C[i] = tile[t];
)"},
    {"threads that return before a barrier", "barrier", "missing are (60, 0, 0), (61, 0, 0)", R"(
  __shared__ float tile[64];
  tile[t] = A[i];
  // instead: __syncthreads();
  if (t >= 60) return;
  __syncthreads();  // fault
  C[i] = tile[t];
)"},
    {"a warp that returns before a barrier", "barrier", "have returned: (32, 0, 0)", R"(
  __shared__ float tile[64];
  tile[t] = A[i];
  // instead: __syncthreads();
  if (t >= 32) return;
  __syncthreads();  // fault
  C[i] = tile[t];
)"},
    {"a warp that waits once more than the other", "barrier", "have returned: (32, 0, 0)", R"(
  __shared__ float tile[64];
  tile[t] = A[i];
  // instead: if (t < n) __syncthreads();
  if (t < 32) __syncthreads();
  C[i] = 1;
  __syncthreads();  // fault
  C[i] = tile[t];
)"},
    {"a shuffle whose mask does not name the thread itself", "barrier",
     "thread (16, 0, 0) of block (0, 0, 0) is not in the mask 0x0000ffff", R"(
  float v = A[i];
  // instead: v += __shfl_xor_sync(0xffffffff, v, 1);
  v += __shfl_xor_sync(0x0000ffff, v, 1);  // fault
  C[i] = v;
)"},
    {"a shuffle whose mask names threads that are elsewhere", "barrier",
     "thread (0, 0, 0) of block (0, 0, 0) is here without others that its mask names: (8, 0, 0), ",
     R"(
  float v = A[i];
  if (t % 32 < 8) {
    // instead: v += __shfl_xor_sync(0x000000ff, v, 1);
    v += __shfl_xor_sync(0xffffffff, v, 1);  // fault
    C[i] = v;
  } else {
    C[i] = 2 * v;
  }
)"},
    {"a vote whose mask names threads that are elsewhere", "barrier", "is here without others", R"(
  if (t % 32 < 8) {
    // instead: if (__all_sync(0x000000ff, A[i] > 5)) C[i] = 0;
    if (__all_sync(0xffffffff, A[i] > 5)) C[i] = 0;  // fault
  }
  C[i] = A[i];
)"},
    {"a loop that does not end", "endless", "is still in this loop", R"(
  float sum = 0;
  // instead: for (int k = 0; k < 8; k += 1) sum += A[(i + k) % 256];
  for (int k = 0; k < 8; k += n) sum += A[(i + k) % 256];  // fault
  C[i] = sum;
)"},
};

// The line (from 1) of the text that ends in "// fault".
int faulty_line(const std::string& source) {
  const std::vector<std::string> lines = split_lines(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].ends_with("// fault")) return static_cast<int>(i) + 1;
  }
  return 0;
}

// Puts the correct line in place of the one after it.
std::string corrected(const std::string& source) {
  const std::string mark = "// instead: ";
  std::string result;
  bool replaces = false;
  for (const std::string& line : split_lines(source)) {
    const std::size_t at = line.find(mark);
    if (at != std::string::npos)
      result += line.substr(at + mark.size()) + "\n";
    else if (!replaces)
      result += line + "\n";
    replaces = at != std::string::npos;
  }
  return result;
}

Result run_source(const std::string& source) {
  std::vector<float> a(elements), b(elements, 2), c(elements);
  std::iota(a.begin(), a.end(), 1.0f);
  std::vector<Buffer> buffers = {buffer_of(a, "A"), buffer_of(b, "B"), buffer_of(c, "C")};
  for (Buffer& buffer : buffers) buffer.columns = columns;
  buffers[0].read_only = buffers[1].read_only = true;
  buffers[2].output = true;
  const std::vector<Argument> arguments = {Argument::pointer(0), Argument::pointer(1),
                                           Argument::pointer(2), Argument::integer(0)};
  Options options;
  options.max_instructions = 10'000;
  const Launch launch{{2, 1, 1}, {64, 1, 1}, 0};
  return Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
      .run(launch, buffers, arguments, options);
}

TEST_CASE("a fault is found, of its kind and at its line") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const PlantedFault& fault : faults) {
    const std::string source = signature + fault.body + "}\n";
    const Result result = run_source(source);
    INFO(fault.name << ": " << kinds(result));
    REQUIRE(!result.findings.empty());
    bool found = false;
    for (const Finding& finding : result.findings) {
      CHECK(name_of(finding.kind()) == fault.kind);
      INFO(message(finding));
      if (finding.line == faulty_line(source)) {
        found = true;
        CHECK(message(finding).find(fault.says) != std::string::npos);
        CHECK(finding.count >= 1);
      }
    }
    CHECK(found);
  }
}

TEST_CASE("the same kernel without its fault is clean") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const PlantedFault& fault : faults) {
    const Result result = run_source(signature + corrected(fault.body) + "}\n");
    INFO(fault.name);
    CHECK(kinds(result) == "");
  }
}

TEST_CASE("what is no fault is a note") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  struct Note {
    Fault fault = Fault::same_value;
    std::string says, body;
  };
  const std::vector<Note> notes = {
      {Fault::different_barriers,
       "meet at different __syncthreads(): warp 0 here and warp 1 at line 11; all are there", R"(
  __shared__ float tile[64];
  tile[t] = A[i];
  if (t < 32) {
    __syncthreads();  // fault
    C[i] = 1;
  } else {
    __syncthreads();
    C[i] = 2;
  }
  C[i] = tile[63 - t];
)"},
      {Fault::same_value, "where thread (0, 0, 0) wrote the same value",
       R"(
  __shared__ int last[1];
  if (t % 32 == 0) last[0] = n + 7;  // fault
  __syncthreads();
  C[i] = last[0];
)"},
      {Fault::same_value, "writes C[3][15], where", R"(
  C[i] = A[i];
  if (t % 32 == 0) C[63 + n] = A[63];  // fault
)"},
      {Fault::same_value, "wrote the same value", R"(
  C[t] = A[t];  // fault
)"},
  };
  for (const Note& note : notes) {
    const std::string source = signature + note.body + "}\n";
    const std::string ptx = cuda_to_ptx(source);
    const bool has_one_barrier = ptx.find("bar.sync") == ptx.rfind("bar.sync");
    if (note.fault == Fault::different_barriers && has_one_barrier) continue;  // clang's, of both
    const Result result = run_source(source);
    INFO(note.body << kinds(result));
    CHECK(result.findings.empty());
    const auto at_line = std::ranges::find(result.notes, faulty_line(source), &Finding::line);
    REQUIRE(at_line != result.notes.end());
    CHECK(at_line->fault->fault == note.fault);
    INFO(message(*at_line));
    CHECK(message(*at_line).find(note.says) != std::string::npos);
  }
}

TEST_CASE("different values, and a read of what others write, are races all the same") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const std::string body : {R"(
  __shared__ int last[1];
  if (t % 32 == 0) last[0] = t;
  __syncthreads();
  C[i] = last[0];
)",
                                 R"(
  __shared__ int last[1];
  if (t % 32 == 0) last[0] = n + 7;
  C[i] = last[0];
)",
                                 "  C[t] = A[i];\n"}) {
    const Result result = run_source(signature + body + "}\n");
    INFO(body << kinds(result));
    REQUIRE(!result.findings.empty());
    for (const Finding& finding : result.findings) CHECK(finding.kind() == FindingKind::race);
  }
}

TEST_CASE("what lanes of a warp store to one element is compared whole, whatever its type") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  struct Stores {
    std::string type, value;
    bool are_equal;
  };
  for (const Stores& stores :
       {Stores{"double", "n + 1.0", true}, Stores{"double", "n + (t == 5 ? 2.0 : 1.0)", false},
        Stores{"double2", "make_double2(n, t == 5 ? 2.0 : 1.0)", false},
        Stores{"double2", "make_double2(n, 1.0)", true},
        Stores{"float4", "make_float4(n, n, n, t)", false}}) {
    const std::string body = "  __shared__ " + stores.type +
                             " last[1];\n  if (t < 32) last[0] = " + stores.value +
                             ";\n  __syncthreads();\n  C[i] = *(float*)last;\n";
    const Result result = run_source(signature + body + "}\n");
    INFO(body << kinds(result));
    const auto differ = [](const Finding& finding) {
      return finding.fault->fault == Fault::simultaneous_write;
    };
    CHECK(std::ranges::any_of(result.findings, differ) != stores.are_equal);
  }
}

TEST_CASE("an index is in elements of the array's own type") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const auto message_of = [](const std::string& declaration, const std::string& access,
                             const ArrayShape& shape) {
    std::vector<float> c(elements);
    Buffer buffer = buffer_of(c, "C");
    Options options;
    options.arrays = {shape};
    const std::uint32_t dynamic = shape.extents.empty() ? 128 : 0;
    const std::string source = "extern \"C\" __global__ void kernel(float* C) {\n  const int t = " +
                               std::string("threadIdx.x;\n  ") + declaration + "\n  " + access +
                               "\n  __syncthreads();\n  C[t] = 1;\n}\n";
    const Result result =
        Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
            .run({{1, 1, 1}, {64, 1, 1}, dynamic}, {buffer}, {Argument::pointer(0)}, options);
    REQUIRE(!result.findings.empty());
    return message(result.findings.front());
  };
  CHECK(message_of("volatile __shared__ short s[64];", "s[t + 3] = t;", {"s", {64}, 2})
            .find("writes s[64], outside s, which has 64 elements") != std::string::npos);
  CHECK(message_of("volatile __shared__ double s[2][32];", "s[t % 2 + 1][t % 32] = t;",
                   {"s", {2, 32}})
            .find("writes s[2][1], outside s, which is 2×32") != std::string::npos);
  CHECK(message_of("extern volatile __shared__ char s[];", "s[t + 65] = t;", {"s", {}, 1})
            .find("writes s[128], outside s, which has 128 elements") != std::string::npos);
  CHECK(message_of("volatile __shared__ float s[64];", "s[t + 3] = t;", {"s", {100}, 2})
            .find("writes s[64], outside s, which has 64 floats") != std::string::npos);
}

TEST_CASE("an endless loop is named by its first line, not by that of a loop within it") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result = run_source(signature +
                                   "  float sum = 0;\n"
                                   "  for (int k = 0; k < 8;) {\n"
                                   "    C[(i + k) % 256] = sum;\n"  // the line that is named
                                   "    for (int m = 0; m < 5 + n; ++m) sum += A[(i + m) % 256];\n"
                                   "    __syncthreads();\n"
                                   "  }\n}\n");
  const auto endless =
      std::find_if(result.findings.begin(), result.findings.end(),
                   [](const Finding& f) { return f.kind() == FindingKind::endless; });
  REQUIRE(endless != result.findings.end());
  CHECK(endless->line == 6);
}

TEST_CASE("code that ends without a return is a finding, and the other threads continue") {
  std::vector<float> c(64);
  const std::string stores = R"(
  mul.wide.u32 %rd0, %r0, 4;
  add.s64 %rd0, %buffer0, %rd0;
  mov.f32 %f0, 0f3F800000;
  st.global.f32 [%rd0], %f0;
  ret;
)";
  const std::string odd = R"(
  .loc 1 7 1
  mov.u32 %r0, %tid.x;
  and.b32 %r1, %r0, 1;
  setp.ne.u32 %p0, %r1, 0;
)";
  const std::vector<std::pair<std::string, std::string>> bodies = {
      {"a jump to the end", odd + "  @%p0 bra end;\n" + stores + "end:\n"},
      {"a jump that is always taken",
       odd + "  @!%p0 bra store;\n  bra.uni end;\nstore:\n" + stores + "end:\n"},
      {"a last jump that is not taken",
       odd + "  bra.uni last;\nstore:\n" + stores + "last:\n  @!%p0 bra store;\n"},
      {"a last return that is not taken",
       odd + "  @%p0 bra last;\n" + stores + "last:\n  @!%p0 ret;\n"},
  };
  for (const auto& [name, body] : bodies) {
    std::fill(c.begin(), c.end(), 0.0f);
    std::string module = ptx_module(body, 1);
    module.erase(module.rfind("  ret;\n"), 7);
    module += "\t.file\t1 \"kernel.cu\"\n";
    const Result result = run_ptx(module, {{1, 1, 1}, {64, 1, 1}, 0}, {buffer_of(c)});
    INFO(name);
    CHECK(kinds(result) == "unreachable@7");
    for (std::size_t i = 0; i < c.size(); ++i) CHECK(c[i] == (i % 2 == 0 ? 1.0f : 0.0f));
  }
}

TEST_CASE(
    "a request that goes wrong in some lanes leaves nothing that a later one would take over") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result = run_source(signature + R"(
  __shared__ float s[64];
#pragma unroll 1
  for (int r = 0; r < 2 + n; ++r) s[t + (1 - r) * 64] = 1;
  __syncthreads();
  C[i] = s[t];
}
)");
  CHECK(kinds(result) == "bounds@7");
}

// Each turn of the loop advances the clock of the race checker; the counts are those at which 21
// bits of it begin again, and some around them.
TEST_CASE("races are found, and no others, after any number of barriers", "[long]") {
  for (const std::string barrier : {"bar.sync 0;", "bar.warp.sync 0xffffffff;"}) {
    for (const int count : {(1 << 21) - 2, (1 << 21) - 1, 1 << 21}) {
      for (const bool races : {false, true}) {
        // Thread t writes s[t] before the loop, and reads s[t ^ 32], of the other warp, after it.
        std::vector<float> c(64);
        Buffer output = buffer_of(c, "C");
        output.output = true;
        const std::string store =
            "  st.shared.f32 [%r2], 0f3F800000;\n  st.global.f32 [%rd0], 0f00000000;\n";
        const std::string body =
            fmt::format(R"(
  mov.u32 %r0, %tid.x;
  mul.lo.u32 %r1, %r0, 4;
  mov.u32 %r2, s;
  add.u32 %r2, %r2, %r1;
  mov.u32 %r3, s;
  xor.b32 %r1, %r1, 128;
  add.u32 %r3, %r3, %r1;
  cvt.u64.u32 %rd1, %r1;
  mul.wide.u32 %rd0, %r0, 4;
  add.s64 %rd0, %buffer0, %rd0;
  add.s64 %rd1, %buffer0, %rd1;
  mov.u32 %r4, 0;
{}again:
  {}
  add.s32 %r4, %r4, 1;
  setp.lt.u32 %p0, %r4, {};
  @%p0 bra again;
{}  ld.shared.f32 %f0, [%r3];
  st.global.f32 [%rd1], %f0;
)",
                        races ? "" : store, barrier, count, races ? store : "  bar.sync 0;\n");
        const Result result = run_ptx(ptx_module(body, 1, ".shared .align 4 .b8 s[256];\n"),
                                      {{1, 1, 1}, {64, 1, 1}, 0}, {output});
        INFO(barrier << " " << count << (races ? " races" : ""));
        CHECK(kinds(result) == (races ? "race@0" : ""));
      }
    }
  }
}

// Under the thread sanitizer (the preset tsan) this shows that the emulator's own threads do not
// race.
TEST_CASE("blocks of several threads that race for memory are found to race") {
  std::vector<float> c(64);
  Buffer output = buffer_of(c, "C");
  output.output = true;
  const std::string ptx = ptx_module(R"(
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd0, %r0, 4;
  add.s64 %rd0, %buffer0, %rd0;
  st.global.f32 [%rd0], 0f3F800000;
  ld.global.f32 %f0, [%rd0];
  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%buffer0];
  cp.async.ca.shared.global [s], [%buffer0], 16;
)",
                                     1, ".shared .align 16 .b8 s[16];\n");
  Options options;
  options.threads = 4;
  const Result result = run_ptx(ptx, {{2000, 1, 1}, {32, 1, 1}, 0}, {output}, options);
  CHECK(kinds(result).find("race@0") != std::string::npos);
}

TEST_CASE("a fault in a function says where the function was called") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source =
      "__device__ __forceinline__ float at(const float* p, int i) {\n"
      "  return p[i];\n"
      "}\n"
      "__device__ __forceinline__ float next(const float* p, int i) {\n"
      "  return at(p, i + 1);\n"
      "}\n" +
      signature +
      "  C[i] = at(A, i) + next(B, i + 128);\n"
      "}\n";
  const Result result = run_source(source);
  REQUIRE(kinds(result) == "bounds@2");
  if (!compiler_status().has_assembler) SKIP_BECAUSE("clang's PTX does not name calls");
  CHECK(result.findings[0].calls == std::vector<int>{5, 10});
}

TEST_CASE("an asynchronous copy is at the line of its call, counted and found") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source = signature +
                             "  __shared__ float s[64];\n"
                             "  float* const to = &s[t];\n"
                             "  const float* const from = &A[i];\n"
                             "  if (t < 64 + n)\n"
                             "    __pipeline_memcpy_async(to, from, 4);\n"  // line 8
                             "  __pipeline_commit();\n"
                             "  C[i] = s[63 - t];\n"
                             "}\n";
  const Result result = run_source(source);
  CHECK(kinds(result) == "race@8, race@10");
  const auto copies = std::ranges::find(result.lines, 8, &LineCounters::line);
  REQUIRE(copies != result.lines.end());
  CHECK(copies->counters.global_load_requests == 4);
}

TEST_CASE("what stops a run is that of the first block that comes to it, whichever was faster") {
  // Block 0 takes long to be found endless, and by then the others have been stopped at a barrier.
  const std::string ptx = ptx_module(R"(
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra others;
again:
  bra again;
others:
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra past;
  bar.sync 0;
past:
)",
                                     0);
  Options options;
  options.max_instructions = 100'000;
  for (const int threads : {1, 2, 8}) {
    INFO(threads << " threads");
    options.threads = threads;
    const Result result = run_ptx(ptx, {{8, 1, 1}, {32, 1, 1}}, {}, options);
    CHECK(result.stopped);
    REQUIRE(result.findings.size() == 1);
    CHECK(result.findings[0].kind() == FindingKind::endless);
    CHECK(result.findings[0].block == Dim3{0, 0, 0});
  }
}

TEST_CASE("without the checkers only what no run could survive is found") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source = signature + "__shared__ float s[64]; C[i] = s[t] + A[i + 129]; }\n";
  std::vector<float> a(elements, 1), c(elements);
  std::vector<Buffer> buffers = {buffer_of(a, "A"), buffer_of(a, "B"), buffer_of(c, "C")};
  Options options;
  options.check = false;
  const Result result = Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
                            .run({{2, 1, 1}, {64, 1, 1}, 0}, buffers,
                                 {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2),
                                  Argument::integer(0)},
                                 options);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].kind() == FindingKind::bounds);
}

}  // namespace

// Findings of one cause are one finding.
namespace {

Finding at(int line, Fault fault, const std::string& array,
           MemorySpace space = MemorySpace::shared) {
  FoundFault found{.fault = fault, .line = line, .count = 2};
  found.access.element = {.space = space, .array = array, .elements = 64};
  return finding_of(found);
}

Finding race(int line, const std::string& array, const Separation& separation,
             bool same_warp = false) {
  FoundFault found = *at(line, Fault::race, array).fault;
  found.separation = separation;
  found.other.same_warp = same_warp;
  return finding_of(found);
}

TEST_CASE("faults of one kind with one array have one cause") {
  for (const Fault fault : {Fault::race, Fault::outside, Fault::uninitialised, Fault::misaligned,
                            Fault::race_with_copy}) {
    const auto causes = one_per_cause({at(12, fault, "a"), at(19, fault, "a"), at(19, fault, "b"),
                                       at(31, fault, "a"), at(31, Fault::trap, "a")});
    REQUIRE(causes.size() == 3);
    CHECK(causes[0].line == 12);
    CHECK(causes[0].lines == std::vector{12, 19, 31});
    CHECK(causes[0].count == 6);
    CHECK(causes[1].lines == std::vector{19});
    CHECK(causes[2].fault->fault == Fault::trap);
  }
  CHECK(one_per_cause({at(1, Fault::missing_warps, ""), at(2, Fault::missing_warps, "")}).size() ==
        1);
  CHECK(one_per_cause({at(1, Fault::missing_warps, ""), at(2, Fault::bad_barrier, "")}).size() ==
        2);
  CHECK(one_per_cause({at(1, Fault::trap, ""), at(2, Fault::trap, "")}).size() == 2);
  CHECK(one_per_cause({}).empty());
}

TEST_CASE("races that one barrier would order have one cause, whatever their arrays") {
  const auto causes =
      one_per_cause({race(15, "a", {10, 15, true}), race(16, "b", {12, 16, true}),
                     race(20, "a", {16, 20, true}), race(21, "a", {10, 21, false, true})});
  REQUIRE(causes.size() == 3);
  CHECK(causes[0].lines == std::vector{15, 16});
  CHECK(causes[0].fault->separation->first_line == 12);
  CHECK(causes[0].fault->separation->second_line == 15);
  CHECK(causes[1].lines == std::vector{20});
  CHECK(causes[2].lines == std::vector{21});

  // __syncwarp() would order one of them only.
  const Finding of_warp = race(6, "a", {6, 9, false, true}, true);
  const Finding of_block = race(9, "b", {7, 9, false, true});
  const auto both = one_per_cause({of_warp, of_block});
  REQUIRE(both.size() == 1);
  CHECK_FALSE(both[0].fault->other.same_warp);
}

TEST_CASE("what comes from an edge is one cause, told by an access out of bounds") {
  std::vector<Finding> findings = {at(9, Fault::written_twice, "C", MemorySpace::global),
                                   at(12, Fault::outside, "A", MemorySpace::global),
                                   at(14, Fault::outside, "B", MemorySpace::global),
                                   at(14, Fault::outside, "s")};
  for (int i = 0; i < 3; ++i) findings[static_cast<std::size_t>(i)].edge = "M = 97 is too many";
  const auto causes = one_per_cause(findings);
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].lines == std::vector{9, 12, 14});
  CHECK(causes[0].kind() == FindingKind::bounds);
  CHECK(causes[0].count == 6);
  CHECK(message(causes[0]).starts_with("M = 97 is too many: thread (0, 0, 0)"));
  CHECK(message(findings[1]).starts_with("thread (0, 0, 0)"));
}

}  // namespace

}  // namespace gemm_tutor::simt
