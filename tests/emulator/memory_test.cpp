// Loads and stores: what they move, what they refuse, and which blocks of a grid do them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "instruction_table.hpp"
#include "ptx_kernel.hpp"
#include "same_counters.hpp"
#include "simt/check/fault.hpp"
#include "simt/count/access_cost.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t slot = 16;  // bytes of memory that each thread has

Bytes counting(std::size_t size, std::uint8_t from) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(from + 37 * i);
  return bytes;
}

// ld.shared.v4.b32: where, how wide, how many.
struct MemoryInstruction {
  bool store = false, is_signed = false;
  std::string space = "generic";
  std::size_t element = 4, count = 1;

  explicit MemoryInstruction(const std::string& name) : store(name.starts_with("st")) {
    for (const char* known : {"global", "shared", "local"}) {
      if (name.find(fmt::format(".{}.", known)) != std::string::npos) space = known;
    }
    const std::string type = name.substr(name.rfind('.') + 1);
    is_signed = type[0] == 's';
    element = std::stoul(type.substr(1)) / 8;
    const std::size_t vector = name.find(".v");
    if (vector != std::string::npos) count = static_cast<std::size_t>(name[vector + 2] - '0');
  }

  std::size_t bytes() const { return element * count; }
  std::size_t register_bytes() const { return std::max<std::size_t>(element, 2); }
  const char* register_class() const { return element < 4 ? "%rs" : element == 4 ? "%r" : "%rd"; }

  std::string registers() const {
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
      list += fmt::format("{}{}{}", i > 0 ? ", " : "", register_class(), 20 + i);
    return count == 1 ? list : "{" + list + "}";
  }
};

// The address of this thread's slot, as %rd10; `memory` says which memory a generic one means.
std::string slot_address(const MemoryInstruction& access, const std::string& memory) {
  if (memory == "global") return "  add.s64 %rd10, %buffer0, %rd0;\n";
  if (memory == "shared") {
    const std::string generic =
        access.space == "generic" ? "  cvta.shared.u64 %rd10, %rd10;\n" : "";
    return "  mov.u64 %rd10, shared_slots;\n  add.s64 %rd10, %rd10, %rd0;\n" + generic;
  }
  const std::string generic = access.space == "generic" ? "  cvta.local.u64 %rd10, %rd10;\n" : "";
  return "  mov.u64 %rd10, local_slot;\n" + generic;
}

// Each thread fills its slot from buffer 1, executes the instruction, and leaves the slot in buffer
// 1 and its registers in buffer 2.
std::string access_kernel(const std::string& name, const MemoryInstruction& access,
                          const std::string& memory) {
  const std::string space = access.space == "generic" ? "" : "." + access.space;
  std::string body =
      "  mov.u32 %r0, %tid.x;\n"
      "  mul.wide.u32 %rd0, %r0, 16;\n"
      "  add.s64 %rd1, %buffer1, %rd0;\n"
      "  add.s64 %rd2, %buffer2, %rd0;\n";
  body += slot_address(access, memory);
  body += "  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n";
  body += fmt::format("  st{}.v4.b32 [%rd10], {{%r1, %r2, %r3, %r4}};\n", space);
  const std::string type = fmt::format("b{}", 8 * access.register_bytes());
  for (std::size_t i = 0; access.store && i < access.count; ++i) {
    body += fmt::format("  ld.global.{} {}{}, [%rd2+{}];\n", type, access.register_class(), 20 + i,
                        access.register_bytes() * i);
  }
  body += access.store ? fmt::format("  {} [%rd10], {};\n", name, access.registers())
                       : fmt::format("  {} {}, [%rd10];\n", name, access.registers());
  body += fmt::format("  ld{}.v4.b32 {{%r1, %r2, %r3, %r4}}, [%rd10];\n", space);
  body += "  st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};\n";
  for (std::size_t i = 0; !access.store && i < access.count; ++i) {
    body += fmt::format("  st.global.{} [%rd2+{}], {}{};\n", type, access.register_bytes() * i,
                        access.register_class(), 20 + i);
  }
  return ptx_module(body, 3,
                    ".shared .align 16 .b8 shared_slots[16384];\n"
                    "  .local .align 16 .b8 local_slot[16];");
}

