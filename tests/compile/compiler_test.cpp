#include "simt/compiler.hpp"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <thread>

#include "checks.hpp"
#include "compiled_kernel.hpp"
#include "simt/compile/compiler_input.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;
namespace fs = std::filesystem;

#define SKIP_WITHOUT_COMPILER() \
  if (!compiler_status().available) SKIP_BECAUSE(compiler_status().problem)

namespace {

// Lines count from 1; the tests below name them.
constexpr const char* two_kernels = R"(template <int BM, int BK>
__global__ void tile(const float* A, float* C, int K) {
  __shared__ float a[BM][BK];
  a[threadIdx.y][threadIdx.x] = A[threadIdx.y * K + threadIdx.x];
  __syncthreads();
  C[threadIdx.x] = a[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void plain(float* C) { C[threadIdx.x] = 1; }
namespace ns {
__global__ void inside(float* C) { C[threadIdx.x] = 2; }
}  // namespace ns
)";

CompileRequest request_for(const std::string& source, const std::string& name_expression = "") {
  CompileRequest request;
  request.source = source;
  request.file_name = "my kernel.cu";
  request.architecture = "sm_90";
  request.name_expression = name_expression;
  return request;
}

CompiledKernel compile_without_cache(const CompileRequest& request) {
  return compile(request, fs::path());
}

struct Failure {
  ExitStatus status;
  std::string message, help;
};

Failure failure_of(const CompileRequest& request, const fs::path& cache = {}) {
  const Error error = error_of([&] { compile(request, cache); });
  return {error.status(), error.what(), error.help()};
}

// Clang knows no registers, and words its messages in its own way.
bool is_nvrtc() { return compiler_status().has_assembler; }

fs::path only_file(const fs::path& directory) {
  fs::path only;
  for (const auto& entry : fs::directory_iterator(directory)) {
    CHECK(only.empty());
    only = entry.path();
  }
  REQUIRE_FALSE(only.empty());
  return only;
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("the state of a compiler is complete whether it is there or not") {
  for (const CompilerStatus& status : {compiler_status(), nvrtc_status(), clang_status()}) {
    CHECK(status.available == status.problem.empty());
    CHECK(status.available == !status.name.empty());
    CHECK(status.available == !status.path.empty());
    CHECK(status.available == status.help.empty());
    CHECK(status.available == !status.files_to_read.empty());
  }
}

TEST_CASE("a template instance: PTX with source lines, a cubin and its resources") {
  SKIP_WITHOUT_COMPILER();
  const CompiledKernel kernel = compile_without_cache(request_for(two_kernels, "tile<32, 16>"));
  CHECK(kernel.lowered_name == "_Z4tileILi32ELi16EEvPKfPfi");
  CHECK(contains(kernel.ptx, ".entry _Z4tileILi32ELi16EEvPKfPfi("));
  CHECK(contains(kernel.ptx, "my kernel.cu"));
  CHECK(contains(kernel.ptx, ".loc"));
  if (is_nvrtc()) CHECK(std::string(kernel.cubin.data(), 4) == "\177ELF");
  CHECK(kernel.cubin.empty() == !is_nvrtc());
  CHECK(kernel.resources.static_shared_bytes == 32 * 16 * 4);
  CHECK((kernel.resources.registers_per_thread > 0) == is_nvrtc());
  CHECK(kernel.resources.registers_per_thread <= 255);
  CHECK(kernel.resources.local_bytes_per_thread == 0);
  CHECK(kernel.compiler == compiler_status().name);
  CHECK(kernel.log.empty());
  CHECK_FALSE(kernel.from_cache);
  REQUIRE(kernel.kernels.size() == 3);
  CHECK(kernel.kernels.at(kernel.lowered_name) == kernel.resources);
  CHECK(kernel.kernels.at("plain").static_shared_bytes == 0);

  const CompiledKernel other = compile_without_cache(request_for(two_kernels, "&tile<8,64>"));
  CHECK(other.lowered_name == "_Z4tileILi8ELi64EEvPKfPfi");
}

TEST_CASE("an extern \"C\" kernel and one in a namespace are named as the file does") {
  SKIP_WITHOUT_COMPILER();
  CHECK(compile_without_cache(request_for(two_kernels, "plain")).lowered_name == "plain");
  CHECK(compile_without_cache(request_for(two_kernels, "ns::inside")).lowered_name ==
        "_ZN2ns6insideEPf");
}

TEST_CASE(
    "without a name expression every plain kernel is compiled, and an only one is the file's") {
  SKIP_WITHOUT_COMPILER();
  const CompiledKernel both = compile_without_cache(request_for(two_kernels));
  CHECK(both.lowered_name.empty());
  CHECK(both.kernels.size() == 2);
  CHECK(both.resources == KernelResources{});

  const CompiledKernel one =
      compile_without_cache(request_for("__global__ void one(float* C) { C[threadIdx.x] = 1; }"));
  CHECK(one.lowered_name == "_Z3onePf");
  CHECK((one.resources.registers_per_thread > 0) == is_nvrtc());

  CHECK(compile_without_cache(request_for("")).kernels.empty());
}

TEST_CASE("four floats that are assigned from memory to memory are one load and one store") {
  SKIP_WITHOUT_COMPILER();
  const CompiledKernel copied = compile_without_cache(
      request_for("union Four { float4 all; float one[4]; };\n"
                  "__global__ void copy(const float* A, float* C) {\n"
                  "  __shared__ float tile[32][4];\n"
                  "  float4& to = *reinterpret_cast<float4*>(tile[threadIdx.x]);\n"
                  "  to = *reinterpret_cast<const float4*>(&A[threadIdx.x * 4]);\n"
                  "  Four four;\n"
                  "  four.all = *reinterpret_cast<const float4*>(tile[threadIdx.x ^ 1]);\n"
                  "  C[threadIdx.x] = four.one[0] + four.one[3];\n"
                  "}\n"));
  const auto times = [&](std::string_view part) {
    int count = 0;
    for (std::size_t at = copied.ptx.find(part); at != std::string::npos;
         at = copied.ptx.find(part, at + 1))
      ++count;
    return count;
  };
  CHECK(times("ld.global.") + times("ld.global.nc.") <= 2);
  CHECK(times("ld.global.v4") + times("ld.global.nc.v4") == 1);
  CHECK(times("st.shared.v4") == 1);
  const std::string of_union =
      compile_without_cache(request_for("union Four { float4 all; float one[4]; };\n"
                                        "__global__ void copy(const Four* A, Four* C) {\n"
                                        "  Four four = A[threadIdx.x];\n"
                                        "  C[threadIdx.x] = four;\n"
                                        "}\n"))
          .ptx;
  CHECK(of_union.find(".entry") != std::string::npos);
}

TEST_CASE("a local array that is indexed at run time is counted as local memory") {
  SKIP_WITHOUT_COMPILER();
  if (!is_nvrtc()) SKIP_BECAUSE("only NVIDIA's assembler reports local memory");
  const CompiledKernel kernel = compile_without_cache(
      request_for("__global__ void k(float* C, int n) {\n"
                  "  float x[200];\n"
                  "  for (int i = 0; i < 200; i++) x[i] = C[i];\n"
                  "  for (int i = 0; i < n; i++) x[(i * 7) % 200] += x[(i * i) % 200];\n"
                  "  C[0] = x[n];\n"
                  "}\n"));
  CHECK(kernel.resources.local_bytes_per_thread == 800);
}

TEST_CASE("warnings are passed on with the user's file and line, and nothing else is") {
  SKIP_WITHOUT_COMPILER();
  const CompiledKernel kernel = compile_without_cache(
      request_for("__global__ void k(float* C) {\n  int unused;\n  C[0] = 1;\n}\n"));
  CHECK(kernel.log.rfind("my kernel.cu(2): warning", 0) == 0);
  CHECK(contains(kernel.log, is_nvrtc() ? "\"unused\"" : "'unused'"));
  CHECK_FALSE(contains(kernel.log, "ptxas"));
  CHECK_FALSE(contains(kernel.log, "Remark"));
}

TEST_CASE("useful warnings are kept in the cache") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory cache;
  const CompileRequest request = request_for(
      "__device__ float f(float x) { x += 1; }\n"
      "template <int n> __device__ float g(float x) { if (x > n) return x; }\n"
      "template <int n> __global__ void k(float* C) {\n"
      "  float sum;\n"
      "  const unsigned i = threadIdx.x;\n"
      "  int unused, set = 3;\n"
      "  if (i >= 0) sum += f(1);\n"
      "  C[i] = sum + g<n>(2);\n"
      "}\n",
      "k<4>");
  std::vector<CompilerWarning> first;
  for (const bool from_cache : {false, true}) {
    const CompiledKernel kernel = compile(request, cache.path());
    CHECK(kernel.from_cache == from_cache);
    INFO(kernel.log);
    std::vector<int> lines;
    for (const CompilerWarning& warning : kernel.warnings) {
      lines.push_back(warning.line);
      CHECK(contains(warning.text, warning.message));
      CHECK(contains(warning.text, "^"));
    }
    for (const int line : {1, 2, 7}) CHECK(std::ranges::count(lines, line) > 0);
    CHECK(std::ranges::count(lines, 6) == 0);  // what is unused
    if (from_cache) CHECK(kernel.warnings == first);
    first = kernel.warnings;
  }
}

TEST_CASE("warnings about a header are left out") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory folder;
  write_file_atomically(folder.path() / "f.cuh", "__device__ float f(float x) { x += 1; }\n");
  CompileRequest request =
      request_for("#include \"f.cuh\"\n__global__ void k(float* C) { C[0] = f(1); }\n", "k");
  request.include_directories = {folder.path().string()};
  const CompiledKernel kernel = compile_without_cache(request);
  CHECK_FALSE(kernel.log.empty());
  CHECK(kernel.warnings.empty());
}

TEST_CASE("a compile error shows the user's file, the line and the compiler's message") {
  SKIP_WITHOUT_COMPILER();
  const Failure failure = failure_of(
      request_for("__global__ void k(float* C) {\n  int unused;\n  C[0] = nope;\n  foo();\n}\n"));
  CHECK(failure.status == ExitStatus::compile_error);
  CHECK(failure.message == (is_nvrtc()
                                ? "my kernel.cu does not compile\n"
                                  "my kernel.cu(3): error: identifier \"nope\" is undefined\n"
                                  "    C[0] = nope;\n"
                                  "           ^\n"
                                  "my kernel.cu(4): error: identifier \"foo\" is undefined\n"
                                  "    foo();\n"
                                  "    ^"
                                : "my kernel.cu does not compile\n"
                                  "my kernel.cu(3): error: use of undeclared identifier 'nope'\n"
                                  "    C[0] = nope;\n"
                                  "           ^\n"
                                  "my kernel.cu(4): error: use of undeclared identifier 'foo'\n"
                                  "    foo();\n"
                                  "    ^"));
  CHECK(contains(failure.help, "Correct the file"));
}

TEST_CASE("an error in a template, a missing header and #error are compile errors") {
  SKIP_WITHOUT_COMPILER();
  const Failure assertion = failure_of(request_for(
      "template <int N>\n__global__ void k(float* C) {\n  static_assert(N == 3, \"N is 3\");\n}\n",
      "k<4>"));
  CHECK(assertion.status == ExitStatus::compile_error);
  CHECK(contains(assertion.message, "my kernel.cu(3): error: static"));
  CHECK(contains(assertion.message, is_nvrtc() ? "N=4" : "'4 == 3'"));

  for (const char* directive : {"#include \"missing.h\"", "#include <missing.h>"}) {
    const Failure missing = failure_of(request_for(std::string("\n") + directive + "\n"));
    CHECK(missing.status == ExitStatus::compile_error);
    CHECK(contains(missing.message, is_nvrtc() ? "my kernel.cu(2): catastrophic error"
                                               : "my kernel.cu(2): fatal error"));
    CHECK(contains(missing.message, "missing.h"));
    CHECK_FALSE(contains(missing.message, "detected in the compilation"));
    CHECK_FALSE(contains(missing.message, "terminated"));
  }
  CHECK(contains(failure_of(request_for("#error stop here\n")).message, "stop here"));
}

TEST_CASE("of many errors the first ten are shown, and how many more there are") {
  SKIP_WITHOUT_COMPILER();
  std::string source = "__global__ void k(float* C) {\n";
  for (int i = 1; i <= 15; ++i) source += fmt::format("  C[{0}] = missing_{0};\n", i);
  const std::string message = failure_of(request_for(source + "}\n")).message;
  CHECK(contains(message, "missing_10"));
  CHECK_FALSE(contains(message, "missing_11"));
  CHECK(message.ends_with("\n… and 5 more"));
}

TEST_CASE("host code is left out, in kernels it is an error that says so") {
  SKIP_WITHOUT_COMPILER();
  const std::string kernel = "__global__ void k(float* C) { C[0] = 1; }\n";
  const CompiledKernel compiled = compile_without_cache(
      request_for("#include <iostream>\n#include <vector>\nusing namespace std;\n" + kernel +
                  "int main() { std::vector<float> a; k<<<1, 1>>>(a.data()); cout << 1; }\n"));
  CHECK(compiled.lowered_name == "_Z1kPf");

  CHECK(compile_without_cache(request_for("std::vector<float> a;\n" + kernel)).lowered_name ==
        "_Z1kPf");
  const Failure failure =
      failure_of(request_for("__global__ void k(float* C) { std::vector<float> a; }\n"));
  CHECK(failure.status == ExitStatus::compile_error);
  CHECK(contains(failure.message, "my kernel.cu(1): error"));
  CHECK(contains(failure.help, "host code"));

  const Failure call = failure_of(
      request_for("float one() { return 1; }\n__global__ void k(float* C) { C[0] = one(); }\n"));
  CHECK(contains(call.message, is_nvrtc() ? "identifier \"one\" is undefined"
                                          : "use of undeclared identifier 'one'"));
  CHECK(contains(call.help, "functions without __device__ or __global__ are left out"));
}

TEST_CASE("headers of the C and C++ libraries, and the toolkit's own, may be included together") {
  SKIP_WITHOUT_COMPILER();
  std::string source;
  if (is_nvrtc()) {
    for (const char* header : {"mma.h", "cooperative_groups.h", "cooperative_groups/reduce.h",
                               "cooperative_groups/scan.h", "cooperative_groups/memcpy_async.h",
                               "cuda/atomic", "cuda/pipeline"}) {
      source += fmt::format("#include <{}>\n", header);
    }
  }
  for (const char* header : {"cuda_pipeline.h",
                             "cuda_pipeline_primitives.h",
                             "cuda/barrier",
                             "cuda_fp16.h",
                             "cuda_bf16.h",
                             "cuda_runtime.h",
                             "device_launch_parameters.h",
                             "cublas_v2.h",
                             "stdio.h",
                             "cstdio",
                             "stdlib.h",
                             "math.h",
                             "cmath",
                             "assert.h",
                             "iostream",
                             "vector",
                             "algorithm",
                             "cstdint",
                             "stdint.h",
                             "sys/types.h",
                             "climits",
                             "cfloat"}) {
    source += fmt::format("#include <{}>\n", header);
  }
  source +=
      "__global__ void k(float* C, int32_t n) {\n"
      "  C[n] = fmaxf(FLT_MAX, INT_MAX) + std::sqrt(C[0]) + std::min(n, 3) + "
      "std::isnan(C[1]);\n}\n";
  CHECK(compile_without_cache(request_for(source)).kernels.size() == 1);
}

TEST_CASE("what is neither a host function nor a kernel stays") {
  SKIP_WITHOUT_COMPILER();
  const char* source =
      "constexpr int twice(int n) { return 2 * n; }\n"
      "struct Pair { int a, b; int sum() const { return a + b; } };\n"
      "float unused;\n"
      "__global__ void k(float* C) { __shared__ float s[twice(4)]; s[threadIdx.x] = 1; "
      "__syncthreads(); C[0] = s[twice(1)]; }\n";
  CHECK(compile_without_cache(request_for(source)).resources.static_shared_bytes == 32);
}

TEST_CASE("what the assembler refuses is a compile error with its reason") {
  SKIP_WITHOUT_COMPILER();
  const char* big =
      "template <int N> __global__ void k(float* C) {\n"
      "  __shared__ float s[N];\n"
      "  s[threadIdx.x] = 1; __syncthreads(); C[0] = s[N - 1];\n}\n";
  CHECK(compile_without_cache(request_for(big, "k<12288>")).resources.static_shared_bytes == 49152);
  const Failure shared = failure_of(request_for(big, "k<16384>"));
  CHECK(shared.status == ExitStatus::compile_error);
  CHECK(contains(shared.message,
                 "k<16384> declares 65,536 bytes of shared memory, more than the 49,152 "));
  CHECK(contains(shared.help, "extern __shared__"));
  CHECK(contains(shared.help, "--shared 65536"));
  CHECK(contains(failure_of(request_for("__global__ void one_too_many(float* C) {\n"
                                        "  __shared__ float s[12289];\n  s[threadIdx.x] = 1;\n"
                                        "  __syncthreads();\n  C[0] = s[1];\n}\n"))
                     .message,
                 "\none_too_many declares 49,156 bytes of shared memory"));

  if (!is_nvrtc()) return;  // only NVRTC's assembler checks inline assembly
  const Failure assembly =
      failure_of(request_for("__global__ void k(float* C) { asm(\"bogus;\"); }"));
  CHECK(assembly.status == ExitStatus::compile_error);
  CHECK(contains(assembly.message, "bogus"));
}

TEST_CASE("a kernel for newer GPUs is said to need one, in one line") {
  SKIP_WITHOUT_COMPILER();
  CompileRequest request = request_for(
      "__global__ void k(float* C) { asm volatile(\"cp.async.commit_group;\"); C[0] = 1; }");
  request.architecture = "sm_75";
  request.gpu = "NVIDIA T4";
  const Failure older = failure_of(request);
  CHECK(older.status == ExitStatus::usage);
  CHECK(older.message ==
        "my kernel.cu needs a GPU of compute capability 8.0 or newer, and the NVIDIA T4 is older");
  CHECK(contains(older.help, "--gpu a100"));
  request.architecture = "sm_80";
  CHECK(compile_without_cache(request).kernels.size() == 1);
}

TEST_CASE("a file is of C++20 if it has that standard's keywords, not only their names") {
  for (const char* text :
       {"template <class T> requires Number<T> void f(T);\n",
        "template <class T> void f(T) noexcept requires (sizeof(T) == 4);\n",
        "template <class T> concept Number = sizeof(T) == 4;\n",
        "constexpr bool is = requires(int a) { a + a; };\n", "constinit int a = 1;\n",
        "template <class T> bool f() { return requires { T(); }; }\n"}) {
    INFO(text);
    CHECK(standard_option(request_for(text)) == "-std=c++20");
  }
  for (const char* text :
       {"int requires = 1, concept = 2;\nint f() { return requires > concept; }\n",
        "struct requires { int concept; };\nint f(requires& a) { return a.concept = 1; }\n",
        "int* requires(int a) { return 0; }\nint g() { return requires(1) == 0; }\n",
        "bool h(Node a) { return (a.requires) && a.requires; }  // requires concept A = B\n"}) {
    INFO(text);
    CHECK(standard_option(request_for(text)) == "-std=c++17");
  }
}

TEST_CASE("the types that nvcc's own headers define are there without an include") {
  SKIP_WITHOUT_COMPILER();
  const std::string kernel =
      "__global__ void k(float* C, uint a, ushort b, ulong c) {\n  C[a + b + c] = 1;\n}\n";
  const std::string plain =
      "__global__ void k(float* C, unsigned a, unsigned short b, unsigned long c) {\n"
      "  C[a + b + c] = 1;\n}\n";
  const std::string ptx = compile_without_cache(request_for(kernel)).ptx;
  CHECK(ptx == compile_without_cache(request_for(plain)).ptx);
  CHECK_FALSE(contains(ptx, "gemm_tutor"));
  const std::string of_host =
      "__global__ void k(__int64_t* C, __int8_t a, __int16_t b, __int32_t c) { *C = a + b + c; }\n";
  CHECK(compile_without_cache(request_for(of_host)).lowered_name == "_Z1kPlasi");
  for (const char* before : {"#include <sys/types.h>\n", "typedef unsigned int uint;\n",
                             "using uint = unsigned;\n", "#define uint unsigned int\n"}) {
    INFO(before);
    CHECK(compile_without_cache(request_for(before + kernel)).lowered_name == "_Z1kPfjtm");
  }
  CHECK(contains(failure_of(request_for("\n\n__device__ uint nope() = 0;\n")).message,
                 "my kernel.cu(3): "));
}

TEST_CASE("an error in a template's instance does not speak of the compiler's own files") {
  SKIP_WITHOUT_COMPILER();
  for (const char* source :
       {"template <int N> struct S { static_assert(N == 3); };\n"
        "template <int N, class T = typename S<N>::missing> __global__ void k(float* C) {}\n",
        "template <int N> constexpr int f() { static_assert(N == 3); return N; }\n"
        "template <int N> __global__ void __launch_bounds__(f<N>()) k(float* C) {}\n"}) {
    const Failure failure = failure_of(request_for(source, "k<4>"));
    CHECK(failure.status == ExitStatus::compile_error);
    CHECK(contains(failure.message, "my kernel.cu(1): error: static"));
    CHECK(contains(failure.message, is_nvrtc() ? "N=4" : "'4 == 3'"));
    CHECK_FALSE(contains(failure.message, "__nv_name_map"));
  }
}

TEST_CASE("a file that is not text is not compiled up to its first zero byte") {
  SKIP_WITHOUT_COMPILER();
  const std::string source("__global__ void k(float* C) {}\n\0garbage", 39);
  const Failure failure = failure_of(request_for(source));
  CHECK(failure.status == ExitStatus::compile_error);
  CHECK(contains(failure.message, "not text"));
}

TEST_CASE("a byte that UTF-8 does not have does not end the file") {
  SKIP_WITHOUT_COMPILER();
  for (const std::string comment :
       {"// \xff, as Windows-1251 writes a letter\n", "/* \xe9\xff */ "}) {
    const CompiledKernel kernel =
        compile_without_cache(request_for(comment + two_kernels + comment, "plain"));
    CHECK(kernel.lowered_name == "plain");
  }
}

TEST_CASE("a name that is no kernel of the file is said to be so, with the reason") {
  SKIP_WITHOUT_COMPILER();
  const auto message = [](const char* name) {
    const Failure failure = failure_of(request_for(two_kernels, name));
    CHECK(failure.status == ExitStatus::usage);
    CHECK(contains(failure.help, "kernel<32>"));
    CHECK_FALSE(contains(failure.message, "__nv_name_map"));
    CHECK_FALSE(contains(failure.message, "NVRTC_ERROR"));
    return failure.message;
  };
  CHECK(message("nosuch<32>") ==
        (is_nvrtc()
             ? "'nosuch<32>' names no kernel of my kernel.cu: identifier \"nosuch\" is undefined"
             : "'nosuch<32>' names no kernel of my kernel.cu: use of undeclared identifier "
               "'nosuch'"));
  CHECK(contains(message("tile"), "'tile' names no kernel of my kernel.cu: "));
  CHECK(contains(message("tile<32>"), "'tile<32>' names no kernel"));
  CHECK(contains(message("inside"), is_nvrtc() ? "identifier \"inside\" is undefined"
                                               : "use of undeclared identifier 'inside'"));
  CHECK(contains(message("tile<8, 8>;"), "names no kernel"));
}

// NVRTC 12.4 to 13.0 crashes on these when it also has to find a template's instance.
TEST_CASE("an unknown type before the first pointer of a template is a compile error") {
  SKIP_WITHOUT_COMPILER();
  const std::string rest = " const float* B, float* C, int M, int N, int K) {C[0] = 0;}";
  for (const std::string parameter : {"Float* A,", "flaot *A,", "const Float* A,"}) {
    const Failure failure =
        failure_of(request_for("template<int BM> __global__ void mm(" + parameter + rest, "mm<8>"));
    INFO(parameter << failure.message);
    CHECK(failure.status == ExitStatus::compile_error);
    CHECK(failure.message.find("my kernel.cu(1): error: ") != std::string::npos);
    CHECK(failure.message.find(parameter.starts_with("fl") ? "flaot" : "Float") !=
          std::string::npos);
  }
}

TEST_CASE("a kernel whose __global__ is missing or misspelt is named with its line") {
  SKIP_WITHOUT_COMPILER();
  for (const char* before : {"__globl__ ", "", "__device__ "}) {
    const Failure failure =
        failure_of(request_for("\n" + std::string(before) + "void v(float* C) { C[0] = 1; }", "v"));
    INFO(before << failure.message);
    CHECK(failure.status == ExitStatus::usage);
    CHECK(contains(failure.message, "the function at line 2 has no __global__"));
    CHECK(contains(failure.help, "'__global__ void v(…)'"));
  }
}

TEST_CASE("an error in the file comes before one in the name") {
  SKIP_WITHOUT_COMPILER();
  const Failure failure =
      failure_of(request_for("__global__ void k(float* C) { C[0] = nope; }\n", "nosuch"));
  CHECK(failure.status == ExitStatus::compile_error);
  CHECK(contains(failure.message, is_nvrtc()
                                      ? "my kernel.cu(1): error: identifier \"nope\""
                                      : "my kernel.cu(1): error: use of undeclared identifier"));
}

TEST_CASE("an architecture that the compiler does not know is refused with those that it does") {
  SKIP_WITHOUT_COMPILER();
  for (const char* architecture : {"sm_13", "banana", "", "sm_", "compute_90"}) {
    CompileRequest request = request_for(two_kernels);
    request.architecture = architecture;
    const Failure failure = failure_of(request);
    CHECK(failure.status == ExitStatus::unavailable);
    CHECK(contains(failure.message, std::string("cannot compile for '") + architecture + "'"));
    CHECK(contains(failure.help, "sm_90"));
  }
}

TEST_CASE("the toolkit's headers are found") {
  SKIP_WITHOUT_COMPILER();
  if (!is_nvrtc()) SKIP_BECAUSE("clang is not given the toolkit's headers");
  const CompiledKernel kernel = compile_without_cache(
      request_for("#include <cuda_runtime.h>\n#include <mma.h>\n#include <cuda/pipeline>\n"
                  "__global__ void k(float* C) { C[0] = 1; }\n"));
  CHECK(kernel.lowered_name == "_Z1kPf");
}

TEST_CASE("the learner's own headers are found, and a change in one is seen") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory directory;
  const fs::path cache = directory.path() / "cache";
  for (const char* directive : {"#include \"value.h\"", "#include <value.h>"}) {
    CompileRequest request =
        request_for(std::string(directive) + "\n__global__ void k(float* C) { C[0] = value; }\n");
    request.include_directories = {directory.path().string()};
    write(directory.path() / "value.h", "constexpr float value = 1;\n");
    const CompiledKernel one = compile(request, cache);
    write(directory.path() / "value.h", "constexpr float value = 2;\n");
    const CompiledKernel two = compile(request, cache);
    CHECK(one.ptx != two.ptx);
    CHECK_FALSE(two.from_cache);
  }

