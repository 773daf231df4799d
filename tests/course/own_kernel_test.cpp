// Kernels of the user's own: their names, parameters and launches, and what is said of a bad one.
#include <fmt/format.h>

#include "course_checks.hpp"
#include "gpu/gpu.hpp"
#include "run/arguments.hpp"
#include "run/kernel_source.hpp"
#include "simt/check/fault.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

namespace gemm_tutor {
namespace {

using simt::FindingKind;

const Problem uneven{70, 50, 40};

// One thread an element, blocks of 16×16, right for any size.
std::string naive(const std::string& head) {
  return head + R"( {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
)";
}

const std::string usual = "(const float* A, const float* B, float* C, int M, int N, int K)";

KernelSource kernel(const std::string& source, const std::string& entry = "") {
  KernelSource result;
  result.source = source;
  result.file_name = "my kernel.cu";
  result.name_expression = entry;
  result.shape.block = {16, 16};
  result.shape.tile_rows = result.shape.tile_columns = 16;
  return result;
}

KernelRun run(const KernelSource& source, const Problem& problem = uneven) {
  return run_kernel(source, on_emulator(problem));
}

void check_right(const KernelSource& source, const Problem& problem = uneven) {
  const KernelRun emulated = run(source, problem);
  CHECK(emulated.verification.passed);
  CHECK(emulated.verification.elements_checked == problem.c_elements());
  CHECK(emulated.emulation->findings.empty());
}

KernelSource with_roles(const std::string& head, const std::string& roles) {
  KernelSource result = kernel(naive(head));
  result.arguments = parse_arguments(roles);
  return result;
}

struct ParameterList {
  const char* head;
  const char* roles;
};

const ParameterList parameter_lists[] = {
    {"__global__ void k(const float* A, const float* B, float* C, int M, int N, int K)",
     "A,B,C,M,N,K"},
    {"__global__ void k(int M, int N, int K, const float* __restrict__ A, "
     "const float* __restrict__ B, float* __restrict__ C)",
     "M,N,K,A,B,C"},
    {"__global__ void k(float* C, unsigned K, float* B, size_t N, float* A, long long M)",
     "C,K,B,N,A,M"},
    {"__global__ void k(size_t M, size_t N, size_t K, float* A, float* B, float* C)",
     "M,N,K,A,B,C"},
};

simt::Finding finding_of(const KernelRun& found, FindingKind kind) {
  for (const simt::Finding& finding : found.emulation->findings) {
    if (finding.kind() == kind) return finding;
  }
  return {};
}

}  // namespace

TEST_CASE("parameters in any order, sizes of 4 and of 8 bytes") {
  for (const auto& [head, roles] : parameter_lists) {
    INFO(head);
    check_right(with_roles(head, roles));
  }
  CHECK(run(with_roles(parameter_lists[2].head, "C,K,B,N,A,M")).launch->statement ==
        "k<<<dim3(4, 5), dim3(16, 16)>>>(C, K, B, N, A, M)");
}

TEST_CASE("fewer parameters than six, of a kernel for square matrices") {
  KernelSource square = kernel(
      "__global__ void k(const float* A, const float* B, float* C, int n) {\n"
      "  const int M = n, N = n, K = n;\n" +
      naive("").substr(2));
  square.arguments = parse_arguments("A,B,C,N");
  check_right(square, {33, 33, 33});
}

TEST_CASE("on a GPU parameters in any order arrive as well") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  RunOptions options;
  options.problem = uneven;
  options.backend = Backend::gpu;
  for (const auto& [head, roles] : parameter_lists) {
    INFO(head);
    const KernelRun measured = run_kernel(with_roles(head, roles), options);
    CHECK(measured.backend == Backend::gpu);
    CHECK(measured.verification.passed);
    CHECK(measured.timing);
  }
}

TEST_CASE("a kernel with findings is kept from the GPU") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  RunOptions options;
  options.problem = uneven;
  const KernelRun kept =
      run_kernel(kernel("__global__ void k" + usual + " { C[M * N] = A[0] + B[0]; }"), options);
  CHECK(kept.kept_from_gpu);
  CHECK(kept.backend == Backend::emulator);
  CHECK_FALSE(kept.timing);
  CHECK(finding_of(kept, FindingKind::bounds).line == 1);
}