void check_access(const std::string& name, const std::string& memory, std::uint32_t threads) {
  const MemoryInstruction access(name);
  Bytes storage(threads * slot), slots = counting(threads * slot, 1),
                                 registers = counting(threads * slot, 100);
  const Bytes slots_before = slots, registers_before = registers;
  Options options;
  options.check = false;
  const Result result = run_ptx(
      access_kernel(name, access, memory), {{1, 1, 1}, {threads, 1, 1}, 0},
      {buffer_of(storage, "storage"), buffer_of(slots, "slots"), buffer_of(registers, "registers")},
      options);
  CHECK(kinds(result) == "");
  Bytes slots_after = slots_before, registers_after = registers_before;
  for (std::size_t t = 0; t < threads; ++t) {
    const auto in_slot = static_cast<std::ptrdiff_t>(t * slot);
    const auto slot_at = slots_after.begin() + in_slot,
               register_at = registers_after.begin() + in_slot;
    for (std::size_t e = 0; e < access.count; ++e) {
      const auto in_memory = static_cast<std::ptrdiff_t>(access.element * e);
      const auto in_registers = static_cast<std::ptrdiff_t>(access.register_bytes() * e);
      if (access.store) {
        std::copy_n(registers_before.begin() + in_slot + in_registers, access.element,
                    slot_at + in_memory);
        continue;
      }
      std::copy_n(slot_at + in_memory, access.element, register_at + in_registers);
      // One byte fills a register of two.
      const bool negative = access.is_signed && slot_at[in_memory] & 128;
      if (access.element == 1) register_at[in_registers + 1] = negative ? 255 : 0;
    }
  }
  INFO(name << " in " << memory << " memory by " << threads << " threads");
  CHECK(slots == slots_after);
  CHECK(registers == registers_after);
}

Result run_cuda(const std::string& source, const Launch& launch, const std::vector<Buffer>& buffers,
                const Options& options = {}) {
  std::vector<Argument> arguments;
  for (int i = 0; i < static_cast<int>(buffers.size()); ++i)
    arguments.push_back(Argument::pointer(i));
  return Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
      .run(launch, buffers, arguments, options);
}

bool same(const Result& a, const Result& b) {
  const auto same_findings = [](const Finding& x, const Finding& y) {
    return x.fault->fault == y.fault->fault && x.line == y.line && message(x) == message(y) &&
           x.count == y.count;
  };
  return a.total == b.total && a.exact == b.exact && a.stopped == b.stopped &&
         a.blocks_emulated == b.blocks_emulated && a.blocks_total == b.blocks_total &&
         a.emulated == b.emulated && a.lines == b.lines &&
         std::equal(a.findings.begin(), a.findings.end(), b.findings.begin(), b.findings.end(),
                    same_findings);
}

// Reads or writes, at byte `offset` of buffer 0, `type`.
Result access_at(const std::string& instruction, std::int64_t offset, Buffer buffer) {
  const bool store = instruction.starts_with("st");
  const std::string operands = instruction.find("v4") != std::string::npos ? "{%r1, %r2, %r3, %r4}"
                               : instruction.find("v2") != std::string::npos ? "{%r1, %r2}"
                               : instruction.ends_with("64")                 ? "%rd5"
                               : instruction.ends_with("16")                 ? "%rs1"
                                                                             : "%r1";
  const std::string place = fmt::format("[%buffer0+{}]", offset);
  return run_ptx(ptx_module(fmt::format("  {} {}, {};\n", instruction, store ? place : operands,
                                        store ? operands : place),
                            1),
                 {{1, 1, 1}, {1, 1, 1}, 0}, {buffer});
}

}  // namespace

TEST_CASE("every load and store moves its bytes and no others") {
  for (const TableEntry& entry : table_of_instructions()) {
    if (entry.how != "memory" && entry.how != "generic") continue;
    if (entry.names[0].starts_with("ld.const")) continue;  // function_test: it cannot be written
    for (const std::string& name : entry.names) {
      for (const std::uint32_t threads : {1u, 32u, 45u, 1024u}) {
        const MemoryInstruction access(name);
        if (access.space != "generic") {
          check_access(name, access.space, threads);
        } else {
          for (const char* memory : {"global", "shared", "local"})
            check_access(name, memory, threads);
        }
      }
    }
  }
}