  // Beside the file itself, without any include directory.
  CompileRequest request =
      request_for("#include \"value.h\"\n__global__ void k(float* C) { C[0] = value; }\n");
  request.file_name = (directory.path() / "kernel.cu").string();
  const CompiledKernel two = compile(request, cache);
  write(directory.path() / "value.h", "constexpr float value = 3;\n");
  CHECK(compile(request, cache).ptx != two.ptx);
}

TEST_CASE("the second compile comes from the cache and is the same") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory cache;
  const CompileRequest request = request_for(two_kernels, "tile<32, 32>");
  const CompiledKernel first = compile(request, cache.path());
  const CompiledKernel second = compile(request, cache.path());
  CHECK_FALSE(first.from_cache);
  CHECK(second.from_cache);
  CHECK(is_same(first, second));
}

TEST_CASE("whatever changes the result is compiled again") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory cache;
  const CompileRequest base = request_for(two_kernels, "tile<32, 32>");
  compile(base, cache.path());
  std::vector<CompileRequest> others(4, base);
  others[0].source += "\n";
  others[1].file_name = "kernel.cu";
  others[2].architecture = "sm_80";
  others[3].name_expression = "tile<16, 16>";
  for (const CompileRequest& other : others) {
    CHECK_FALSE(compile(other, cache.path()).from_cache);
    CHECK(compile(other, cache.path()).from_cache);
  }
  CHECK(compile(base, cache.path()).from_cache);
}

