#include "compile/cuda_text.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace gemm_tutor;

namespace {

std::vector<std::string> names(std::string_view source) {
  std::vector<std::string> result;
  for (const FunctionText& function : function_texts(source)) result.push_back(function.name);
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("kernels are found by name, in namespaces and with their template's parameters") {
  const std::vector<FunctionText> found = function_texts(R"(
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
  REQUIRE(found.size() == 4);
  CHECK(found[0].name == "plain");
  CHECK(found[0].template_parameters == "");
  CHECK(found[1].name == "unmangled");
  CHECK(found[2].name == "unmangled_too");
  CHECK(found[3].name == "outer::inner::tile");
  CHECK(found[3].template_parameters == "int BM, typename T = float");
  for (const FunctionText& function : found) {
    CHECK(function.is_kernel);
    CHECK_FALSE(function.is_host);
  }
}

TEST_CASE("a function's text reaches from its first word to its closing brace") {
  const std::string source =
      "int a;\n// of two\ntemplate <int N>\n__global__ void k() { {} }\nint b;";
  const std::vector<FunctionText> found = function_texts(source);
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
    CHECK(function_texts(source).empty());
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

TEST_CASE("code alone keeps its place, and what is none becomes blanks") {
  const std::string source = "#define A 1\nint a = 2;  // b\n/* c\n d */ f(\"e\", 'f');\n";
  const std::string code = code_alone(source);
  CHECK(code == "           \nint a = 2;      \n    \n      f(   ,    );\n");
  CHECK(code.size() == source.size());
}

TEST_CASE("macros are found with their parameters and their text") {
  const std::vector<MacroText> found = macro_texts(
      "#define BM 64  // rows\n  #  define AT(row, col) ((row) * N + (col)) /* in B */\r\n"
      "#define EMPTY\n#define LONG 1 \\\n + 2\n// #define NO 1\n/*\n#define NO 2\n*/\n"
      "#define NONE() 3\n#undef BM\n#define OPEN(a\n#define");
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "BM");
  CHECK(found[0].text == "64");
  CHECK_FALSE(found[0].takes_arguments);
  CHECK(found[1].name == "AT");
  CHECK(found[1].parameters == Names{"row", "col"});
  CHECK(found[1].text == "((row) * N + (col))");
  CHECK(found[2].name == "NONE");
  CHECK(found[2].takes_arguments);
  CHECK(found[2].parameters.empty());
}

TEST_CASE("constants of integer types are found with their text") {
  const auto found = [](std::string_view code) {
    Names result;
    for (const ConstantText& one : constant_texts(code))
      result.push_back(one.name + "=" + one.text);
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

TEST_CASE("a directive ends with its line, and goes on after a backslash") {
  CHECK(macro_texts("#define A \\\n\n#define B 1\n").size() == 1);
  CHECK(code_alone("#define A \\\n x\nint b;\n") == "           \n  \nint b;\n");
}
