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
