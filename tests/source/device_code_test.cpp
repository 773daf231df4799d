#include "source/device_code.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace gemm_tutor::source;

namespace {

using FileTexts = std::vector<std::string_view>;

std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

// The code that is kept of one file, with single blanks.
std::string kept(std::string_view text, std::string_view entry = "") {
  return squeezed(device_code({text}, entry).front());
}

const std::string kernel = "__global__ void k(float* C) { C[0] = 1; }";

}  // namespace

TEST_CASE("host code of a PyTorch extension is left out") {
  CHECK(kept("using torch::Tensor; using at::Half;\n" + kernel +
             "\ntorch::Tensor multiply(torch::Tensor a) { k<<<1, 1>>>(a.data_ptr<float>()); "
             "return a; }\ntorch::Tensor later(torch::Tensor a);\n"
             "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"multiply\", &multiply); }\n"
             "TORCH_LIBRARY(mine, m) { m.def(\"multiply\", multiply); }\n"
             "static auto registry = torch::RegisterOperators(\"mine::f\", &multiply);\n") ==
        kernel);
}

TEST_CASE("variables, classes and types of the host are left out") {
  for (const char* host :
       {"std::vector<float> data;",
        "cublasHandle_t handle = nullptr;",
        "float A[8] = {1, 2};",
        "static int count = read(\"file\");",
        "const std::string name = \"x\";",
        "extern int n;",
        "using std::cout;",
        "using Matrix = std::vector<float>;",
        "typedef std::vector<int> List;",
        "struct Timer { std::string name; Timer() : name{\"t\"} {} };",
        "class Runner { public: void run() { f(); } private: cudaStream_t stream; };",
        "enum class Mode { slow, fast };",
        "auto print = [](int x) { std::cout << x; };",
        "void f(std::vector<float>& v);",
        "int main() { return 0; }",
        "dim3 block(32, 32);",
        "template void f<float>(const float*, int);",
        "BENCHMARK(f)->Range(1, 8);",
        "template class Runner<float>;",
        "static_assert(std::is_same_v<int, int>);",
        "struct Matrix make(int n) { return {}; }",
        "extern template struct Host<int>;",
        "float Runner::time() const { return 0; }",
        "constexpr const char* names[] = {\"a\"};"}) {
    INFO(host);
    CHECK(kept(host + ("\n" + kernel)) == kernel);
  }
}

TEST_CASE("what kernels need is kept, directly or not") {
  const std::string text = R"(#define TILE (BASE * 2)
constexpr int BASE = 4;
const int unused = host();
enum Layout { row_major, column_major };
struct Shape { static constexpr int n = TILE; int rows; };
using Number = float;
typedef Number Value;
template <typename T> struct Traits;
template <> struct Traits<float> { using type = float4; };
constexpr int half(int x) { return x / 2; }
__constant__ float factors[8];
template <int N> __device__ Value scaled(Value x, Shape s) { return x * half(s.n) * N; }
template <typename T> __global__ void k(T* C, Shape s) {
  typename Traits<T>::type v; if (row_major) C[0] = scaled<3>(factors[0], s);
}
)";
  std::string expected = text;
  const std::size_t unused = expected.find("const int unused");
  expected.erase(unused, expected.find('\n', unused) - unused);
  CHECK(kept(text) == squeezed(expected));
}

TEST_CASE("of a type that kernels need, functions for the host are left out") {
  const std::string result = kept(
      "struct Tile { float* data; int n; Tile(int n) : data{nullptr}, n(n) { allocate(); }\n"
      "  Tile() = default; __host__ __device__ float at(int i) const { return data[i]; }\n"
      "  void print() const; std::string name() { return \"\"; }\n"
      "  static constexpr int size = 8; using List = std::vector<float>;\n"
      "  friend std::ostream& operator<<(std::ostream&, const Tile&); };\n"
      "__global__ void k(Tile t) { t.at(Tile::size); }");
  CHECK(result ==
        "struct Tile { float* data; int n; Tile() = default; __host__ __device__ float at(int i) "
        "const { return data[i]; } static constexpr int size = 8; }; __global__ void k(Tile t) { "
        "t.at(Tile::size); }");
}

