#include "source/definitions.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace gemm_tutor::source;

namespace {

std::vector<std::string> names(std::string_view source) {
  std::vector<std::string> result;
  for (const Function& function : File(source).functions) result.push_back(function.name);
  return result;
}

using Names = std::vector<std::string>;

TEST_CASE("C linkage of kernels is left out, and that of other functions stays") {
  const std::string of_function = "extern \"C\" __device__ float helper(float);\n";
  const std::string text = of_function +
                           "extern \"C\" __global__ void a(float* C) { C[0] = 1; }\n"
                           "extern \"C\" {\n__global__ void b(float* C) {}\n}\n"
                           "extern \"C\" { __device__ int f(); __global__ void c(float* C); }\n";
  const std::string result = without_c_linkage(text);
  CHECK(result == of_function +
                      "           __global__ void a(float* C) { C[0] = 1; }\n"
                      "            \n__global__ void b(float* C) {}\n \n"
                      "extern \"C\" { __device__ int f(); __global__ void c(float* C); }\n");
  CHECK(without_c_linkage("int x; // extern \"C\"") == "int x; // extern \"C\"");
  CHECK(without_c_linkage("extern \"C\"") == "extern \"C\"");
}

}  // namespace

TEST_CASE("kernels are found by name, in namespaces and with their template's parameters") {
  const File file(R"(
#include <cstdio>
__global__ void plain(float* C) { if (C) { C[0] = 1; } }
extern "C" __global__ void unmangled(float* C) {}
extern "C" { __global__ void unmangled_too(float* C) {} }
namespace outer::inner {
namespace {
template <int BM, typename T = float>
__global__ void __launch_bounds__(BM * (2 + 2)) tile(T* C) {}
}
}
)");
  const std::vector<Function>& found = file.functions;
  REQUIRE(found.size() == 4);
  CHECK(found[0].name == "plain");
  CHECK(found[0].template_parameters == "");
  CHECK(found[1].name == "unmangled");
  CHECK(found[2].name == "unmangled_too");
  CHECK(found[3].name == "outer::inner::tile");
  CHECK(found[3].template_parameters == "int BM, typename T = float");
  for (const Function& function : found) {
    CHECK(function.is_kernel);
    CHECK_FALSE(function.is_host);
  }
}

TEST_CASE("a function's text reaches from its first word to its closing brace") {
  const std::string source =
      "int a;\n// of two\ntemplate <int N>\n__global__ void k() { {} }\nint b;";
  const File file(source);
  const std::vector<Function>& found = file.functions;
  REQUIRE(found.size() == 1);
  CHECK(source.substr(found[0].begin, found[0].end - found[0].begin) ==
        "template <int N>\n__global__ void k() { {} }");
}

TEST_CASE("comments, literals and directives define nothing") {
  CHECK(names("// __global__ void a() {}\n/* __global__ void b() {} */\n") == Names{});
  CHECK(names("#define K __global__ void a() \\\n  {}\n__global__ void b() {}") == Names{"b"});
  CHECK(names("const char* s = \"}\\\"{\"; const char c = '{'; const int n = 1'000;\n"
              "__global__ void k() {}") == Names{"k"});
  CHECK(names("const char* s = R\"x( } )\" )x\";\n__global__ void k() {}") == Names{"k"});
  CHECK(names("struct S { void f() {} };\nint a[] = {1};\nauto f = [](int x) { return x; };\n"
              "enum class E { a };\n__global__ void k() {}") == Names{"k"});
}

TEST_CASE("text whose braces do not match defines nothing, and stays as it is") {
  for (const char* source : {"}", "__global__ void k() {", "namespace a {", "void f(", "/*", "\"",
                             "R\"(", "#", "'", "void f() {}}"}) {
    INFO(source);
    CHECK(File(source).functions.empty());
    CHECK(without_host_functions(source) == source);
  }
}

TEST_CASE("functions for the host are left out, and nothing else") {
  const std::string source = R"(#include <vector>
#define DEVICE __device__ __forceinline__
DEVICE float square(float x) { return x * x; }
constexpr int twice(int x) { return 2 * x; }
__host__ __device__ float both(float x) { return x; }
struct Pair { int a, b; int sum() const { return a + b; } };
template <typename T> void fill(std::vector<T>& v) { for (auto& x : v) x = 0; }
__global__ void k(float* C) { C[0] = square(twice(1)); }
)";
  const std::string host = R"(int main() {
  std::vector<float> a(8);  // }
#define SIZE 8
#ifdef SHOW
  puts("} /*");
#endif
#pragma omp parallel
  k<<<1, 1>>>(nullptr);
}
)";
  const std::string result = without_host_functions(source + host + "int after;\n");
  std::string expected = source;
  const std::size_t fill = expected.find("template <typename T> void");
  const std::size_t length = expected.find('\n', fill) - fill;
  expected.replace(fill, length, std::string(length, ' '));
  CHECK(result.substr(0, source.size()) == expected);

  CHECK(result.size() == source.size() + host.size() + 11);
  const std::string rest = result.substr(source.size());
  CHECK(std::count(rest.begin(), rest.end(), '\n') == 10);
  CHECK(rest.find("\n#define SIZE 8\n#ifdef SHOW\n") != rest.npos);
  CHECK(rest.find("\n#endif\n") != rest.npos);
  CHECK(rest.find("pragma") == rest.npos);
  CHECK(rest.find("main") == rest.npos);
  CHECK(rest.find("puts") == rest.npos);
  CHECK(rest.ends_with("\nint after;\n"));
}