TEST_CASE("one element outside a buffer is outside, and what is there stays as it is") {
  std::vector<float> data(64, 1.0f);
  for (const char* name : {"A", "B", "C"}) {
    const Buffer buffer = buffer_of(data, name);
    for (const std::string instruction :
         {"ld.global.b32", "st.global.b32", "ld.global.b16", "st.global.b16", "ld.global.v4.b32",
          "st.global.v4.b32", "ld.global.b64", "st.global.v2.b32"}) {
      for (const std::int64_t offset : {-16, 256, 1 << 20, -(1 << 20)}) {
        const Result result = access_at(instruction, offset, buffer);
        INFO(instruction << " at byte " << offset);
        REQUIRE(kinds(result) == "bounds@0");
        CHECK(message(result.findings[0]).find(fmt::format("{}[{}]", name, offset / 4)) !=
              std::string::npos);
      }
    }
    CHECK(kinds(access_at("ld.global.b32", 252, buffer)) == "");
    CHECK(kinds(access_at("st.global.v4.b32", 240, buffer)) == "");
    CHECK(kinds(access_at("ld.global.b32", -4, buffer)) == "bounds@0");
    CHECK(kinds(access_at("ld.global.v4.b32", 256 - 16 + 4, buffer)) != "");  // half in, half out
  }
}

TEST_CASE("what is read outside is a NaN, in every register and whatever was there before") {
  std::vector<float> a(2, 1.0f);
  std::vector<std::uint32_t> out(6);
  run_ptx(ptx_module("  mov.u32 %r1, 5;\n"
                     "  mov.u32 %r2, 6;\n"
                     "  mov.u64 %rd5, 7;\n"
                     "  ld.global.v2.b32 {%r1, %r2}, [%buffer0+4];\n"
                     "  ld.global.b64 %rd5, [%buffer0+8];\n"
                     "  st.global.v2.b32 [%buffer1], {%r1, %r2};\n"
                     "  st.global.b64 [%buffer1+8], %rd5;\n",
                     2),
          {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(a, "A"), buffer_of(out, "out")});
  constexpr std::uint32_t nan = 0x7fffffff;
  CHECK(out == std::vector<std::uint32_t>{nan, nan, nan, nan, 0, 0});
}

TEST_CASE("lanes that are in bounds are checked though others of their warp are not") {
  std::vector<float> c(31);
  Buffer output = buffer_of(c, "C");
  output.output = true;
  const Result result = run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                                           "  mul.wide.u32 %rd0, %r0, 4;\n"
                                           "  add.s64 %rd0, %buffer0, %rd0;\n"
                                           "  cvt.rn.f32.u32 %f0, %r0;\n"
                                           "  st.global.f32 [%rd0], %f0;\n"
                                           "  st.global.f32 [%rd0+-4], %f0;\n",
                                           1),
                                one_warp, {output});
  REQUIRE(kinds(result) == "bounds@0, race@0");
  CHECK(result.findings[0].count == 2);   // lane 31, and lane 0 before the first element
  CHECK(result.findings[1].count == 31);  // each element was written by the lane before
}

TEST_CASE("sectors of bytes and halves are right wherever the first lane's address is") {
  std::vector<std::uint8_t> a(256);
  for (const int bytes : {1, 2}) {
    // The same instruction each time, one element further.
    const Result result = run_ptx(ptx_module(fmt::format(R"(
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd0, %r0, {0};
  add.s64 %rd0, %buffer0, %rd0;
  mov.u32 %r1, 0;
again:
  ld.global.u{1} %rs0, [%rd0];
  add.s64 %rd0, %rd0, {0};
  add.s32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, 64;
  @%p0 bra again;
)",
                                                         bytes, 8 * bytes),
                                             1),
                                  one_warp, {buffer_of(a)});
    std::uint64_t sectors = 0;
    for (int first = 0; first < 64 * bytes; first += bytes) {
      sectors += static_cast<std::uint64_t>((first + 32 * bytes - 1) / 32 - first / 32 + 1);
    }
    INFO(bytes);
    CHECK(result.total.global_load_requests == 64);
    CHECK(result.total.global_load_sectors == sectors);
  }
}

