// Threads and blocks that access one element, mostly of global memory.
#include <string>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"
#include "simt/check/fault.hpp"

namespace gemm_tutor::simt {
namespace {

// The kernel's first line is 4.
Program program_on_c(const std::string& body) {
  const std::string source =
      "__device__ float scratch[64]; __device__ int counter;\n"
      "extern \"C\" __global__ void kernel(float* C, int n) {\n"
      "  const int t = threadIdx.x, b = blockIdx.x;\n" +
      body + "}\n";
  return Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu");
}

// C holds zeros, and is no output.
Result run_on_c(const Program& program, std::uint32_t blocks = 3) {
  std::vector<float> c(256);
  Options options;
  options.max_instructions = 300'000;
  return program.run({{blocks, 1, 1}, {64, 1, 1}, 0}, {buffer_of(c, "C")},
                     {Argument::pointer(0), Argument::integer(1)}, options);
}
Result run_on_c(const std::string& body, std::uint32_t blocks = 3) {
  return run_on_c(program_on_c(body), blocks);
}

TEST_CASE("threads of a block race for global memory") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const auto kinds_of = [](const std::string& body) { return kinds(run_on_c(body, 1)); };
  CHECK(kinds_of("  C[t] = t;\n  __syncthreads();\n  C[t + 64] = C[63 - t];\n") == "");
  CHECK(kinds_of("  C[t] = t; C[t + 64] = C[63 - t];\n") == "race@4");
  CHECK(kinds_of("  C[t + 64] = C[t ^ 1];\n  __syncwarp();\n  C[t] = t;\n") == "");
  CHECK(kinds_of("  C[t + 64] = C[t ^ 32];\n  __syncwarp();\n  C[t] = t;\n") == "race@4");
  CHECK(kinds_of("  scratch[t] = t; C[t] = scratch[63 - t];\n") == "race@4");
  CHECK(kinds_of("  atomicAdd(&C[0], 1.0f);\n  __syncthreads();\n  C[t + 1] = C[0];\n") == "");
  CHECK(kinds_of("  atomicAdd(&C[0], 1.0f); C[t + 1] = C[0];\n") == "race@4");
  // Neighbours within one word do not race.
  CHECK(kinds_of("  ((char*)C)[t] = t;\n") == "");
}

TEST_CASE(
    "blocks race for global memory, by writes, by reads and by plain accesses of what others add "
    "to") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  CHECK(kinds(run_on_c("  C[64 * b + t] = t;\n")) == "");
  CHECK(kinds(run_on_c("  C[t] = b;\n")) == "race@4");
  CHECK(kinds(run_on_c("  if (b == 0) C[t] = 1; else C[64 * b + t] = C[t];\n")) == "race@4");
  CHECK(kinds(run_on_c("  if (b == 2) C[t] = 1; else C[64 * b + t + 64] = C[t];\n")) == "race@4");
  CHECK(kinds(run_on_c("  atomicAdd(&C[t], 1.0f);\n")) == "");
  CHECK(kinds(run_on_c("  C[t] = 0;\n  __syncthreads();\n  atomicAdd(&C[t], 1.0f);\n")) ==
        "race@6");
  const Result result = run_on_c("  if (b == 0) C[t] = 1; else C[64 * b + t] = C[t];\n", 2);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].fault->fault == Fault::race_of_blocks);
  CHECK(result.findings[0].count == 64);
}

TEST_CASE("lanes that store the same value to one word are a note") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const auto notes_of = [](const std::string& body) {
    const Result result = run_on_c("  __shared__ float s[64];\n" + body, 1);
    CHECK(kinds(result) == "");
    std::string lines;
    for (const Finding& note : result.notes) lines += std::to_string(note.line) + " ";
    return lines;
  };
  const std::string read = "  __syncthreads();\n  C[t] = s[t & ~1];\n";
  CHECK(notes_of("  s[t & ~1] = n;\n" + read) == "5 ");
  CHECK(notes_of("  s[t] = n; __syncthreads(); s[t / 32 * 32] = 2 * n;\n" + read) == "5 ");
  CHECK(notes_of("  s[t] = n;\n" + read) == "");
  CHECK(notes_of("  C[t / 32] = n;\n") == "5 ");
  CHECK(kinds(run_on_c("  __shared__ float s[64];\n  s[t & ~1] = t;\n" + read, 1)) == "race@5");
}

TEST_CASE("blocks synchronise by atomic operations and fences") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  // The last block adds up what all have left.
  const std::string last_block =
      "  __shared__ bool is_last;\n"
      "  if (t == 0) { scratch[b] = b; __threadfence(); is_last = atomicAdd(&counter, 1) == 2; }\n"
      "  __syncthreads();\n"
      "  if (is_last) C[t] = scratch[0] + scratch[1] + scratch[2];\n";
  CHECK(kinds(run_on_c(last_block)) == "");
  std::string without = last_block;
  without.replace(without.find("__threadfence();"), 16, "");
  CHECK(kinds(run_on_c(without)) == "race@7");
}

TEST_CASE("the order of blocks is known however close together they run") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  // In each round the block that comes second reads what both have left.
  const std::string rounds =
      "  for (int round = 0; round < 64 && t == 0; ++round) {\n"
      "    float* left = C + 128 + 2 * round;\n"
      "    left[b] = b; __threadfence();\n"
      "    if (atomicAdd((int*)C + round, 1) == 1) scratch[b] += left[0] + left[1];\n"
      "  }\n";
  const Program program = program_on_c(rounds);
  for (int run = 0; run < 3000; ++run) REQUIRE(kinds(run_on_c(program, 2)) == "");
}

}  // namespace
}  // namespace gemm_tutor::simt
