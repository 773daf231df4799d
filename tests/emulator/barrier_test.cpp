// Threads that synchronise otherwise than by __syncthreads() and a whole warp's __syncwarp().
#include <string>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor::simt {
namespace {

struct BarrierKernel {
  const char* name;
  const char* finds;  // "" where it is right
  std::string body;   // its first line is 4
};

const std::string barrier_kernel =
    "extern \"C\" __global__ void kernel(float* C, int n) {\n"
    "  __shared__ float s[256];\n"
    "  const int t = threadIdx.x, w = t / 32, l = t % 32;\n";

// n is 1.
Result run_barriers(const std::string& body, std::uint32_t threads = 128) {
  std::vector<float> c(threads);
  Buffer buffer = buffer_of(c, "C");
  buffer.output = true;
  Options options;
  options.max_instructions = 300'000;
  return Program::decode(cuda_to_ptx(barrier_kernel + body + "}\n"), "kernel", "kernel.cu")
      .run({{1, 1, 1}, {threads, 1, 1}, 0}, {buffer}, {Argument::pointer(0), Argument::integer(1)},
           options);
}

void check_barriers(const std::vector<BarrierKernel>& kernels) {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const BarrierKernel& kernel : kernels) {
    const Result result = run_barriers(kernel.body);
    INFO(kernel.name);
    for (const Finding& finding : result.findings) INFO(message(finding));
    CHECK(kinds(result) == kernel.finds);
  }
}

#define BARRIER(operation, number, count) \
  "  asm volatile(\"bar." operation " " number ", " count ";\" ::: \"memory\");\n"

TEST_CASE("a barrier with a number orders the threads that come to it, and no others") {
  check_barriers({
      {"producers and consumers", "",
       "  if (w < 2) {\n"
       "    s[t] = t;\n" BARRIER("arrive", "1", "128") "    C[t] = 0;\n"
                                                       "  } else {\n" BARRIER(
                                                           "sync", "1",
                                                           "128") "    C[t] = s[t - 64];\n"
                                                                  "  }\n"},
      {"two pairs of warps", "",
       "  s[t] = t;\n"
       "  if (w < 2) {\n" BARRIER("sync", "1", "64") "  } else {\n" BARRIER(
           "sync", "2", "64") "  }\n"
                              "  C[t] = s[t ^ 32];\n"},
      {"two pairs of warps, across", "race@4, race@9",
       "  s[t] = t;\n"
       "  if (w < 2) {\n" BARRIER("sync", "1", "64") "  } else {\n" BARRIER(
           "sync", "2", "64") "  } C[t] = s[t ^ 64];\n"},
      {"the whole block, with a count", "",
       "  s[t] = t;\n" BARRIER("sync", "0", "128") "  C[t] = s[127 - t];\n"},
      {"the whole block, without a count", "",
       "  s[t] = t;\n  asm volatile(\"barrier.sync 3;\" ::: \"memory\");\n  C[t] = s[127 - t];\n"},
      {"a stage is filled again before it is read", "barrier@8",
       "  for (int k = 0; k < 2; ++k) {\n"
       "    if (w < 2) {\n"
       "      s[t] = k;\n" BARRIER("arrive", "1",
                                   "128") "    } else { asm volatile(\"bar.sync 1, 128;\" ::: "
                                          "\"memory\"); C[t] = s[t - 64];\n"
                                          "    }\n  }\n  if (w < 2) C[t] = 0;\n"},
      {"a stage is given back", "",
       "  for (int k = 0; k < 2; ++k) {\n"
       "    if (w < 2) {\n"
       "      if (k > 0) asm volatile(\"bar.sync 2, 128;\" ::: \"memory\");\n"
       "      s[t] = k;\n" BARRIER("arrive", "1", "128") "    } else {\n" BARRIER(
           "sync", "1",
           "128") "      C[t] = s[t - 64];\n"
                  "      if (k == 0) asm volatile(\"bar.arrive 2, 128;\" ::: \"memory\");\n"
                  "    }\n  }\n  if (w < 2) C[t] = 0;\n"},
  });
}

TEST_CASE("a thread far away is none of the lanes that read a word together") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string body =
      "  s[t] = t;\n"
      "  __syncthreads();\n"
      "  if (t == 255) s[0] = 1;\n"
      "  if (w < 2) asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n"
      "  C[t] = 0;\n"
      "  if (w == 0) C[t] = s[n - 1];\n";
  CHECK(kinds(run_barriers(body, 256)) == "race@9");
}