TEST_CASE("wavefronts of bytes are right wherever the first lane's address is") {
  const Result result = run_ptx(ptx_module(R"(
  mov.u32 %r0, %tid.x;
  and.b32 %r0, %r0, 1;
  mul.lo.u32 %r0, %r0, 131;
  mov.u32 %r2, tile;
  add.u32 %r0, %r0, %r2;
  mov.u32 %r1, 0;
again:
  st.shared.u8 [%r0], %r1;
  add.u32 %r0, %r0, 1;
  add.s32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, 4;
  @%p0 bra again;
)",
                                           0, ".shared .align 128 .b8 tile[4096];\n"),
                                one_warp, {});
  std::uint64_t wavefronts = 0;
  for (std::uint32_t first = 0; first < 4; ++first) {
    std::uint32_t addresses[32];
    for (std::uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = lane % 2 * 131 + first;
    wavefronts += shared_cost(addresses, ~0u, 1, true).wavefronts;
  }
  CHECK(kinds(result) == "");
  CHECK(wavefronts == 2 + 1 + 1 + 1);  // in one bank first, then in two
  CHECK(result.total.shared_store_wavefronts == wavefronts);
}

TEST_CASE("a value may be loaded into a wider register") {
  std::vector<std::int32_t> a = {-2, 3};
  std::vector<std::int64_t> out(2);
  const Result result = run_ptx(ptx_module("  ld.global.s32 %rd5, [%buffer0];\n"
                                           "  ld.global.u32 %rd6, [%buffer0];\n"
                                           "  st.global.b64 [%buffer1], %rd5;\n"
                                           "  st.global.b64 [%buffer1+8], %rd6;\n",
                                           2),
                                {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(a), buffer_of(out)});
  CHECK(out == std::vector<std::int64_t>{-2, 0xfffffffe});
  CHECK(result.total.warp_instructions() == 2 + 4 + 1);  // two ld.param, and ret
}

TEST_CASE("a generic access is counted where it goes") {
  std::vector<float> out(32);
  const Result result = run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                                           "  mul.wide.u32 %rd0, %r0, 8;\n"
                                           "  mov.u64 %rd1, tile;\n"
                                           "  cvta.shared.u64 %rd1, %rd1;\n"
                                           "  add.s64 %rd1, %rd1, %rd0;\n"
                                           "  st.f32 [%rd1], 0f3F800000;\n"
                                           "  mul.wide.u32 %rd0, %r0, 4;\n"
                                           "  add.s64 %rd2, %buffer0, %rd0;\n"
                                           "  st.f32 [%rd2], 0f3F800000;\n",
                                           1, ".shared .align 4 .b8 tile[256];\n"),
                                one_warp, {buffer_of(out)});
  CHECK(kinds(result) == "");
  CHECK(result.total.shared_store_requests == 1);
  CHECK(result.total.shared_store_wavefronts == 2);  // every other bank
  CHECK(result.total.shared_store_conflicts == 1);
  CHECK(result.total.global_store_requests == 1);
  CHECK(result.total.global_store_sectors == 4);
}

TEST_CASE("an index far outside never reaches another buffer") {
  std::vector<float> a(64, 1.0f), b(64, 2.0f);
  for (const std::int64_t index : {0x7fffffffLL, -0x80000000LL, 0xffffffffLL}) {
    const Result result = run_ptx(
        ptx_module(
            fmt::format("  ld.global.b32 %r1, [%buffer0+{}];\n  st.global.b32 [%buffer1], %r1;\n",
                        4 * index),
            2),
        {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(a, "A"), buffer_of(b, "B")});
    REQUIRE(kinds(result) == "bounds@0");
    CHECK(result.findings[0].array == "A");
  }
}

TEST_CASE("accesses must be aligned to their size") {
  std::vector<float> data(64, 1.0f);
  const Buffer buffer = buffer_of(data);
  for (const auto& [instruction, offset] :
       std::vector<std::pair<std::string, int>>{{"ld.global.b32", 2},
                                                {"ld.global.b16", 1},
                                                {"ld.global.b64", 4},
                                                {"st.global.b64", 12},
                                                {"ld.global.v2.b32", 4},
                                                {"st.global.v2.b32", 20},
                                                {"ld.global.v4.b32", 8},
                                                {"st.global.v4.b32", 4}}) {
    INFO(instruction << " at byte " << offset);
    CHECK(kinds(access_at(instruction, offset, buffer)) == "alignment@0");
    CHECK(kinds(access_at(instruction, 16, buffer)) == "");
  }
  CHECK(std::all_of(data.begin() + 8, data.end(), [](float x) { return x == 1.0f; }));
}