TEST_CASE("text that is cut off or has lost a character is read as far as it goes") {
  const std::string source =
      "#define A __device__ \\\n  inline\nnamespace n { /* */ template <int N = 3> __global__ "
      "__launch_bounds__(N) void k(float* C) { const char* s = R\"x(})x\"; s = \"\\\"\"; C[0] = "
      "'a'; } }\n#if 1\nint main() { return 0; }\n#endif\n";
  for (std::size_t at = 0; at < source.size(); ++at) {
    CHECK(without_host_functions(source.substr(0, at)).size() == at);
    CHECK(without_host_functions(source.substr(at)).size() == source.size() - at);
    std::string shorter = source;
    shorter.erase(at, 1);
    CHECK(without_host_functions(shorter).size() == source.size() - 1);
  }
}

TEST_CASE("macros are found with their parameters and their text") {
  const File file(
      "#define BM 64  // rows\n  #  define AT(row, col) ((row) * N + (col)) /* in B */\r\n"
      "#define EMPTY\n#define LONG 1 \\\n + 2\n// #define NO 1\n/*\n#define NO 2\n*/\n"
      "#define NONE() 3\n#undef BM\n#define OPEN(a\n#define");
  const std::vector<Macro>& found = file.macros;
  REQUIRE(found.size() == 4);
  CHECK(found[0].name == "BM");
  CHECK(text_of(found[0].text) == "64");
  CHECK_FALSE(found[0].takes_arguments);
  CHECK(found[1].name == "AT");
  CHECK(found[1].parameters == Names{"row", "col"});
  CHECK(text_of(found[1].text) == "((row) * N + (col))");
  CHECK(found[2].name == "LONG");
  CHECK(text_of(found[2].text) == "1 + 2");
  CHECK(found[3].name == "NONE");
  CHECK(found[3].takes_arguments);
  CHECK(found[3].parameters.empty());
}

TEST_CASE("constants of integer types are found with their text") {
  const auto found = [](std::string_view code) {
    Names result;
    const std::vector<Token> tokens = tokens_of(code);
    for (const Constant& one : constants_in(tokens)) {
      result.push_back(one.name + "=" + text_of(one.value));
    }
    return result;
  };
  CHECK(found("constexpr int BM = 64, BK = max(BM, 8);\nconst unsigned int n=BM*2;") ==
        Names{"BM=64", "BK=max(BM, 8)", "n=BM*2"});
  CHECK(found("static constexpr std::size_t a = 1; const static long b = 2;") ==
        Names{"a=1", "b=2"});
  CHECK(found("void f(const int a, const int b) { const int c = 1; }") == Names{"c=1"});
  CHECK(found("const int lut[] = {1, 2}; constexpr int d = 2;") == Names{"d=2"});
  CHECK(found("const float a = 1; const int* b = c; int e = 1; const int f").empty());
  CHECK(found("constant int a = 1; const integer = 1; const int == 2;").empty());
}

TEST_CASE("parameters have their names and the types of integers") {
  const File file(
      "template <int BM, typename T = float>\n__device__ void f(const float* __restrict__ A, "
      "const unsigned int n, std::size_t m, float (&sum)[BM][4], int = 2, T&& x) {}");
  const Function& f = file.functions.at(0);
  Names found;
  for (const Parameter& one : f.parameters) found.push_back(one.name + (one.type ? "" : "?"));
  CHECK(found == Names{"A?", "n", "m", "sum?", "int?", "x?"});
  CHECK(f.parameters[1].type == IntegerType{32, true});
  CHECK(f.parameters[2].type == IntegerType{64, true});
  CHECK(text_of(f.of_template.at(1).default_value) == "float");
  CHECK(f.first_line == 1);
  CHECK(f.last_line == 2);
}

TEST_CASE("a kernel is found by the name that an instance of it has") {
  const File file("__device__ void f() {}\nnamespace ns { __global__ void k() {} }");
  REQUIRE(file.find_kernel("ns :: k <32, 8>"));
  CHECK(file.find_kernel("ns::k")->first_line == 2);
  CHECK_FALSE(file.find_kernel("k"));
  CHECK_FALSE(file.find_kernel("f"));
}

TEST_CASE("structs are found with the names of their data members") {
  const std::vector<Token> tokens = tokens_of(
      "struct Tile { int row, column; float values[4]; }; struct F { int f() { return 1; } };"
      "struct Matrix { int rows, columns; float* d; __device__ float& at(int r, int c) const {"
      " return d[r * columns + c]; } int depth; };"
      "struct Open { int a");
  const std::vector<Struct> found = structs_in(tokens);
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "Tile");
  CHECK(found[1].members.empty());
  CHECK(found[2].members == Names{"rows", "columns", "d", "depth"});
  CHECK(found[2].bytes == 24);
  CHECK(found[0].members == Names{"row", "column", "values"});
}