TEST_CASE("a broken cache entry is rebuilt") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory cache;
  const CompileRequest request = request_for(two_kernels, "plain");
  const CompiledKernel good = compile(request, cache.path());
  const fs::path file = only_file(cache.path());
  const auto size = fs::file_size(file);

  const std::vector<std::function<void()>> damages = {
      [&] { fs::resize_file(file, size / 2); },
      [&] { fs::resize_file(file, 0); },
      [&] { fs::resize_file(file, size + 100); },
      [&] { write(file, "not a cache entry\n"); },
      [&] {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(size / 2));
        stream.put('\x01').put('\x02').put('\x03');
      },
      [&] { fs::remove(file), fs::create_directory(file); },
  };
  for (const auto& damage : damages) {
    damage();
    const CompiledKernel again = compile(request, cache.path());
    CHECK_FALSE(again.from_cache);
    CHECK(is_same(good, again));
    if (fs::is_directory(file)) fs::remove_all(file), compile(request, cache.path());
    CHECK(compile(request, cache.path()).from_cache);
  }
}

TEST_CASE("a file that includes nothing is kept, also where its headers could be") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory cache, headers;
  CompileRequest request = request_for(two_kernels, "plain");
  request.include_directories = {headers.path().string()};
  CHECK_FALSE(compile(request, cache.path()).from_cache);
  CHECK(compile(request, cache.path()).from_cache);
  request.source = "#include <cuda_runtime.h>\n#include \"here.h\"\n" + request.source;
  write(headers.path() / "here.h", "\n");
  for (int i = 0; i < 2; ++i) CHECK_FALSE(compile(request, cache.path()).from_cache);
}