TEST_CASE("to write an input is found, and not done") {
  std::vector<float> data(64, 1.0f);
  Buffer buffer = buffer_of(data);
  buffer.read_only = true;
  CHECK(kinds(access_at("ld.global.b32", 4, buffer)) == "");
  const Result result = access_at("st.global.v4.b32", 16, buffer);
  REQUIRE(kinds(result) == "bounds@0");
  CHECK(result.findings[0].fault->fault == Fault::read_only);
  CHECK(data == std::vector<float>(64, 1.0f));
}

TEST_CASE("shared and local arrays end where they end, though others follow") {
  const auto run = [](const std::string& instruction, int offset) {
    return kinds(run_ptx(
        ptx_module(fmt::format("  mov.u64 %rd1, {};\n  mov.u32 %r1, 0;\n  {} [%rd1+{}], %r1;\n",
                               instruction.find("shared") != std::string::npos ? "middle" : "stack",
                               instruction, offset),
                   0,
                   ".shared .align 4 .b8 before[64];\n  .shared .align 4 .b8 middle[64];\n"
                   "  .shared .align 4 .b8 behind[64];\n  .local .align 4 .b8 stack[64];\n"
                   "  .local .align 4 .b8 other[64];"),
        {{1, 1, 1}, {1, 1, 1}, 0}, {}));
  };
  for (const char* instruction : {"st.shared.b32", "st.local.b32"}) {
    INFO(instruction);
    CHECK(run(instruction, 0) == "");
    CHECK(run(instruction, 60) == "");
    CHECK(run(instruction, 64) == "bounds@0");
    CHECK(run(instruction, -4) == "bounds@0");
    CHECK(run(instruction, 62) != "");
    CHECK(run(instruction, 2) == "alignment@0");
  }
}

TEST_CASE("kernels find arrays in static, dynamic and local memory, by any kind of pointer") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source = R"(
extern __shared__ float dynamic[];
__device__ __forceinline__ float first(const float* p, int i) { return p[i]; }
extern "C" __global__ void kernel(const float* A, float* C) {
  __shared__ float4 fixed[32];
  __shared__ short narrow[32];
  const int i = threadIdx.x;
  float local[32];
  for (int k = 0; k < 32; ++k) local[k] = A[(k + i) % 32];
  dynamic[i] = A[i];
  fixed[i] = make_float4(A[i], 2, 3, 4);
  narrow[i] = 100 * i;
  __syncthreads();
  const float* any = A[0] > 0 ? dynamic : &fixed[0].x;  // 0 > 0: the second
  C[i] = dynamic[31 - i] * 1000000 + first(any, 4 * i) * 10000 + fixed[i].w * 1000 + narrow[(i + 1) % 32] +
         local[(i * 7) % 32];
})";
  std::vector<float> a(32), c(32);
  for (std::size_t i = 0; i < 32; ++i) a[i] = static_cast<float>(i);
  const Result result =
      run_cuda(source, {{1, 1, 1}, {32, 1, 1}, 128}, {buffer_of(a, "A"), buffer_of(c, "C")});
  CHECK(kinds(result) == "");
  for (int i = 0; i < 32; ++i) {
    const int expected =
        (31 - i) * 1000000 + i * 10000 + 4000 + (i + 1) % 32 * 100 + (i * 7 % 32 + i) % 32;
    CHECK(c[static_cast<std::size_t>(i)] == static_cast<float>(expected));
  }
  CHECK(result.total.local_load_requests > 0);
}

