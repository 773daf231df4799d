// cp.async, mbarriers and what libcu++ builds of them: the data is there after the wait, and not
// before.
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "checks.hpp"
#include "emulator/cuda_kernel.hpp"
#include "emulator/ptx_kernel.hpp"
#include "simt/check/fault.hpp"

namespace gemm_tutor::simt {
namespace {

const std::string headers =
    "#include <cuda_pipeline.h>\n#include <cuda/barrier>\n"
    "#pragma nv_diag_suppress static_var_with_dynamic_init\n";
const std::string head =
    "extern \"C\" __global__ void kernel(const float* A, float* C, int n) {\n"
    "  const int t = threadIdx.x;\n  __shared__ alignas(16) float s[256];\n";
// C is A with its groups of four floats, one a thread, in reverse order.
const std::string tail = "  for (int i = 0; i < 4; ++i) C[4 * t + i] = s[4 * (63 - t) + i];\n}\n";

struct Outcome {
  Result result;
  std::vector<float> c;
};

Outcome run(const std::string& body, const std::string& more_headers = "") {
  std::vector<float> a(256), c(256);
  std::iota(a.begin(), a.end(), 1.0f);
  const Launch launch{{1, 1, 1}, {64, 1, 1}, 0};
  Result result = Program::decode(cuda_to_ptx(more_headers + headers + head + body + tail),
                                  "kernel", "kernel.cu")
                      .run(launch, {buffer_of(a, "A"), buffer_of(c, "C")},
                           {Argument::pointer(0), Argument::pointer(1), Argument::integer(3)});
  return {std::move(result), std::move(c)};
}

void check_reversed(const std::string& body, const std::string& more_headers = "") {
  const Outcome outcome = run(body, more_headers);
  CHECK(kinds(outcome.result) == "");
  for (int t = 0; t < 64; ++t) {
    for (int i = 0; i < 4; ++i)
      REQUIRE(outcome.c[4 * t + i] == static_cast<float>(4 * (63 - t) + i + 1));
  }
}

TEST_CASE("copies of 4, 8 and 16 bytes arrive when they are waited for") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const int bytes : {4, 8, 16}) {
    INFO(bytes);
    check_reversed("  for (int i = 0; i < 4; i += " + std::to_string(bytes / 4) + ")\n" +
                   "    __pipeline_memcpy_async(&s[4 * t + i], &A[4 * t + i], " +
                   std::to_string(bytes) + ");\n" +
                   "  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();\n");
  }
}

TEST_CASE("what is not copied is filled with zeros") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Outcome outcome = run(
      "  __pipeline_memcpy_async(&s[4 * t], &A[t < 60 ? 4 * t : 100000], 16, t < 60 ? 4 : 16);\n"
      "  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();\n");
  CHECK(kinds(outcome.result) == "");
  CHECK(outcome.c[0] == 0);       // of thread 63, which copies nothing
  CHECK(outcome.c[4 * 63] == 1);  // of thread 0: A[0] to A[2]
  CHECK(outcome.c[4 * 63 + 2] == 3);
  CHECK(outcome.c[4 * 63 + 3] == 0);
}

// Thread t copies its group where `reads` holds, and elsewhere ignores a source that is far beyond
// A.
std::string copied_where(const std::string& instruction, const std::string& reads) {
  return "  {\n  const bool reads = " + reads +
         ";\n"
         "  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[4 * t]));\n"
         "  asm volatile(\"{.reg .pred p;\\n setp.eq.u32 p, %2, 0;\\n " +
         instruction +
         "}\" ::\"r\"(to), \"l\"(&A[reads ? 4 * t : 100000]), \"r\"((unsigned)reads), "
         "\"l\"(0ull));\n"
         "  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();\n  }\n";
}

TEST_CASE("a copy whose source is ignored writes zeros, reads nothing and is no request") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string ignoring =
      "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, p, %3;";
  const Outcome outcome = run(copied_where(ignoring, "t % 2 == 0 && t < 32"));
  CHECK(kinds(outcome.result) == "");
  for (int t = 0; t < 64; ++t) {
    INFO("thread " << t);
    const bool reads = t % 2 == 0 && t < 32;
    for (int i = 0; i < 4; ++i)
      CHECK(outcome.c[4 * (63 - t) + i] == (reads ? static_cast<float>(4 * t + i + 1) : 0.0f));
  }
  CHECK(outcome.result.total.global_load_requests == 1);  // the second warp reads nothing
  CHECK(outcome.result.total.global_load_bytes == 16 * 16);

  check_reversed(copied_where("cp.async.cg.shared.global [%0], [%1], 16, p;", "t < 64"));
  check_reversed(copied_where("cp.async.cg.shared.global [%0], [%1], 16, !p;", "t >= 0") +
                 copied_where("cp.async.cg.shared.global [%0], [%1], 16;", "t >= 0"));
}