TEST_CASE("a file with included files whose texts are known is kept, until one of them changes") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory cache;
  CompileRequest request = request_for(
      "#include <vector>\n#include \"value.h\"\n__global__ void k(float* C) { C[0] = value; }\n");
  request.included = {{.name = "sub/value.h",
                       .path = "/value.h",
                       .text = "#pragma once\nstd::vector<int> x;\nconstexpr float value = 1;\n",
                       .inclusions = {{0, "value.h"}}}};
  const CompiledKernel one = compile(request, cache.path());
  CHECK_FALSE(one.from_cache);
  CHECK(compile(request, cache.path()).from_cache);
  request.included[0].text = "constexpr float value = 2;\n";
  const CompiledKernel two = compile(request, cache.path());
  CHECK_FALSE(two.from_cache);
  CHECK(one.ptx != two.ptx);
}

TEST_CASE("included files are read like the file itself, and their errors have their own lines") {
  SKIP_WITHOUT_COMPILER();
  CompileRequest request = request_for(
      "#include \"a.cuh\"\n#include \"b.cuh\"\n#include \"a.cuh\"\nint main() { return run(); }\n");
  const auto file = [](std::string name, std::string text,
                       std::vector<IncludedFile::Inclusion> inclusions) {
    return IncludedFile{.name = std::move(name),
                        .path = "/x",
                        .text = std::move(text),
                        .inclusions = std::move(inclusions)};
  };
  request.included = {
      file("common/a.cuh",
           "#pragma once\n#include <torch/extension.h>\n#include <cublas_v2.h>\n"
           "using std::cout;\nvoid check(cublasStatus_t status);\ntorch::Tensor run();\n"
           "template <typename T> void launch(T* C) { cout << C; }\n"
           "template void launch<float>(float*);\n"
           "__device__ float one() { return 1; }\n",
           {{0, "a.cuh"}, {2, "../common/a.cuh"}}),
      file("kernels/b.cuh",
           "#include \"../common/a.cuh\"\n__global__ void k(float* C) {\n  C[0] = one();\n}\n",
           {{0, "b.cuh"}})};
  CHECK(compile_without_cache(request).lowered_name == "_Z1kPf");
  request.included[1].text += "__global__ void l(float* C) {\n  C[0] = nope;\n}\n";
  CHECK(contains(failure_of(request).message, "kernels/b.cuh(6): error: "));
  // Another kernel's errors do not matter.
  request.name_expression = "k";
  CHECK(compile_without_cache(request).lowered_name == "_Z1kPf");
}