TEST_CASE("kernels by plain name, in a namespace, as a template and without mangling") {
  const std::string plain = naive("__global__ void plain" + usual);
  const std::string unmangled = naive("extern \"C\" __global__ void unmangled" + usual);
  const std::string inside = "namespace ns {\n" + naive("__global__ void inside" + usual) + "}\n";
  const std::string generic =
      "namespace ns {\ntemplate <int unused, typename T>\n" +
      naive("__global__ void generic(const T* A, const T* B, T* C, int M, int N, int K)") + "}\n";
  const std::string all = plain + unmangled + inside + generic;
  for (const char* entry : {"plain", "unmangled", "ns::inside", "ns::generic<4, float>"}) {
    INFO(entry);
    check_right(kernel(all, entry));
    CHECK(run(kernel(all, entry)).name == entry);
  }

  CHECK(run(kernel(plain)).name == "plain");
  CHECK(run(kernel(unmangled)).name == "unmangled");
  CHECK(run(kernel(inside)).name == "ns::inside");
  CHECK(run(kernel("namespace {\n" + plain + "}\n")).name == "plain");
  CHECK(run(kernel(generic + "template __global__ void ns::generic<4, float>" + usual + ";\n"))
            .name == "ns::generic<4, float>");
}

TEST_CASE("a file with the host's code around its kernel") {
  const std::string before =
      "#include <cstdio>\n#include <vector>\n#include <cuda_runtime.h>\n"
      "float random_value() { return rand() / 2.0f; }\n";
  const std::string after =
      "int main() {\n  std::vector<float> a(64);\n  printf(\"%f\\n\", random_value());\n"
      "  k<<<1, 1>>>(nullptr, nullptr, nullptr, 1, 1, 1);\n}\n";
  const KernelSource source = kernel(before + naive("__global__ void k" + usual) + after);
  check_right(source);

  const KernelRun counted = run(source);
  REQUIRE(counted.emulation->lines.size() >= 2);
  for (const simt::LineCounters& line : counted.emulation->lines) {
    CHECK(line.line >= 5);  // where the kernel's head is
    CHECK(line.line <= 11);
    if (line.line != 9) CHECK(line.counters.global_load_requests == 0);
  }
}

TEST_CASE("the grid's x along the rows, and dynamic shared memory") {
  KernelSource along_rows = kernel(R"(
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ float row_of_a[];
  const int row = blockIdx.x;
  for (int k = threadIdx.x; k < K; k += 32) row_of_a[k] = A[row * K + k];
  __syncthreads();
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + column];
  C[row * N + column] = sum;
})");
  along_rows.shape.block = {32};
  along_rows.shape.tile_rows = 1;
  along_rows.shape.tile_columns = 32;
  along_rows.shape.grid_x_along_rows = true;
  along_rows.shape.dynamic_shared = "40 * 4";
  check_right(along_rows);
  CHECK(run(along_rows).launch->statement ==
        "k<<<dim3(70, 2), dim3(32, 1), 160>>>(A, B, C, M, N, K)");

  along_rows.shape.dynamic_shared = "39 * 4";
  CHECK(finding_of(run(along_rows), FindingKind::bounds).line == 5);
}

TEST_CASE("a run of one's own has no lesson, no formula and no recorded time") {
  const KernelRun own = run(kernel(naive("__global__ void k" + usual)));
  static_assert(!std::is_base_of_v<LessonKernel, KernelRun>);
  CHECK_FALSE(own.recorded);
  CHECK(own.traffic.counted_loads == 2 * 70 * 50 * 40);
  CHECK(own.traffic.counted_stores == 70 * 50);
}

TEST_CASE("what is shown of the source: a short file, or the kernel's own lines") {
  const std::string text = naive("__global__ void k" + usual);
  const KernelRun all = run(kernel("// one\n" + text));
  REQUIRE(all.excerpt.size() == 8);
  CHECK(all.excerpt.front().number == 1);
  CHECK(all.excerpt.front().text == "// one");

  const std::string many(50, '\n');
  const KernelRun lines = run(kernel(many + "template <int N_>\n" + text + many, "k<1>"));
  REQUIRE(lines.excerpt.size() == 8);
  CHECK(lines.excerpt.front().number == 51);
  CHECK(lines.excerpt.front().text == "template <int N_>");
  CHECK(lines.excerpt.back().text == "}");
}