TEST_CASE("a copy of four bytes is checked where its source is not ignored, and only there") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const auto run_with = [](const std::string& predicate) {
    return run("  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[4 * t]));\n"
               "  for (int i = 0; i < 4; ++i) asm volatile(\"{.reg .pred p;\\n setp.ne.u32 p, %2, "
               "0;\\n cp.async.ca.shared.global [%0], [%1], 4, " +
               predicate +
               ";}\" ::\"r\"(to + 4 * i), \"l\"(&A[4 * t + i + (t == 63)]), \"r\"((unsigned)(t == "
               "63)));\n"
               "  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();\n")
        .result;
  };
  CHECK(kinds(run_with("p")) == "");
  const Result read = run_with("!p");
  CHECK(kinds(read).starts_with("bounds@"));
  CHECK(read.findings[0].count == 1);
  CHECK(read.total.global_load_bytes == 4 * 4);
}

TEST_CASE("waiting leaves the latest groups on their way") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string two_groups =
      "  __pipeline_memcpy_async(&s[4 * t], &A[4 * t], 8); __pipeline_commit();\n"
      "  __pipeline_memcpy_async(&s[4 * t + 2], &A[4 * t + 2], 8); __pipeline_commit();\n";
  check_reversed(two_groups + "  __pipeline_wait_prior(0); __syncthreads();\n");
  const Outcome early = run(two_groups + "  __pipeline_wait_prior(1); __syncthreads();\n");
  REQUIRE(early.result.findings.size() == 1);
  CHECK(message(early.result.findings[0]).find("s[254], which an asynchronous copy") !=
        std::string::npos);
}

TEST_CASE("a copy counts as a load of global memory") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Outcome outcome =
      run("  __pipeline_memcpy_async(&s[4 * t], &A[4 * t], 16);\n"
          "  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();\n");
  CHECK(outcome.result.total.global_load_requests == 2);
  CHECK(outcome.result.total.global_load_sectors == 32);  // 2 warps x 512 bytes
  CHECK(outcome.result.total.global_load_bytes == 1024);
  CHECK(outcome.result.total.shared_store_requests == 0);
}

const std::string library_copy =
    "cuda::memcpy_async(&s[4 * t], &A[4 * t], cuda::aligned_size_t<16>(16), ";

TEST_CASE("libcu++'s pipelines") {
  if (!no_nvrtc().empty()) SKIP_BECAUSE(no_nvrtc());
  check_reversed("  auto p = cuda::make_pipeline();\n  p.producer_acquire();\n  " + library_copy +
                     "p);\n  p.producer_commit(); p.consumer_wait(); __syncthreads(); "
                     "p.consumer_release();\n",
                 "#include <cuda/pipeline>\n");
}

TEST_CASE("libcu++'s barriers") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  check_reversed(
      "  __shared__ cuda::barrier<cuda::thread_scope_block> b;\n"
      "  if (t == 0) init(&b, blockDim.x);\n  __syncthreads();\n  " +
      library_copy + "b);\n  b.arrive_and_wait();\n");
  check_reversed(
      "  __shared__ cuda::barrier<cuda::thread_scope_block> b;\n"
      "  if (t == 0) init(&b, blockDim.x);\n  __syncthreads();\n"
      "  for (int i = 0; i < 4; ++i) s[4 * t + i] = A[4 * t + i];\n"
      "  for (int i = 0; i < n; ++i) b.arrive_and_wait();\n");
}

