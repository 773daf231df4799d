// Functions that are called, variables of the module, and what a kernel prints.
#include <utility>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr std::size_t function_threads = 40;  // a warp and a part of one

struct FunctionOutcome {
  Result result;
  std::vector<float> c;
};

// `source` has a kernel "kernel(const float* A, float* C, int n)", whose A[i] is i.
FunctionOutcome run_functions(const std::string& source, std::int64_t n = 3,
                              std::uint32_t blocks = 1) {
  std::vector<float> a(64);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  FunctionOutcome outcome{{}, std::vector<float>(function_threads * blocks)};
  outcome.result = Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
                       .run({{blocks, 1, 1}, {function_threads, 1, 1}, 0},
                            {buffer_of(a, "A"), buffer_of(outcome.c, "C")},
                            {Argument::pointer(0), Argument::pointer(1), Argument::integer(n)});
  return outcome;
}

const std::string function_kernel =
    "extern \"C\" __global__ void kernel(const float* A, float* C, int n) {\n"
    "  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n";

std::vector<float> each(float (*value)(int)) {
  std::vector<float> values;
  for (int t = 0; t < static_cast<int>(function_threads); ++t) values.push_back(value(t));
  return values;
}

TEST_CASE("a function that is not inlined has arguments, a result and its own local memory") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome outcome = run_functions(
      "struct Pair { double first; float second; };\n"
      "__device__ __noinline__ Pair pair(float x, Pair p) {\n"
      "  return {p.first + x, p.second * threadIdx.x};\n}\n"
      "__device__ __noinline__ float middle(const float* values, int at) {\n"
      "  float copy[8];\n"
      "  for (int k = 0; k < 8; ++k) copy[k] = values[k] + 1;\n"
      "  return copy[at & 7];\n}\n"
      "__device__ __noinline__ void add(float* sum, float x) { *sum += x; }\n" +
      function_kernel +
      "  const Pair p = pair(A[t], {100, 2});\n"
      "  float sum = p.first + p.second;\n"
      "  add(&sum, middle(A, t));\n"
      "  C[i] = sum;\n}\n");
  CHECK(kinds(outcome.result) == "");
  CHECK(outcome.c == each([](int t) { return 100.0f + static_cast<float>(3 * t + t % 8 + 1); }));
}

TEST_CASE("lanes call in different branches, return early, and call themselves") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome outcome = run_functions(
      "__device__ __noinline__ int fibonacci(int n) {\n"
      "  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);\n}\n"
      "__device__ __noinline__ int early(int x) {\n"
      "  if (x % 3 == 0) return -1;\n"
      "  int sum = 0;\n"
      "  for (int k = 0; k < x; ++k) { if (k == 7) return sum; sum += fibonacci(k % 4); }\n"
      "  return sum + 1000;\n}\n" +
      function_kernel + "  C[i] = t % 2 ? fibonacci(t % 11) : early(t);\n}\n");
  CHECK(kinds(outcome.result) == "");
  CHECK(outcome.c == each([](int t) -> float {
          const auto fibonacci = [](int n) {
            int a = 0, b = 1;
            for (; n > 0; --n) b = std::exchange(a, b) + b;
            return a;
          };
          if (t % 2) return static_cast<float>(fibonacci(t % 11));
          if (t % 3 == 0) return -1;
          int sum = 0;
          for (int k = 0; k < t; ++k) {
            if (k == 7) return static_cast<float>(sum);
            sum += fibonacci(k % 4);
          }
          return static_cast<float>(sum + 1000);
        }));
}

TEST_CASE("functions are called by pointers, each lane by its own") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome outcome = run_functions(
      "__device__ float add(float a, float b) { return a + b; }\n"
      "__device__ float multiply(float a, float b) { return a * b; }\n"
      "__device__ float subtract(float a, float b) { return a - b; }\n"
      "typedef float (*Operation)(float, float);\n"
      "__device__ Operation table[3] = {add, multiply, subtract};\n" +
      function_kernel +
      "  Operation operation = table[t % n];\n  C[i] = operation(A[t], 2) + 1;\n}\n");
  CHECK(kinds(outcome.result) == "");
  CHECK(outcome.c == each([](int t) {
          const auto x = static_cast<float>(t);
          return (t % 3 == 0 ? x + 2 : t % 3 == 1 ? x * 2 : x - 2) + 1;
        }));
}

TEST_CASE("calls without an end, and by a pointer to nothing, are found") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome deep = run_functions(
      "__device__ __noinline__ int down(int n) {\n"
      "  return n == -1 ? 0 : 1 + down(n + (n > 0)) * 3;\n}\n" +  // line 2
      function_kernel +
      "  C[i] = down(n);\n}\n");
  CHECK(kinds(deep.result) == "endless@2");
  const FunctionOutcome nothing = run_functions(
      "typedef float (*Operation)(float);\n"
      "__device__ Operation operation;\n" +
      function_kernel + "  C[i] = operation(1);\n}\n");  // line 5
  CHECK(kinds(nothing.result) == "bounds@5");
  CHECK(nothing.result.stopped);
}

TEST_CASE("a function does not find in its local memory what an earlier call left there") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome outcome = run_functions(
      "__device__ __noinline__ float local(float x, int n) {\n"
      "  float values[8];\n"
      "  for (int k = 0; k < n; ++k) values[k] = x;\n"
      "  return values[2];\n}\n" +  // line 4
      function_kernel +
      "  C[i] = local(1, n) + local(2, n - 1);\n}\n");
  CHECK(kinds(outcome.result) == "uninitialised@4");
}