TEST_CASE("the help for a missing header is about that header") {
  SKIP_WITHOUT_COMPILER();
  const std::string uses = "__global__ void k(float* C) { C[0] = SIZE; }\n";
  const Failure own = failure_of(request_for("#include \"my_tiles.cuh\"\n" + uses));
  CHECK(own.status == ExitStatus::compile_error);
  CHECK(contains(own.help, "Give the folder that has my_tiles.cuh with -I"));
  const Failure library = failure_of(request_for("#include <cutlass/gemm.h>\n" + uses));
  CHECK(contains(library.help, "cutlass/gemm.h is a header of CUTLASS"));
}

TEST_CASE("a header that is not found is left out with a warning, if the kernel does not need it") {
  SKIP_WITHOUT_COMPILER();
  const CompiledKernel kernel = compile_without_cache(
      request_for("\n#include \"my_tests.h\"\n#include <folly/Benchmark.h>\n"
                  "__global__ void k(float* C) { C[0] = 1; }\nint main() { return test(); }\n"));
  REQUIRE(kernel.warnings.size() == 2);
  CHECK(kernel.warnings[0].line == 2);
  CHECK(kernel.warnings[0].message ==
        "my_tests.h was not found, and the kernel compiles without it");
  CHECK(kernel.warnings[1].line == 3);
}