TEST_CASE("functions that the kernel calls are shown where something was counted in them") {
  const std::string gap(50, '\n');
  const std::string source = R"(
__device__ float square(float x) {
  return x * x;
}

// What k loads.
template <typename T>
__device__ T load(const T* from) {
  return *from;
}
struct Store {
  __device__ void operator()(float* to, float x) {
    *to = x;
  }
};
)" + gap + R"(
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= N) return;
  float sum = square(0);
  for (int k = 0; k < K; ++k) sum += load(&A[row * K + k]) * load(&B[k * N + column]);
  Store()(&C[row * N + column], sum);
}
)";
  std::vector<int> numbers;
  for (const SourceLine& line : run(kernel(source)).excerpt) numbers.push_back(line.number);
  CHECK(numbers == std::vector{7, 8, 9, 10, 13, 67, 68, 69, 70, 71, 72, 73});
}

TEST_CASE("elements that nothing wrote are drawn: part of a tile, and whole tiles") {
  const std::string head = "__global__ void k" + usual;
  std::string text = naive(head);
  const std::string guard = "column >= N";
  text.replace(text.find(guard), guard.size(),
               "column >= N || threadIdx.x == 3 || threadIdx.y > 13");
  const KernelRun part = run(kernel(text), {64, 64, 8});
  // In each of 16 tiles 2 rows of 16, and an element of each of the other 14.
  CHECK(message(finding_of(part, FindingKind::unwritten)) ==
        "736 of the 4,096 elements of C that were checked were never written");
  CHECK_FALSE(part.verification.passed);
  REQUIRE(part.wrong.unwritten);
  CHECK(part.wrong.unwritten->rows == 1);
  CHECK(part.wrong.unwritten->columns == 1);
  REQUIRE(part.wrong.unwritten->lines.size() == 16);
  CHECK(part.wrong.unwritten->lines.front() == "###.############");
  CHECK(part.wrong.unwritten->lines.back() == "................");

  KernelSource too_few_blocks = kernel(naive(head));
  too_few_blocks.shape.tile_columns = 32;
  const KernelRun whole = run(too_few_blocks, {64, 64, 8});
  REQUIRE(whole.wrong.unwritten);
  CHECK(whole.wrong.unwritten->rows == 4);
  CHECK(whole.wrong.unwritten->columns == 2);
  CHECK(whole.wrong.unwritten->lines ==
        std::vector<std::string>(16, std::string(16, '#') + std::string(16, '.')));
}

TEST_CASE("C is not there to be read, nor A to be written") {
  std::string text = naive("__global__ void k(float* A, float* B, float* C, int M, int N, int K)");
  text.replace(text.find("= sum;"), 6, "+= sum;");
  for (const BlockBudget& blocks : {BlockBudget(AllBlocks{}), BlockBudget(AutomaticBlocks{})}) {
    RunOptions options = on_emulator(uneven);
    options.blocks = blocks;  // the automatic way also runs each block once
    const KernelRun found = run_kernel(kernel(text), options);
    CHECK(finding_of(found, FindingKind::uninitialised).line == 6);
    CHECK(finding_of(found, FindingKind::uninitialised).count == 70 * 50);
    CHECK(found.emulation->total.ffma == 70 * 50 * 40);
  }
  text.replace(text.find("+= sum;"), 7, "= sum; A[0] = 1;");
  CHECK(contains(message(finding_of(run(kernel(text)), FindingKind::bounds)),
                 "A[0][0], which is an input"));
}