TEST_CASE("variables of the module hold their initial values, and 0 where they have none") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome outcome = run_functions(
      "__device__ float first[4] = {1, 2, 3};\n"
      "__device__ float* pointer = first;\n"
      "__device__ double wide = 0.5;\n"
      "__device__ int counter;\n"
      "namespace ns { __device__ short narrow[3] = {-1, 7}; }\n" +
      function_kernel +
      "  atomicAdd(&counter, 1);\n"
      "  __syncthreads();\n"
      "  C[i] = pointer[t % 4] + wide + ns::narrow[t % 3] + 100 * counter;\n}\n");
  CHECK(kinds(outcome.result) == "");
  CHECK(outcome.c == each([](int t) {
          const float first[] = {1, 2, 3, 0}, narrow[] = {-1, 7, 0};
          return first[t % 4] + 0.5f + narrow[t % 3] + 100 * function_threads;
        }));
}

TEST_CASE("each launch begins with the initial values") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source =
      "__device__ int counter;\n" + function_kernel + "  C[i] = atomicAdd(&counter, 1);\n}\n";
  const Program program = Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu");
  for (int launch = 0; launch < 2; ++launch) {
    std::vector<float> a(1), c(function_threads);
    program.run({{1, 1, 1}, {function_threads, 1, 1}, 0}, {buffer_of(a, "A"), buffer_of(c, "C")},
                {Argument::pointer(0), Argument::pointer(1), Argument::integer(0)});
    CHECK(c == each([](int t) { return static_cast<float>(t); }));
  }
}

TEST_CASE("constant memory is read, never written, and counted by the addresses of a load") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome outcome = run_functions(
      "__constant__ float weights[40] = {1, 2, 3, 4};\n"
      "__constant__ int shift;\n" +
      function_kernel + "  C[i] = weights[t] + weights[n] + shift;\n}\n");
  CHECK(kinds(outcome.result) == "");
  CHECK(outcome.c == each([](int t) { return (t < 4 ? static_cast<float>(t + 1) : 0) + 4.0f; }));
  CHECK(outcome.result.total.constant_load_requests == 6);
  CHECK(outcome.result.total.constant_load_addresses == 32 + 8 + 4);
  CHECK(outcome.result.total.global_load_requests == 0);

  const FunctionOutcome beyond = run_functions("__constant__ float weights[4];\n" +
                                               function_kernel + "  C[i] = weights[t];\n}\n");
  CHECK(kinds(beyond.result) == "bounds@4");
  CHECK(message(beyond.result.findings[0]).find("weights[4]") != std::string::npos);
}

TEST_CASE("what threads print comes in the order of blocks and threads, with its line") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome outcome = run_functions(
      "#include <cstdio>\n" + function_kernel +
          "  C[i] = 0;\n"
          "  if (t % 35 == 2) printf(\"%d: %5.2f|%-4u|%s %c %lld%% %x\\n\", t, A[t], 7u, "
          "\"text\", 'c', 1ll << 40, 255);\n"  // line 5
          "  if (t == 2) printf(\"again\\n\");\n}\n",
      3, 2);
  CHECK(kinds(outcome.result) == "");
  const std::vector<Printed>& lines = outcome.result.printed;
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].text == "2:  2.00|7   |text c 1099511627776% ff\n");
  CHECK(lines[0].line == 5);
  CHECK(lines[1].text == "again\n");
  CHECK(lines[2].text == "37: 37.00|7   |text c 1099511627776% ff\n");
  CHECK(lines[2].thread == Dim3{37, 0, 0});
  CHECK(lines[2].block == Dim3{0, 0, 0});
  CHECK(lines[3].block == Dim3{1, 0, 0});
  CHECK(outcome.result.printed_left_out == 0);
}

TEST_CASE("of many printed lines the first are kept, and the others counted") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const FunctionOutcome outcome = run_functions("#include <cstdio>\n" + function_kernel +
                                                    "  C[i] = 0;\n  for (int k = 0; k < n; ++k) "
                                                    "printf(\"%d\", i);\n}\n",
                                                20, 4);
  CHECK(outcome.result.printed.size() == 1'000);
  CHECK(outcome.result.printed_left_out == 20 * function_threads * 4 - 1'000);
  CHECK(outcome.result.printed.back().text == "49");
}

TEST_CASE("an assertion that does not hold, and a trap, are findings that end the run") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string with_assert =
      "#include <cassert>\n" + function_kernel + "  assert(A[t] < 35);\n  C[i] = 1;\n}\n";
  const FunctionOutcome failed = run_functions(with_assert);
  CHECK(kinds(failed.result) == "assertion@4");
  CHECK(failed.result.stopped);
  CHECK(message(failed.result.findings[0]) ==
        "thread (35, 0, 0) of block (0, 0, 0) finds that `A[t] < 35` does not hold");
  const FunctionOutcome trapped =
      run_functions(function_kernel + "  if (t == n) __trap();\n  C[i] = 1;\n}\n");
  CHECK(kinds(trapped.result) == "trap@3");
  const FunctionOutcome held = run_functions("#include <cassert>\n" + function_kernel +
                                             "  assert(n == 3);\n  C[i] = 1;\n}\n");
  CHECK(kinds(held.result) == "");
}

}  // namespace
}  // namespace gemm_tutor::simt
