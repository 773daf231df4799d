// What is recorded of a traced block: places, steps and lanes worked out by hand.
#include "simt/emulator.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "checks.hpp"
#include "emulator/cuda_kernel.hpp"
#include "emulator/ptx_kernel.hpp"
#include "support/error.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr std::uint32_t all_lanes = 0xffffffff;

// The kernel's parameters are A and C, of 256 floats each.
Result run_traced(const std::string& source, const Launch& launch, const Options& options) {
  std::vector<float> a(256), c(256);
  std::iota(a.begin(), a.end(), 1.0f);
  const std::vector<Buffer> buffers = {buffer_of(a, "A"), buffer_of(c, "C")};
  return Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
      .run(launch, buffers, {Argument::pointer(0), Argument::pointer(1)}, options);
}

Result trace(const std::string& source, const Launch& launch, const Dim3& block = {0, 0, 0}) {
  Options options;
  options.trace = block;
  options.only_traced = true;
  options.arrays = {{"tile", {8, 8}}};
  return run_traced(source, launch, options);
}

const std::string head = "extern \"C\" __global__ void kernel(const float* A, float* C) {\n";

// Line 2 loads, line 3 stores; block b has the floats from 64·b on.
const std::string copy = head +
                         "  const float a = A[blockIdx.x * 64 + threadIdx.x];\n"
                         "  C[blockIdx.x * 64 + threadIdx.x] = a;\n}\n";

}  // namespace

TEST_CASE("a traced block alone is run, and both of its warps are recorded") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result = trace(copy, {{4, 1, 1}, {48, 1, 1}, 0}, {2, 0, 0});
  CHECK(kinds(result) == "");
  CHECK_FALSE(result.exact);
  CHECK(result.recording->all_accesses);
  CHECK(result.blocks_emulated == 1);
  CHECK(result.blocks_total == 4);
  CHECK(result.emulated == std::vector<Dim3>{{2, 0, 0}});
  CHECK(result.total.global_load_requests == 2);  // of this block alone
  CHECK(result.total.global_load_sectors == 6);
  REQUIRE(result.recording->accesses.size() == 4);
  for (int i = 0; i < 4; ++i) {
    const Access& access = result.recording->accesses[static_cast<std::size_t>(i)];
    INFO(i);
    CHECK(access.warp == i / 2);
    CHECK(access.store == (i % 2 == 1));
    CHECK(access.line == 2 + i % 2);
    CHECK(access.buffer == i % 2);
    CHECK(access.space == MemorySpace::global);
    CHECK(access.bytes == 4);
    CHECK(access.step == 0);
    CHECK(access.active == (i < 2 ? all_lanes : 0xffff));
    CHECK(access.offsets[0] == 4 * (128 + (i < 2 ? 0u : 32u)));
    CHECK(access.offsets[15] == access.offsets[0] + 60);
    CHECK(access.offsets[31] == (i < 2 ? access.offsets[0] + 124 : 0));
    CHECK(access.cost == (i < 2 ? 4u : 2u));
    CHECK_FALSE(access.asynchronous);
  }
}

TEST_CASE("the only block of a grid is traced exactly, and without a trace nothing is recorded") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  CHECK(trace(copy, one_warp).exact);
  const Result untraced = run_traced(copy, one_warp, Options{});
  CHECK_FALSE(untraced.recording);
  CHECK(untraced.total == trace(copy, one_warp).total);
}

TEST_CASE(
    "a block is recorded while the whole grid runs, and nothing is counted otherwise for it") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Launch launch = {{4, 1, 1}, {48, 1, 1}, 0};
  Options options;
  options.trace = Dim3{2, 0, 0};
  const Result result = run_traced(copy, launch, options);
  const Result untraced = run_traced(copy, launch, Options{});
  CHECK(result.exact);
  CHECK(result.total == untraced.total);
  CHECK(result.total.global_load_requests == 8);
  const Result alone = trace(copy, launch, {2, 0, 0});
  REQUIRE(result.recording);
  REQUIRE(result.recording->accesses.size() == alone.recording->accesses.size());
  for (std::size_t i = 0; i < alone.recording->accesses.size(); ++i) {
    INFO(i);
    const Access &access = result.recording->accesses[i], &other = alone.recording->accesses[i];
    CHECK(access.line == other.line);
    CHECK(access.warp == other.warp);
    CHECK(access.active == other.active);
    CHECK(access.offsets == other.offsets);
  }
  CHECK_FALSE(result.recording->stopped);
}