TEST_CASE("blocks that take the tiles in an order of their own are verified where they wrote") {
  std::string text = naive("__global__ void k" + usual);
  const std::string order = "blockIdx.y * 16";
  text.replace(text.find(order), order.size(), "(gridDim.y - 1 - blockIdx.y) * 16");
  RunOptions options = on_emulator({256, 256, 8});
  options.blocks = 20;
  const KernelRun sampled = run_kernel(kernel(text), options);
  CHECK_FALSE(sampled.emulation->exact);
  CHECK(sampled.verification.passed);
  CHECK(sampled.emulation->findings.empty());
  CHECK(sampled.verification.elements_checked ==
        static_cast<std::int64_t>(sampled.emulation->blocks_emulated) * 16 * 16);

  // One that leaves a tile out is not taken for one of those.
  const std::string guard = "row >= M";
  text.replace(text.find(guard), guard.size(), "blockIdx.x == 0 || row >= M");
  CHECK(finding_of(run_kernel(kernel(text), options), FindingKind::unwritten).count == 1);
}

TEST_CASE("without the checks, only what no run survives is found, and a budget for loops") {
  const std::string reads_c =
      "__global__ void k" + usual + " { C[threadIdx.x + N * threadIdx.y] += 1; }";
  KernelSource source = kernel(reads_c);
  RunOptions options = on_emulator({16, 16, 16});
  CHECK(finding_of(run_kernel(source, options), FindingKind::uninitialised).line == 1);
  options.check = false;
  CHECK(run_kernel(source, options).emulation->findings.empty());

  source.source = "__global__ void k" + usual + " { while (A[0] < 2) C[0] = A[1]; }";
  options.max_instructions = 1000;
  CHECK(finding_of(run_kernel(source, options), FindingKind::endless).fault->instructions == 1000);
}