TEST_CASE("instances of kernels are kept, those of host templates are left out") {
  const std::string text =
      "template <int N> __global__ void k(float* C) { C[0] = N; }\n"
      "template __global__ void k<4>(float*);\ntemplate void k<8>(float*);\n";
  CHECK(kept(text + "template <typename T> void launch(T* C) { k<4><<<1, 1>>>(C); }\n"
                    "template void launch<float>(float*);\n") == squeezed(text));
}

TEST_CASE("the name of a kernel's instance needs the types in it") {
  const std::string text =
      "struct Small { static constexpr int n = 8; };\nstruct Large { std::string s; };\n"
      "template <typename T> __global__ void k(float* C) { C[0] = T::n; }\n";
  CHECK(kept(text, "k<Small>").find("struct Small { static constexpr int n") == 0);
  CHECK(kept(text, "k<Small>").find("Large") == std::string::npos);
  CHECK(kept(text).find("struct") == std::string::npos);
}

TEST_CASE("for one kernel, other kernels and what they need are left out") {
  const std::string text =
      "struct Half { int x; };\n__device__ float f() { return 1; }\n"
      "__global__ void other(Half* C) { wmma(); }\n__global__ void k(float* C) { C[0] = f(); }\n"
      "template __global__ void other<4>(float*);\n";
  CHECK(squeezed(code_of_kernel({text}, "k").front()) ==
        "__device__ float f() { return 1; } __global__ void k(float* C) { C[0] = f(); }");
}

TEST_CASE("code of one file is kept for another that includes it") {
  const std::vector<std::string> result = device_code(
      FileTexts{"#include \"a.cuh\"\nGLOBAL k(float* C) { C[0] = SIZE + f(); }\n",
                "#define GLOBAL __global__ void\n#define SIZE size\nconstexpr int size = 4;\n"
                "constexpr int other = 5;\nDEVICE float f() { return 1; }\nvoid host() {}\n",
                "#define DEVICE __device__\n"},
      "");
  CHECK(squeezed(result[0]) == "#include \"a.cuh\" GLOBAL k(float* C) { C[0] = SIZE + f(); }");
  CHECK(squeezed(result[1]) ==
        "#define GLOBAL __global__ void #define SIZE size constexpr int size = 4; DEVICE float f() "
        "{ return 1; }");
}

TEST_CASE("namespaces are declared where they are used, since their headers may be left out") {
  CHECK(
      kept("using namespace std;\nnamespace fs = std::filesystem;\nnamespace { " + kernel + "}") ==
      "namespace std {} using namespace std; namespace std::filesystem {} namespace fs = "
      "std::filesystem; namespace { " +
          kernel + "}");
  CHECK(kept("namespace cg = cooperative_groups;\nusing namespace cg;\n") ==
        "namespace cooperative_groups {} namespace cg = cooperative_groups; using namespace cg;");
}

TEST_CASE("lines and directives stay where they are") {
  const std::string text =
      "#include <vector>\nint main() {\n#ifdef SHOW\n  puts(\"x\");\n#endif\n"
      "#include \"table.inc\"\n#pragma omp parallel\n  return 0;\n}\n" +
      kernel + "\n";
  const std::string result = device_code({text}, "").front();
  CHECK(result.size() == text.size());
  CHECK(std::ranges::count(result, '\n') == std::ranges::count(text, '\n'));
  CHECK(result.find(kernel) == text.find(kernel));
  CHECK(squeezed(result) == "#include <vector> #ifdef SHOW #endif " + kernel);
}

TEST_CASE("a file whose braces do not match stays as it is, with all that it needs") {
  const std::string broken = "#if A\nvoid f() {\n#else\nvoid g() {\n#endif\n use(size); }\n";
  const std::vector<std::string> result =
      device_code(FileTexts{broken, "constexpr int size = 4;\nconstexpr int other = 4;\n"}, "");
  CHECK(result[0] == broken);
  CHECK(squeezed(result[1]) == "constexpr int size = 4;");
}

TEST_CASE("text that is cut off is kept, so that the compiler reports it") {
  CHECK(kept(kernel + "\nnonsense") == kernel + " nonsense");
  CHECK(squeezed(code_of_kernel({kernel + "\nint unfinished"}, "k").front()) ==
        kernel + " int unfinished");
}