TEST_CASE("barriers with a number that cannot be completed are found") {
  check_barriers({
      {"too few come", "barrier@5",
       "  C[t] = 0;\n"
       "  if (w < 2) asm volatile(\"bar.sync 1, 96;\" ::: \"memory\");\n"},
      {"different counts", "barrier@5",
       "  C[t] = 0;\n"
       "  asm volatile(\"bar.sync 1, %0;\" :: \"r\"(w < 1 ? 64 : 128) : \"memory\");\n"},
      {"no multiple of 32", "barrier@5",
       "  C[t] = 0;\n"
       "  asm volatile(\"bar.sync 1, %0;\" :: \"r\"(100 * n) : \"memory\");\n"},
      {"more than there are", "barrier@5", "  C[t] = 0;\n" BARRIER("sync", "1", "256")},
      {"one number for two pairs of warps", "barrier@5",
       "  C[t] = 0;\n" BARRIER("sync", "1", "64")},
      {"one number for two pairs, one after the other", "",
       "  if (w < 2) asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n"
       "  __syncthreads();\n"
       "  if (w >= 2) asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n  C[t] = 0;\n"},
      {"half a warp", "barrier@5",
       "  C[t] = 0;\n  if (l < 16) asm volatile(\"bar.sync 1, 128;\" ::: \"memory\");\n"},
  });
}

TEST_CASE("a barrier counts, and says whether a condition holds for all or for any") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  std::vector<float> c(96);
  const Result result =
      Program::decode(
          cuda_to_ptx(barrier_kernel + "  C[t] = __syncthreads_count(t % 3 == 0) + 1000 * "
                                       "__syncthreads_and(t < 96) +\n"
                                       "    2000 * __syncthreads_and(t < 95) + 4000 * "
                                       "__syncthreads_or(t == 95) +\n"
                                       "    8000 * __syncthreads_or(t > 95);\n}\n"),
          "kernel", "kernel.cu")
          .run({{1, 1, 1}, {96, 1, 1}, 0}, {buffer_of(c, "C")},
               {Argument::pointer(0), Argument::integer(1)});
  CHECK(kinds(result) == "");
  CHECK(c == std::vector<float>(96, 32 + 1000 + 4000));
  CHECK(result.total.barriers == 15);
}

TEST_CASE("__syncwarp() counts for the lanes of its mask alone") {
  check_barriers({
      {"both halves by themselves", "",
       "  s[t] = t;\n"
       "  __syncwarp(l < 16 ? 0xffff : 0xffff0000);\n"
       "  C[t] = s[t ^ 8];\n"},
      {"across the halves", "race@6",
       "  s[t] = t;\n"
       "  __syncwarp(l < 16 ? 0xffff : 0xffff0000);\n"
       "  C[t] = s[t ^ 16];\n"},
      {"one half alone", "",
       "  s[t] = t;\n"
       "  if (l < 16) { __syncwarp(0xffff); C[t] = s[t ^ 8]; } else C[t] = 0;\n"},
      {"one half, reads of the other", "race@5",
       "  s[t] = t;\n"
       "  if (l < 16) { __syncwarp(0xffff); C[t] = s[t + 16]; } else C[t] = 0;\n"},
      {"a mask without the lane", "barrier@5",
       "  C[t] = s[t] = t;\n"
       "  if (l >= 16) __syncwarp(0xffff);\n"},
  });
}