TEST_CASE("a bulk copy arrives when its mbarrier says so, and counts by its bytes alone") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string copy = R"(
  __shared__ unsigned long long b;
  const unsigned to = __cvta_generic_to_shared(s), at = __cvta_generic_to_shared(&b);
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1024;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], 1024, [%2];" ::"r"(to), "l"(A), "r"(at) : "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  }
  __syncthreads();
)";
  const std::string wait = R"(
  for (int ended = 0; !ended;)
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                 "selp.b32 %0, 1, 0, p;\n}" : "=r"(ended) : "r"(at) : "memory");
)";
  check_reversed(copy + wait);
  const Counters total = run(copy + wait).result.total;
  CHECK(total.global_load_bytes == 1024);
  CHECK(total.global_load_requests == 0);
  CHECK(total.global_load_sectors == 0);
  CHECK(total.shared_store_requests == 0);
  CHECK(total.local_load_requests == 0);

  // With a policy of the cache, and with the target's other name, it does the same.
  check_reversed(replaced(copy, "cp.async.bulk.shared::cluster", "cp.async.bulk.shared::cta") +
                 wait);
  std::string with_policy = replaced(copy, "::bytes\"", "::bytes.L2::cache_hint\"");
  with_policy = replaced(with_policy, "[%2];", "[%2], %3;");
  check_reversed(replaced(with_policy, "\"l\"(A), \"r\"(at)",
                          "\"l\"(A), \"r\"(at), \"l\"(0x1000000000000000)") +
                 wait);

  const Outcome early = run(copy);
  REQUIRE(early.result.findings.size() == 1);
  CHECK(early.result.findings[0].fault->fault == Fault::race_with_copy);

  // A source that is not aligned is named, and not the place in shared memory where it would go.
  std::string misaligned = copy;
  misaligned.replace(misaligned.find("(A)"), 3, "(A + 1)");
  for (std::size_t at = 0; (at = misaligned.find("1024", at)) != misaligned.npos;)
    misaligned.replace(at, 4, "1008");
  const std::vector<Finding> findings = run(misaligned + wait).result.findings;
  const auto alignment = std::ranges::find(findings, FindingKind::alignment, &Finding::kind);
  REQUIRE(alignment != findings.end());
  CHECK(message(*alignment).find("A[1]") != std::string::npos);
}

TEST_CASE("the oldest of many copies arrive without a wait, so that they do not fill the memory") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source = headers + head +
                             "  s[t] = 0;\n  for (int i = 0; i < n; ++i)\n"
                             "    __pipeline_memcpy_async(&s[t], &A[t], 4);\n  C[t] = s[t];\n}\n";
  Options options;
  options.check = false;
  const auto first_value = [&](int copies) {
    std::vector<float> a(32, 1.0f), c(32);
    const Result result =
        Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
            .run({{1, 1, 1}, {32, 1, 1}, 0}, {buffer_of(a, "A"), buffer_of(c, "C")},
                 {Argument::pointer(0), Argument::pointer(1), Argument::integer(copies)}, options);
    CHECK(kinds(result) == "");
    return c.front();
  };
  CHECK(first_value(1'000) == 0.0f);
  CHECK(first_value(3'000) == 1.0f);
}

TEST_CASE("a barrier that somebody never comes to is a loop without an end") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  std::vector<float> a(256), c(256);
  const std::string source = headers + head +
                             "  __shared__ cuda::barrier<cuda::thread_scope_block> b;\n"
                             "  if (t == 0) init(&b, blockDim.x + 1);\n  __syncthreads();\n"
                             "  s[t] = 0; b.arrive_and_wait(); C[t] = s[t];\n}\n";
  Options options;
  options.max_instructions = 100'000;
  const Result result =
      Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
          .run({{1, 1, 1}, {64, 1, 1}, 0}, {buffer_of(a, "A"), buffer_of(c, "C")},
               {Argument::pointer(0), Argument::pointer(1), Argument::integer(3)}, options);
  CHECK(result.stopped);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].kind() == FindingKind::endless);
}

TEST_CASE("lanes with the same value find each other") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  std::vector<float> a(32), c(32);
  const std::string source =
      "extern \"C\" __global__ void kernel(float* C) {\n"
      "  C[threadIdx.x] = __popc(__match_any_sync(~0u, threadIdx.x / 5)) +\n"
      "    100 * __popc(__match_any_sync(~0u, (unsigned long long)threadIdx.x % 3));\n}\n";
  Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
      .run(one_warp, {buffer_of(c, "C")}, {Argument::pointer(0)});
  CHECK(c[0] == 5 + 1100);   // of 0 to 31, 11 are multiples of 3
  CHECK(c[31] == 2 + 1100);  // 30 and 31; 1, 4, …, 31
}

}  // namespace
}  // namespace gemm_tutor::simt