TEST_CASE("every thread of every block of any shape runs once, and knows where it is") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Program program = Program::decode(cuda_to_ptx(R"(
extern "C" __global__ void kernel(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] +=
      threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
})"),
                                          "kernel", "kernel.cu");
  for (const Launch& launch : {Launch{{1, 1, 1}, {1, 1, 1}, 0}, Launch{{3, 1, 1}, {33, 1, 1}, 0},
                               Launch{{2, 2, 1}, {1000, 1, 1}, 0}, Launch{{3, 2, 2}, {5, 4, 3}, 0},
                               Launch{{1, 7, 1}, {8, 8, 1}, 0}, Launch{{1, 1, 9}, {1, 2, 64}, 0}}) {
    const auto threads = static_cast<std::size_t>(launch.block.count());
    std::vector<int> out(threads * launch.grid.count());
    const Result result = program.run(launch, {buffer_of(out, "out")}, {Argument::pointer(0)});
    CHECK(kinds(result) == "");
    CHECK(result.total.global_store_bytes == out.size() * 4);
    CHECK(result.total.global_store_requests == (threads + 31) / 32 * launch.grid.count());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t t = i % threads, b = i / threads;
      const Dim3 &n = launch.block, &g = launch.grid;
      const std::size_t expected = t % n.x + 10 * (t / n.x % n.y) + 100 * (t / n.x / n.y) +
                                   1000 * (b % g.x) + 10000 * (b / g.x % g.y) +
                                   100000 * (b / g.x / g.y);
      if (static_cast<std::size_t>(out[i]) != expected) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

namespace {

// Blocks of the right and of the bottom edge do more than the others.
const char* const uneven_kernel = R"(
extern "C" __global__ void kernel(const float* A, float* C) {
  int rounds = 4;
  if (blockIdx.x == gridDim.x - 1) rounds += 3;
  if (blockIdx.y == gridDim.y - 1) rounds += 10;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) sum += A[(threadIdx.x + k) % 64];
  C[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
})";

}  // namespace

TEST_CASE("a sample has blocks of every class, and is scaled to the whole grid") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Program program = Program::decode(cuda_to_ptx(uneven_kernel), "kernel", "kernel.cu");
  std::vector<float> a(64, 1.0f), c(8 * 6 * 64);
  const Launch launch{{8, 6, 1}, {64, 1, 1}, 0};
  const auto run = [&](const Options& options) {
    return program.run(launch, {buffer_of(a, "A"), buffer_of(c, "C")},
                       {Argument::pointer(0), Argument::pointer(1)}, options);
  };
  const Result all = run({});
  CHECK(all.exact);
  CHECK(all.blocks_emulated == 48);
  CHECK(all.blocks_total == 48);
  CHECK(all.emulated.empty());
  // 4 loads a block, 3 more in 6 blocks, 10 more in 8, of 2 warps
  CHECK(all.total.global_load_requests == 2 * (48 * 4 + 6 * 3 + 8 * 10));

  for (const std::int64_t blocks : {1, 4, 11, 30, 47}) {
    Options options;
    options.blocks = blocks;
    const Result sampled = run(options);
    INFO(blocks << " blocks");
    CHECK_FALSE(sampled.exact);
    CHECK(sampled.blocks_total == 48);
    CHECK(sampled.blocks_emulated == sampled.emulated.size());
    CHECK(sampled.blocks_emulated >= 4);
    CHECK(sampled.blocks_emulated <= static_cast<std::uint64_t>(std::max<std::int64_t>(4, blocks)));
    CHECK(sampled.total == all.total);  // within a class all blocks do the same
    for (const bool right : {false, true}) {
      for (const bool bottom : {false, true}) {
        CHECK(std::any_of(sampled.emulated.begin(), sampled.emulated.end(), [&](const Dim3& block) {
          return (block.x == 7) == right && (block.y == 5) == bottom;
        }));
      }
    }
    for (std::size_t i = 0; i < sampled.emulated.size(); ++i)
      CHECK(std::count(sampled.emulated.begin(), sampled.emulated.end(), sampled.emulated[i]) == 1);
  }
  Options enough;
  enough.blocks = 48;
  CHECK(same(run(enough), all));
}

TEST_CASE("blocks that are named are among a sample, and do not spoil its counts") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Program program = Program::decode(cuda_to_ptx(uneven_kernel), "kernel", "kernel.cu");
  std::vector<float> a(64, 1.0f), c(8 * 6 * 64);
  const auto run = [&](const Options& options) {
    return program.run({{8, 6, 1}, {64, 1, 1}, 0}, {buffer_of(a, "A"), buffer_of(c, "C")},
                       {Argument::pointer(0), Argument::pointer(1)}, options);
  };
  const Result all = run({});
  Options few, cheap;
  few.blocks = 4;
  cheap.warp_instructions = 1;
  for (Options options : {few, cheap}) {
    options.always = {{1, 0, 0}, {2, 0, 0}, {7, 0, 0}, {3, 5, 0}};
    const Result sampled = run(options);
    CHECK_FALSE(sampled.exact);
    CHECK(sampled.blocks_emulated == sampled.emulated.size());
    for (const Dim3& block : options.always) {
      CHECK(std::count(sampled.emulated.begin(), sampled.emulated.end(), block) == 1);
    }
    CHECK(sampled.total == all.total);
  }

  // All of the grid is no sample.
  Options every = few;
  for (std::uint32_t i = 0; i < 48; ++i) every.always.push_back({i % 8, i / 8, 0});
  CHECK(same(run(every), all));
}