TEST_CASE("names that nvcc knows in every file are there without an include") {
  SKIP_WITHOUT_COMPILER();
  for (const char* code :
       {"int8_t a = 1; uint32_t b = 2; int64_t c = 3; C[0] = a + b + c;",
        "C[0] = INT_MAX + LLONG_MAX;", "C[0] = M_PI * HUGE_VALF;",
        "C[0] = std::max(C[1], std::sqrt(2.0f)); std::swap(C[1], C[2]);",
        "if (std::is_same_v<int, float>) C[0] = std::numeric_limits<float>::max();",
        "std::size_t n = 4; C[n] = static_cast<std::int32_t>(C[0]);"}) {
    INFO(code);
    const std::string kernel = std::string("__global__ void k(float* C) { ") + code + " }\n";
    for (const char* before : {"",
                               "#include <cstdint>\n#include <climits>\n#include <cmath>\n"
                               "#include <limits>\n#include <type_traits>\n"}) {
      CHECK(compile_without_cache(request_for(before + kernel)).lowered_name == "_Z1kPf");
    }
  }
}

TEST_CASE("a compile error is not kept") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory cache;
  for (int i = 0; i < 2; ++i) {
    CHECK(failure_of(request_for("nonsense"), cache.path()).status == ExitStatus::compile_error);
  }
  CHECK(fs::is_empty(cache.path()));
}