TEST_CASE("of a sample of the grid only a block that is in it is recorded") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Launch launch = {{4, 1, 1}, {32, 1, 1}, 0};
  Options options;
  options.blocks = 1;  // of each class: one in the middle, and the last
  for (const std::uint32_t x : {0, 1, 2, 3}) {
    options.trace = Dim3{x, 0, 0};
    const Result result = run_traced(copy, launch, options);
    const bool is_sampled = std::ranges::count(result.emulated, *options.trace) > 0;
    INFO(x);
    CHECK(result.recording.has_value() == is_sampled);
    CHECK(result.emulated == std::vector<Dim3>{{1, 0, 0}, {3, 0, 0}});
  }
}

TEST_CASE("a recording says whether its block was stopped, whatever stopped another") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source = head +
                             "  C[blockIdx.x * 64 + threadIdx.x] = 1;\n"
                             "  if (blockIdx.x == 1 && threadIdx.x < 3) __syncthreads();\n}\n";
  Options options;
  options.threads = 1;
  for (const std::uint32_t x : {0, 1, 2}) {
    INFO(x);
    options.trace = Dim3{x, 0, 0};
    const Result result = run_traced(source, {{3, 1, 1}, {32, 1, 1}, 0}, options);
    CHECK(result.stopped);
    CHECK(result.recording.has_value() == (x < 2));  // the third did not start
    if (result.recording) CHECK(result.recording->stopped == (x == 1));
  }
}

TEST_CASE("a block that the grid does not have is a wrong command line") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const Dim3 block : {Dim3{4, 0, 0}, {0, 2, 0}, {0, 0, 1}}) {
    const Error error = error_of([&] { trace(copy, {{4, 2, 1}, {32, 1, 1}, 0}, block); });
    CHECK(error.status() == ExitStatus::usage);
    CHECK(std::string(error.help()) == "Give one from 0,0 to 3,1.");
  }
}

TEST_CASE("steps count how often a warp has executed an instruction before") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result = trace(head +
                                  "#pragma unroll 1\n"
                                  "  for (int i = 0; i < 3; ++i) C[64 * i + threadIdx.x] = 1;\n}\n",
                              {{1, 1, 1}, {64, 1, 1}, 0});
  REQUIRE(result.recording->accesses.size() == 6);
  for (std::uint64_t i = 0; i < 6; ++i) {
    const Access& access = result.recording->accesses[i];
    CHECK(access.warp == static_cast<int>(i / 3));
    CHECK(access.step == i % 3);
    CHECK(access.instruction == result.recording->accesses[0].instruction);
    CHECK(access.offsets[0] == 4 * (64 * (i % 3) + 32 * (i / 3)));
  }
}

TEST_CASE("shared memory is recorded with its arrays, wavefronts and conflicts") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result = trace(head +
                                  "  __shared__ float first[32], tile[8][8];\n"
                                  "  const int t = threadIdx.x;\n"
                                  "  first[t] = A[t];\n"
                                  "  tile[t % 8][t / 8] = A[t];\n"
                                  "  __syncthreads();\n"
                                  "  C[t] = first[31 - t] + tile[0][t % 4];\n}\n",
                              one_warp);
  CHECK(kinds(result) == "");
  REQUIRE(result.recording->shared_arrays.size() == 2);
  std::vector<Access> shared;
  for (const Access& access : result.recording->accesses) {
    if (access.space == MemorySpace::shared) shared.push_back(access);
  }
  for (const SharedArray& array : result.recording->shared_arrays) {
    const bool is_tile = array.name == "tile";
    CHECK(array.bytes == (is_tile ? 256 : 128));
    CHECK(array.extents ==
          (is_tile ? std::vector<std::int64_t>{8, 8} : std::vector<std::int64_t>{}));
    for (const Access& access : shared) {
      const std::uint64_t within = access.offsets[5] - array.offset;
      if (within >= array.bytes || !access.store) continue;
      CHECK(within == (is_tile ? 4 * 5 * 8 : 4 * 5));  // lane 5: tile[5][0], first[5]
      CHECK(access.cost == (is_tile ? 2 : 1));         // two words in each of 16 banks
      CHECK(access.conflicts == (is_tile ? 1 : 0));
    }
  }
  CHECK(shared.size() == 4);
}