TEST_CASE("a budget of warp instructions is kept to by sampling, and only then") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Program program = Program::decode(cuda_to_ptx(uneven_kernel), "kernel", "kernel.cu");
  std::vector<float> a(64, 1.0f), c(8 * 6 * 64);
  const auto run = [&](std::uint64_t budget) {
    Options options;
    options.warp_instructions = budget;
    return program.run({{8, 6, 1}, {64, 1, 1}, 0}, {buffer_of(a, "A"), buffer_of(c, "C")},
                       {Argument::pointer(0), Argument::pointer(1)}, options);
  };
  const Result all = run(1'000'000'000);
  CHECK(all.exact);
  CHECK(same(run(all.total.warp_instructions()), all));
  const Result half = run(all.total.warp_instructions() / 2);
  CHECK_FALSE(half.exact);
  CHECK(half.blocks_emulated >= 4);
  CHECK(half.blocks_emulated <= 26);  // half of 48, each of the four classes rounded up
  CHECK(half.total == all.total);
}

TEST_CASE("the number of CPU threads changes nothing in a result") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string ptx = cuda_to_ptx(R"(
extern "C" __global__ void kernel(const float* A, float* C) {
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = A[i + 1];  // the last thread of the last block reads outside
  __syncthreads();
  C[i / 2] = tile[threadIdx.x ^ 1] + A[i % 7 * 16];  // two threads write each
})");
  const Program program = Program::decode(ptx, "kernel", "kernel.cu");
  std::vector<float> a(64 * 40, 1.0f), c(64 * 40);
  Buffer output = buffer_of(c, "C");
  output.output = true;
  Options options;
  const auto run = [&](int threads) {
    options.threads = threads;
    return program.run({{40, 1, 1}, {64, 1, 1}, 0}, {buffer_of(a, "A"), output},
                       {Argument::pointer(0), Argument::pointer(1)}, options);
  };
  const Result one = run(1);
  CHECK(kinds(one) == "bounds@5, race@7");
  for (const int threads : {2, 3, 8, 64}) CHECK(same(run(threads), one));
  options.blocks = 7;
  const Result sampled = run(1);
  for (const int threads : {2, 8}) CHECK(same(run(threads), sampled));
}

TEST_CASE(
    "a register that nothing has written is the same NaN in every block, and is shared with none") {
  // Its first round reads %f0 and %rd5 before anything has written them.
  constexpr int blocks = 4;
  std::vector<std::uint32_t> out(std::size_t{blocks} * 32 * 4, 7);
  const Result result = run_ptx(ptx_module("  mov.u32 %r0, %tid.x;\n"
                                           "  mov.u32 %r1, %ctaid.x;\n"
                                           "  shl.b32 %r2, %r1, 5;\n"
                                           "  add.u32 %r0, %r0, %r2;\n"
                                           "  mul.wide.u32 %rd0, %r0, 16;\n"
                                           "  add.s64 %rd0, %buffer0, %rd0;\n"
                                           "  mov.b32 %f1, 0f3f800000;\n"
                                           "  add.f32 %f0, %f0, %f1;\n"
                                           "  st.global.f32 [%rd0], %f0;\n"
                                           "  st.global.u64 [%rd0+8], %rd5;\n"
                                           "  mov.u64 %rd5, 12345;\n"
                                           "  add.s64 %rd6, %rd5, 1;\n",
                                           1),
                                {{blocks, 1, 1}, {32, 1, 1}, 0}, {buffer_of(out, "out")});
  CHECK(kinds(result) == "");
  constexpr std::uint32_t of_arithmetic = 0x7fffffff;
  for (std::size_t thread = 0; thread < out.size() / 4; ++thread) {
    CHECK(out[4 * thread] == of_arithmetic);
    CHECK(out[4 * thread + 2] == Options{}.unset);
    CHECK(out[4 * thread + 3] == Options{}.unset);
  }
}