TEST_CASE("a cache directory that cannot be written costs only time") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory directory;
  write(directory.path() / "file", "");
  const CompileRequest request = request_for(two_kernels, "plain");
  for (int i = 0; i < 2; ++i) {
    const CompiledKernel kernel = compile(request, directory.path() / "file" / "cache");
    CHECK(kernel.lowered_name == "plain");
    CHECK_FALSE(kernel.from_cache);
  }
}

TEST_CASE("several threads compile at once, with one cache") {
  SKIP_WITHOUT_COMPILER();
  const TemporaryDirectory cache;
  const CompiledKernel expected = compile_without_cache(request_for(two_kernels, "tile<16, 16>"));
  std::vector<CompiledKernel> kernels(6);
  std::vector<std::thread> threads;
  for (CompiledKernel& kernel : kernels) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) {
        kernel = compile(request_for(two_kernels, "tile<16, 16>"), cache.path());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const CompiledKernel& kernel : kernels) {
    CHECK(is_same(kernel, expected));
    CHECK(kernel.from_cache);
  }
  only_file(cache.path());
}

TEST_CASE("a kernel may be declared before it is defined, beside functions that nothing marks") {
  SKIP_WITHOUT_COMPILER();
  const CompiledKernel kernel =
      compile_without_cache(request_for("__global__ void k(float* C);\n"
                                        "constexpr int one() { return 1; }\n"
                                        "__global__ void k(float* C) { C[0] = one(); }\n"));
  CHECK(kernel.lowered_name == "_Z1kPf");
}