TEST_CASE("a cp.async is a load of global memory and a store to shared memory") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result = trace("#include <cuda_pipeline.h>\n" + head +
                                  "  __shared__ alignas(16) float s[128];\n"
                                  "  const int t = threadIdx.x;\n"
                                  "  __pipeline_memcpy_async(&s[4 * t], &A[128 + 4 * t], 16);\n"
                                  "  __pipeline_commit(); __pipeline_wait_prior(0);\n"
                                  "  C[t] = s[4 * t];\n}\n",
                              one_warp);
  CHECK(kinds(result) == "");
  REQUIRE(result.recording->accesses.size() == 4);
  const Access &load = result.recording->accesses[0], &store = result.recording->accesses[1];
  for (const Access& half : {load, store}) {
    CHECK(half.asynchronous);
    CHECK(half.bytes == 16);
    CHECK(half.line == load.line);
    CHECK(half.instruction == load.instruction);
    CHECK(half.step == 0);
    CHECK(half.active == all_lanes);
  }
  CHECK(load.space == MemorySpace::global);
  CHECK_FALSE(load.store);
  CHECK(load.buffer == 0);
  CHECK(load.offsets[31] == 4 * (128 + 124));
  CHECK(load.cost == 16);
  CHECK(store.space == MemorySpace::shared);
  CHECK(store.store);
  CHECK(store.offsets[31] == 4 * 124);
  CHECK(store.cost == 0);  // as profilers count it
  CHECK_FALSE(result.recording->accesses[2].asynchronous);
}

TEST_CASE("of too many accesses each instruction's first of every warp are recorded") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  Options options;
  options.trace = Dim3{0, 0, 0};
  options.only_traced = true;
  options.most_accesses = 9;  // of two instructions of two warps: two steps of each
  const Result result =
      run_traced(head +
                     "#pragma unroll 1\n"
                     "  for (int i = 0; i < 3; ++i) C[64 * i + threadIdx.x] = 1;\n"
                     "  C[192 + threadIdx.x] = 1;\n}\n",
                 {{1, 1, 1}, {64, 1, 1}, 0}, options);
  CHECK_FALSE(result.recording->all_accesses);
  REQUIRE(result.recording->accesses.size() == 6);
  CHECK(result.recording->accesses[1].step == 1);
  CHECK(result.recording->accesses[2].line == 4);
  CHECK(result.recording->accesses[3].warp == 1);
  CHECK(result.total.global_store_requests == 8);
}

TEST_CASE("of one warp alone as many are recorded as of all") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  Options options;
  options.trace = Dim3{0, 0, 0};
  options.only_traced = true;
  options.trace_warp = 1;
  options.most_accesses = 4;
  const Result result =
      run_traced(head +
                     "#pragma unroll 1\n"
                     "  for (int i = 0; i < 4; ++i) C[64 * i + threadIdx.x] = 1;\n}\n",
                 {{1, 1, 1}, {64, 1, 1}, 0}, options);
  CHECK(result.recording->all_accesses);
  REQUIRE(result.recording->accesses.size() == 4);
  for (const Access& access : result.recording->accesses) CHECK(access.warp == 1);
  CHECK(result.total.global_store_requests == 8);
}

TEST_CASE("accesses out of bounds are recorded where they are") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result = trace(head + "  C[static_cast<int>(threadIdx.x) - 16] = 1;\n}\n", one_warp);
  CHECK(kinds(result) == "bounds@2");
  REQUIRE(result.recording->accesses.size() == 1);
  const Access& access = result.recording->accesses.front();
  CHECK(access.buffer == 1);
  CHECK(static_cast<std::int64_t>(access.offsets[0]) == -64);
  CHECK(access.offsets[16] == 0);
  CHECK(access.cost == 4);
}

TEST_CASE("generic addresses are recorded as what they mean") {
  const Result result = [] {
    std::vector<float> a(64);
    Options options;
    options.trace = Dim3{0, 0, 0};
    options.only_traced = true;
    return run_ptx(ptx_module("  mov.u64 %rd0, s;\n  cvta.shared.u64 %rd1, %rd0;\n"
                              "  mov.u32 %r0, 7;\n  st.b32 [%rd1+8], %r0;\n"
                              "  st.b32 [%buffer0+12], %r0;\n",
                              1, ".shared .align 4 .b8 s[128];"),
                   {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(a)}, options);
  }();
  REQUIRE(result.recording->accesses.size() == 2);
  CHECK(result.recording->accesses[0].space == MemorySpace::shared);
  CHECK(result.recording->accesses[0].offsets[0] == 8);
  CHECK(result.recording->accesses[0].active == 1);
  CHECK(result.recording->accesses[1].space == MemorySpace::global);
  CHECK(result.recording->accesses[1].offsets[0] == 12);
  CHECK(result.recording->accesses[1].buffer == 0);
  CHECK(result.recording->accesses[0].store);
}

}  // namespace gemm_tutor::simt