TEST_CASE("the budget for loops grows with the problem", "[long]") {
  KernelSource source = kernel("__global__ void k" + usual + " { while (A[0] < 2) C[0] = A[1]; }");
  source.shape.block = {1, 1};
  source.shape.tile_rows = source.shape.tile_columns = 1;
  const KernelRun run = run_kernel(source, on_emulator({1, 1, 100'000}));
  CHECK(finding_of(run, FindingKind::endless).fault->instructions == 60'000'000);
}

TEST_CASE("files without a kernel, with several, and with templates alone") {
  const auto error = [](const std::string& source, const std::string& entry = "") {
    return error_of([&] { run(kernel(source, entry)); });
  };
  const std::string one = "__global__ void one(float* C) {}\n";
  const std::string two = "__global__ void two(float* C) {}\n";
  const std::string tile =
      "namespace ns { template <int BM, class T> __global__ void tile(T* C) {} }\n";

  const Error none = error("int x;\nint main() { return 0; }\n");
  CHECK(none.status() == ExitStatus::usage);
  CHECK(std::string(none.what()) == "'my kernel.cu' has no kernel");

  const Error both = error(one + two);
  CHECK(both.status() == ExitStatus::usage);
  CHECK(std::string(both.what()) == "'my kernel.cu' has 2 kernels: one; two");
  CHECK(contains(both.help(), "--entry"));
  CHECK(std::string(error(one + tile).what()) ==
        "'my kernel.cu' has 2 kernels: one; ns::tile<32, float>");

  const Error alone = error(tile);
  CHECK(std::string(alone.what()) == "the kernel of 'my kernel.cu' is a template");
  CHECK(contains(alone.help(), "--entry 'ns::tile<32, float>'"));

  // The arguments of a launch or defaults, where the file has them.
  const std::string launched =
      "template <int BM, int BK = 8> __global__ void of(float* C) {}\n"
      "void go(float* C) { of<64><<<1, 1>>>(C); }\n";
  CHECK(std::string(
            error(one + "template <int BM = 16> __global__ void other(float* C) {}\n" + launched)
                .what()) == "'my kernel.cu' has 3 kernels: one; other<16>; of<64, 8>");

  const Error wrong = error(one + two + tile, "on");
  CHECK(wrong.status() == ExitStatus::usage);
  CHECK(contains(wrong.what(), "'on' names no kernel of my kernel.cu"));
  CHECK(contains(wrong.help(), "Did you mean --entry 'one'?"));
  CHECK(contains(wrong.help(), "one; two; ns::tile<32, float>"));

  CHECK(contains(error(one + tile, "ns::tile").help(), "such as --entry 'ns::tile<32, float>'"));
  CHECK(contains(error(one + "__device__ void f() {}", "f").what(), "'f' names no kernel"));
}

TEST_CASE("parameters that do not fit") {
  const auto error = [](const std::string& parameters, const std::string& roles) {
    KernelSource source =
        kernel("struct Wide { int a[4]; };\n__global__ void k" + parameters + " {}");
    source.arguments = parse_arguments(roles);
    const Error failure = error_of([&] { run(source); });
    CHECK(failure.status() == ExitStatus::usage);
    CHECK(contains(failure.help(), "--args"));
    return std::string(failure.what());
  };
  CHECK(error("(float* A, float* C)", "A,B,C,M,N,K") ==
        "k has 2 parameters, not the 6 of A, B, C, M, N, K");
  CHECK(error("()", "C") == "k has 0 parameters, not the 1 of C");
  CHECK(error("(int M, float* C)", "C,M") == "parameter 1 of k has 4 bytes, which C does not fit");
  CHECK(error("(float* C, Wide w)", "C,M") ==
        "parameter 2 of k has 16 bytes, which M does not fit");
  CHECK(error("(float* C, short m)", "C,M") ==
        "parameter 2 of k has 2 bytes, which M does not fit");
}

TEST_CASE("parameters whose type does not fit what they are given") {
  const auto error = [](const std::string& parameters, const std::string& arguments) {
    KernelSource source = kernel("__global__ void k" + parameters + " {}");
    source.arguments = parse_arguments(arguments);
    const Error failure = error_of([&] { run(source); });
    CHECK(failure.status() == ExitStatus::usage);
    return std::string(failure.what()) + " / " + failure.help();
  };
  CHECK(error("(float* C, float alpha, int n)", "C,M,N") ==
        "parameter 2 of k is of type 'float', which M does not fit / Give a number for what is "
        "not A, B, C, M, N or K, as in --args C,1.0,N.");
  CHECK(contains(error("(float* C, double x)", "C,M"), "is of type 'double', which M"));
  CHECK(contains(error("(float* C, float* B)", "C,N"), "is of type 'float*', which N"));
  CHECK(contains(error("(float* C, size_t n)", "C,A"), "is of type 'unsigned long', which A"));
  CHECK(error("(const short* A, float* C)", "A,C") ==
        "parameter 1 of k is of type 'const short*', which A does not fit / A and B can be of "
        "float, double, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2, signed or unsigned "
        "char, and C of float, double, __half, __nv_bfloat16 or int.");
  CHECK(contains(error("(float* C, int* A)", "C,A"), "'int*', which A"));
  for (const char* number : {"1.5", "3000000000", "-3000000000", "99999999999999999999"}) {
    CHECK(contains(error("(float* C, int n)", fmt::format("C,{}", number)),
                   fmt::format("'int', which {} does not fit", number)));
  }
  CHECK(contains(error("(float* C, unsigned n)", "C,-1"), "'unsigned int', which -1"));
  CHECK(contains(error("(float* C, float x)", "C,1e39"), "'float', which 1e39"));
  CHECK(contains(error("(float* C, float* B)", "C,1.0"), "'float*', which 1.0"));

  KernelSource unmangled = kernel("extern \"C\" __global__ void k(float* C, float alpha) {}");
  unmangled.arguments = parse_arguments("C,M");
  CHECK(contains(error_of([&] { run(unmangled); }).what(), "'float', which M does not fit"));
}

TEST_CASE("numbers arrive as their parameters take them") {
  const std::string head =
      "__global__ void k(float scale, const float* A, const float* B, double shift, float* C, int "
      "M, "
      "int N, int K, short tiny, long long wide, unsigned high, bool yes)";
  std::string text = naive(head);
  text.replace(text.find("= sum;"), 6,
               "= scale * sum + (shift == -0.25 && tiny == -2 && wide == -5000000000 && "
               "high == 4000000000u && yes ? 0 : 1e3f);");
  KernelSource source = kernel(text);
  source.arguments = parse_arguments("1,A,B,-0.25,C,M,N,K,-2,-5000000000,4000000000,1");
  check_right(source);
  CHECK(contains(run(source).launch->statement, ">>>(1, A, B, -0.25, C, M, N, K, -2, -5000000000"));

  if (!gpu::status().available) return;
  RunOptions options;
  options.problem = uneven;
  options.backend = Backend::gpu;
  CHECK(run_kernel(source, options).verification.passed);
}

TEST_CASE("lists of what the parameters are") {
  const auto text = [](const char* list) { return text_of(parse_arguments(list)); };
  CHECK(text("A,B,C,M,N,K") == "A, B, C, M, N, K");
  CHECK(text("C") == "C");
  CHECK(text("A,B,C,M,N,K,K,N,N") == "A, B, C, M, N, K, K, N, N");  // strides
  CHECK(text(" A, B , C,\tM") == "A, B, C, M");
  CHECK(text("M,N,K,1.0,A,B,-1e-3,C") == "M, N, K, 1.0, A, B, -1e-3, C");
  CHECK(text("M,N,K,alpha,A,B,beta,C") == "M, N, K, alpha, A, B, beta, C");
  for (const char* bad : {"", ",", "A,B", "A,B,C,", "A,A,C", "a,b,c", "A,B,C,X", "A B C", "ABC",
                          "C,nan", "C,inf", "C,1.0f", "C,0x10", "1"}) {
    INFO(bad);
    const Error error = error_of([&] { parse_arguments(bad); });
    CHECK(error.status() == ExitStatus::usage);
    CHECK(contains(error.what(), fmt::format("--args '{}'", bad)));
    CHECK(contains(error.help(), "A, B, C, M, N, K"));
  }
  CHECK(contains(error_of([] { parse_arguments("a,b,c"); }).help(), "capitals"));
  CHECK(contains(error_of([] { parse_arguments("A,B,C,gamma"); }).help(), "1.0"));
}

TEST_CASE("a launch that the kernel's own text forbids") {
  const auto message = [](const KernelSource& source) {
    const Error error = error_of([&] { run(source); });
    CHECK(error.status() == ExitStatus::usage);
    return std::string(error.what());
  };
  const std::string bounded = naive("__global__ void __launch_bounds__(128) k" + usual);
  CHECK(message(kernel(bounded)) ==
        "the __launch_bounds__ of k allow 128 threads per block, not 256");
  check_right(kernel(naive("__global__ void __launch_bounds__(256) k" + usual)));

  std::string dynamic = naive("extern __shared__ float s[];\n__global__ void k" + usual);
  check_right(kernel(dynamic));  // which it does not use
  dynamic.replace(dynamic.find("= sum;"), 6, "= s[threadIdx.x] = sum;");
  CHECK(message(kernel(dynamic)) ==
        "k uses extern __shared__ memory, and its launch gives it none");
}

TEST_CASE("several kernels are listed in the order of the file, whatever the message") {
  const std::string source =
      "__global__ void zebra(float* C) {}\ntemplate <int N> __global__ void middle(float* C) {}\n"
      "__global__ void ant(float* C) {}\n";
  const std::string order = "zebra; middle<32>; ant";
  CHECK(contains(error_of([&] { run(kernel(source)); }).what(), "3 kernels: " + order));
  CHECK(contains(error_of([&] { run(kernel(source, "nosuch")); }).help(), order));
}

TEST_CASE("a kernel's file is read with what it includes") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "a kernel.cu";
  REQUIRE(write_file_atomically(directory.path() / "width.h", "constexpr int width = 16;\n"));
  REQUIRE(write_file_atomically(path, "#include \"width.h\"\nstatic_assert(width == 16);\n" +
                                          naive("__global__ void k" + usual)));
  KernelSource source = read_kernel_file(path);
  source.shape = kernel("").shape;
  check_right(source);
  CHECK(run(source).source.file_name == path.string());
  CHECK_FALSE(run(source).emulation->lines.empty());
}

// By chance the "32" of a template's argument is how many characters follow it in "…Li32E…6b_tile".
TEST_CASE("a template's shared arrays are called by their own names") {
  std::string source = find_lesson("3").source;
  const std::string barrier = "__syncthreads();  // the tiles are full";
  source.erase(source.find(barrier), barrier.size());
  KernelSource racing = kernel(source, "shared_memory_tile<32, 32, 32>");
  racing.shape.block = {32, 32};
  racing.shape.tile_rows = racing.shape.tile_columns = 32;
  const simt::Finding race = finding_of(run(racing, {32, 32, 64}), FindingKind::race);
  INFO(message(race));
  CHECK(race.array == "b_tile");
}

}  // namespace gemm_tutor