TEST_CASE("what is read behind a barrier is read behind it") {
  SKIP_WITHOUT_COMPILER();
  const std::string ptx =
      compile_without_cache(request_for("extern \"C\" __global__ void k(const float* A, float* C) "
                                        "{\n"
                                        "  __shared__ float first[1];\n"
                                        "  if (threadIdx.x == 0) first[0] = A[0];\n"
                                        "  __syncthreads();\n"
                                        "  C[threadIdx.x] = first[0];\n}\n"))
          .ptx;
  const std::size_t barrier = ptx.find("bar.sync");
  REQUIRE(barrier != std::string::npos);
  CHECK(ptx.find("st.shared") < barrier);
  CHECK(ptx.find("ld.shared") > barrier);
}

TEST_CASE("where nobody assembles, __CUDA_ARCH__ and the PTX are of the GPU that was asked for") {
  SKIP_WITHOUT_COMPILER();
  const std::string ptx =
      compile_without_cache(request_for("__global__ void k(float* C) { C[0] = __CUDA_ARCH__; }\n"))
          .ptx;
  CHECK(contains(ptx, ".target sm_90"));
  CHECK((contains(ptx, "1147207680") || contains(ptx, "0f44610000") ||
         contains(ptx, "0x44610000")));  // 900.0f
}

TEST_CASE("a template's instance may be declared by the file itself") {
  SKIP_WITHOUT_COMPILER();
  const CompiledKernel kernel = compile_without_cache(
      request_for("template <int N> __global__ void k(float* C) { C[N] = 1; }\n"
                  "template __global__ void k<3>(float*);\n"));
  CHECK(kernel.lowered_name == "_Z1kILi3EEvPf");
  const CompiledKernel far = compile_without_cache(
      request_for("template <int N> __global__ void k(float* C) { C[N] = 1; }\ntemplate" +
                  std::string(200'000, '\n') + "__global__ void k<3>(float*);\n"));
  CHECK(far.lowered_name == "_Z1kILi3EEvPf");
}