TEST_CASE("an mbarrier orders those that arrive before those that wait") {
  const std::string mbarrier =
      "  __shared__ unsigned long long full, empty;\n"
      "  const unsigned f = __cvta_generic_to_shared(&full), e = "
      "__cvta_generic_to_shared(&empty);\n"
      "  auto arrive = [](unsigned b) { asm volatile(\"mbarrier.arrive.shared.b64 _, [%0];\" :: "
      "\"r\"(b) : \"memory\"); };\n"
      "  auto wait = [](unsigned b, int parity) { int done = 0; while (!done) asm volatile(\"{.reg "
      ".pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}\" : "
      "\"=r\"(done) : \"r\"(b), \"r\"(parity) : \"memory\"); };\n"
      "  if (t == 0) { asm volatile(\"mbarrier.init.shared.b64 [%0], 64;\" :: \"r\"(f));\n"
      "    asm volatile(\"mbarrier.init.shared.b64 [%0], 64;\" :: \"r\"(e)); }\n";
  check_barriers({
      {"phases of a producer and a consumer", "",
       mbarrier + "  __syncthreads();\n"
                  "  for (int k = 0; k < 4; ++k) {\n"
                  "    if (w < 2) { if (k > 0) wait(e, (k - 1) & 1); s[t] = k + t; arrive(f); }\n"
                  "    else { wait(f, k & 1); C[t] = s[127 - t]; if (k < 3) arrive(e); }\n"
                  "  }\n"
                  "  if (w < 2) C[t] = 0;\n"},
      {"the producer does not wait", "endless@7",
       mbarrier + "  __syncthreads();\n"
                  "  for (int k = 0; k < 2; ++k) {\n"
                  "    if (w < 2) { s[t] = k + t; arrive(f); }\n"
                  "    else { wait(f, k & 1); C[t] = s[127 - t]; }\n"
                  "  }\n"
                  "  if (w < 2) C[t] = 0;\n"},
      {"other producers than those that arrive", "race@11, race@13",
       mbarrier + "  __syncthreads();\n"
                  "  { s[t] = t;\n"
                  "    if (w < 2) { arrive(f); C[t] = 0; }\n"
                  "    else { wait(f, 0); C[t] = s[t ^ 32]; }\n"
                  "  }\n"},
      {"no barrier after its initialisation", "race@6",
       mbarrier + "  C[t] = 0;\n  if (w < 2) arrive(f);\n"},
  });
}

TEST_CASE("threads synchronise by what they write to memory, where there is a fence") {
  check_barriers({
      {"a flag", "",
       "  __shared__ volatile int flag;\n"
       "  if (t == 0) flag = 0;\n"
       "  __syncthreads();\n"
       "  if (w == 3) { s[l] = t; __threadfence_block(); __syncwarp(); if (l == 0) flag = 1; C[t] "
       "= 0; }\n"
       "  else { while (flag == 0) {} __threadfence_block(); C[t] = s[l]; }\n"},
      {"a flag that is set first", "race@7",
       "  __shared__ volatile int flag;\n"
       "  if (t == 0) flag = 0;\n"
       "  __syncthreads();\n"
       "  if (w == 3) { if (l == 0) flag = 1; __threadfence_block(); s[l] = t; C[t] = 0; } else { "
       "while (flag == 0) {} C[t] = s[l]; }\n"},
      {"the last to count", "",
       "  __shared__ int count;\n"
       "  if (t == 0) count = 0;\n"
       "  __syncthreads();\n"
       "  s[t] = t;\n"
       "  __threadfence_block();\n"
       "  C[t] = 0;\n  if (atomicAdd(&count, 1) == 127) for (int k = 0; k < 128; ++k) C[t] += "
       "s[k];\n"},
      {"an atomic operation and a plain read", "race@7, race@8",
       "  __shared__ int count;\n"
       "  if (t == 0) count = 0;\n"
       "  __syncthreads();\n"
       "  atomicAdd(&count, 1);\n"
       "  C[t] = count;\n"},
      {"an atomic operation, a barrier and a plain read", "",
       "  __shared__ int count;\n"
       "  if (t == 0) count = 0;\n"
       "  __syncthreads();\n"
       "  atomicAdd(&count, 1);\n"
       "  __syncthreads();\n"
       "  C[t] = count;\n"},
      {"an atomic operation on what nobody has set", "uninitialised@5",
       "  __shared__ int count;\n"
       "  C[t] = atomicAdd(&count, 1);\n"},
  });
}

TEST_CASE("warps take turns, so that a wait for another warp ends") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result ends = run_barriers(
      "  volatile int* flag = (volatile int*)s;\n"
      "  if (t == 0) *flag = 0;\n  __syncthreads();\n"
      "  if (w == 0) { while (*flag != 3) {} } else if (l == 0) { while (*flag != w - 1) {} *flag "
      "= "
      "w; }\n"
      "  C[t] = 1;\n");
  CHECK(kinds(ends) == "");
  const Result endless = run_barriers(
      "  volatile int* flag = (volatile int*)s;\n"
      "  if (t == 0) *flag = 0;\n  __syncthreads();\n"
      "  while (*flag != 3) {}\n"  // line 7
      "  C[t] = 1;\n");
  CHECK(kinds(endless) == "endless@7");
}

}  // namespace
}  // namespace gemm_tutor::simt
