#include "source/host_launch.hpp"

#include "catch.hpp"
#include "checks.hpp"

namespace gemm_tutor::source {
namespace {

const std::string kernel =
    "__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {}\n";

HostLaunch only_launch(const std::string& host, const std::string& name = "") {
  const std::string text = kernel + host;
  const std::vector<HostLaunch> launches = launches_in({text}, name);
  INFO(host);
  REQUIRE(launches.size() == 1);
  return launches.front();
}

using Extents = std::array<std::string, 3>;

Extents grid_of(const std::string& statements) {
  return only_launch("void f(float* A, float* B, float* C, int M, int N, int K) {\n" + statements +
                     "\n}\n")
      .grid;
}

}  // namespace

TEST_CASE("a launch's grid and block are expressions over what is passed") {
  const HostLaunch launch = only_launch(R"(
void f(float* A, float* B, float* C, int rows, int columns, int depth) {
  dim3 block(32, 8);
  dim3 grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  k<<<grid, block, 2 * 32 * sizeof(float)>>>(A, B, C, rows, columns, depth);
})");
  CHECK(launch.kernel == "k");
  CHECK(launch.line == 6);
  CHECK(launch.grid == Extents{"(columns + 32 - 1) / 32", "(rows + 8 - 1) / 8", "1"});
  CHECK(launch.block == Extents{"32", "8", "1"});
  CHECK(launch.shared_bytes == "256");
  REQUIRE(launch.arguments.size() == 6);
  CHECK(launch.arguments[3].name == "rows");
  CHECK(launch.arguments[3].value.empty());
}

TEST_CASE("shared memory in bytes counts with the size of a type") {
  const auto bytes = [](const std::string& type) {
    return only_launch("void f(float* A) { k<<<1, 32, 10 * sizeof(" + type + ")>>>(A); }")
        .shared_bytes;
  };
  CHECK(bytes("float4") == "160");
  CHECK(bytes("nv_bfloat16") == "20");
  CHECK(bytes("float*").empty());
  CHECK(bytes("float[4]").empty());
  CHECK(bytes("Tile").empty());
  CHECK(only_launch("typedef half number;\nusing element = number;\n"
                    "void f(float* A) { k<<<1, 32, 10 * sizeof(element)>>>(A); }")
            .shared_bytes == "20");
  CHECK(only_launch("template <typename T> void f(T* A) { k<<<1, 32, 10 * sizeof(T)>>>(A); }\n"
                    "void g(half* A) { f<half>(A); f(A); }")
            .shared_bytes == "20");
}

TEST_CASE("a grid that the branches of an if assign is that of the branch that is taken") {
  const auto grid = [](const std::string& condition) {
    return grid_of("dim3 grid;\nif (" + condition +
                   ") { grid = dim3((M + 7) / 8 * N); } else { grid = dim3(N, M); }\n"
                   "k<<<grid, 32>>>(A, B, C, M, N, K);");
  };
  CHECK(grid("true") == Extents{"(M + 7) / 8 * N", "1", "1"});
  CHECK(grid("2 < 1") == Extents{"N", "M", "1"});
  // Each if may use what those before it assigned.
  std::string ifs;
  for (int i = 0; i < 30; ++i) ifs += "if (get() == 7) { grid = dim3(N, M); block = dim3(64); }\n";
  const HostLaunch launch = only_launch(
      "void f(float* A, float* B, float* C, int M, int N, int K) {\n"
      "dim3 grid, block(32);\n" +
      ifs + "grid = dim3(N / 4, M);\nk<<<grid, block>>>(A, B, C, M, N, K);\n}\n");
  CHECK(launch.grid == Extents{"N / 4", "M", "1"});
}

TEST_CASE("where a branch of #if launches the kernel, no other branch counts") {
  const std::string host = R"(
void f(float* A, float* B, float* C, int M, int N, int K) {
#if defined(SMALL)
#if VERSION == 0
  dim3 block(8);
#elif VERSION == 1
  dim3 block(16);
#endif
#else
  int bytes = 64;
#if VERSION == 0
  dim3 block(32);
#elif VERSION == 1
  dim3 block(64);
#endif
#endif
#if !defined(SMALL)
#if VERSION == 0
  k<<<N, block, bytes>>>(A, B, C, M, N, K);
#elif VERSION == 1
  other<<<N, block>>>(A, B, C, M, N, K);
#endif
#endif
})";
  const std::string text = kernel + host;
  const std::vector<HostLaunch> launches = launches_in({text}, "k");
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].line == 20);
  CHECK(launches[0].shared_bytes == "64");
  const std::string of_small = R"(
void f(float* A, float* B, float* C, int M, int N, int K) {
#ifdef SMALL
  dim3 block(8);
  k<<<N, block>>>(A, B, C, M, N, K);
#else
  dim3 block(32);
  k<<<M, block>>>(A, B, C, M, N, K);
#endif
})";
  const std::string both = kernel + of_small;
  const std::vector<HostLaunch> two = launches_in({both}, "k");
  REQUIRE(two.size() == 2);
  CHECK(two[0].block == Extents{"8", "1", "1"});
  CHECK(two[1].block == Extents{"32", "1", "1"});
  // Without a blank, and with a comment.
  const std::string close =
      replaced(replaced(both, "#ifdef SMALL", "#if(SMALL)"), "#else", "#elif(OTHER) // not small");
  CHECK(launches_in({close}, "k").size() == 2);
}

TEST_CASE("a branch of #if that the file's own macros exclude does not count") {
  const auto threads = [](const std::string& macros, const std::string& condition) {
    const std::string text = kernel + "\n" + macros + "\n#if " + condition + R"(
#define THREADS 64
#else
#define THREADS 32
#endif
void f(float* A, float* B, float* C, int M, int N, int K) {
  k<<<N, THREADS>>>(A, B, C, M, N, K);
})";
    const std::vector<HostLaunch> launches = launches_in({text}, "k");
    REQUIRE(launches.size() == 1);
    return launches[0].block[0];
  };
  CHECK(threads("#define SMALL 0", "SMALL") == "32");
  CHECK(threads("#define SMALL 1", "SMALL") == "64");
  CHECK(threads("#define SMALL OTHER\n#define OTHER 3", "SMALL > 3") == "32");
  CHECK(threads("#ifndef SMALL\n#define SMALL 0\n#endif", "SMALL") == "32");
  CHECK(threads("", "0") == "32");
  CHECK(threads("", "0\n#define THREADS 8\n#elif 2 + 2 == 4") == "64");
  // Not certain: the first definition is taken.
  CHECK(threads("", "SMALL") == "64");
  CHECK(threads("#ifdef DEBUG\n#define SMALL 0\n#endif", "SMALL") == "64");
  CHECK(threads("#define SMALL 0\n#define SMALL 1", "SMALL") == "64");
}

TEST_CASE("what calls the function that launches is named if the texts do not have it") {
  const std::string host = R"(
template <int BM, int BN = 4 * BM>
struct Launcher {
  static void run(float* A, float* B, float* C, int M, int N, int K) {
    k<<<dim3(N / BN, M / BM), BM>>>(A, B, C, M, N, K);
  }
};
)";
  const HostLaunch open = only_launch(host);
  CHECK(open.uncalled.contains("Launcher"));
  CHECK(open.block == Extents{});
  const HostLaunch known = only_launch(host + "void f() { Launcher<32>::run(A, B, C, M, N, K); }");
  CHECK(known.uncalled.empty());
  CHECK(known.grid == Extents{"N / 128", "M / 32", "1"});
}

TEST_CASE("the type of what an argument points to follows from casts and parameters") {
  const auto element = [](const std::string& host) {
    const HostLaunch launch = only_launch(host);
    REQUIRE(launch.arguments.size() == 1);
    return launch.arguments[0].element;
  };
  CHECK(element("void f(const half* __restrict__ A) { k<<<1, 1>>>(A); }") == "half");
  CHECK(element("void f(void* A) { k<<<1, 1>>>(reinterpret_cast<__half *>(A)); }") == "__half");
  CHECK(element("void f(void* A) { k<<<1, 1>>>((double*)A); }") == "double");
  CHECK(element("using number = half;\nvoid f() { number *A; k<<<1, 1>>>(A); }") == "half");
  CHECK(element("template <typename T> void f(T* A) { k<<<1, 1>>>(A); }\n"
                "void g(half* A) { f(A); }") == "half");
  CHECK(element("void f() { k<<<1, 1>>>(get().pointer); }").empty());
  CHECK(element("struct Other { using T = double; };\n"
                "template <typename T> void f(T* A) { k<<<1, 1>>>(A); }") == "");
  CHECK(element("using a = b;\nusing b = a;\nvoid f(a* A) { k<<<1, 1>>>(A); }").empty());
  std::string parameters, arguments;
  for (int i = 0; i < 20; ++i) {
    parameters += ", T* a" + std::to_string(i);
    arguments += ", a" + std::to_string(i);
  }
  CHECK(element("template <typename T> void f(T* A" + parameters + ") { f(A" + arguments +
                "); k<<<1, 1>>>(A); }") == "");
}

TEST_CASE("macros, constants, functions and lambdas of host code are followed") {
  const Extents expected = {"(N + 63) / 64", "(M + 63) / 64", "1"};
  const std::string call = "k<<<grid, 256>>>(A, B, C, M, N, K);";
  CHECK(grid_of("dim3 grid((N + 63) / 64, (M + 63) / 64);" + call) == expected);
  CHECK(grid_of("constexpr int T = 64; dim3 grid = dim3((N + T - 1) / T, (M + 63) / 64);" + call) ==
        Extents{"(N + 64 - 1) / 64", "(M + 63) / 64", "1"});
  CHECK(grid_of("dim3 grid; grid.x = (N + 63) / 64; grid.y = (M + 63) / 64;" + call) == expected);
  CHECK(grid_of("dim3 const grid{(N + 63U) / 64U, static_cast<unsigned>((M + 63) / 64), 1U};" +
                call)[1] == "(M + 63) / 64");
  CHECK(grid_of("auto up = [](int a, int b) { return (a + b - 1) / b; };\n"
                "dim3 grid(up(N, 64), up(M, 64));" +
                call) == Extents{"(N + 64 - 1) / 64", "(M + 64 - 1) / 64", "1"});
  CHECK(only_launch("#define UP(a, b) (((a) + (b) - 1) / (b))\n"
                    "template <typename T> T cdiv(T a, T b) { return UP(a, b); }\n"
                    "void f() { int M = atoi(\"1\"), N = 64; dim3 g(cdiv(N, 16), UP(M, 16));\n"
                    "k<<<g, 256>>>(A, B, C, M, N, 64); }")
            .grid == Extents{"(N + 16 - 1) / 16", "(M + 16 - 1) / 16", "1"});
}

TEST_CASE("functions and methods that return a dim3 are followed along each axis") {
  const std::string call =
      "void f(float* A, float* B, float* C, int M, int N, int K) {\n"
      "  k<<<GRID, BLOCK>>>(A, B, C, M, N, K);\n}\n";
  const auto launch = [&](const std::string& before, const std::string& grid,
                          const std::string& block) {
    std::string text = before + call;
    text.replace(text.find("GRID"), 4, grid);
    text.replace(text.find("BLOCK"), 5, block);
    return only_launch(text);
  };
  const HostLaunch by_function = launch(
      "static dim3 grid_for(int rows, int columns, dim3 block) {\n"
      "  dim3 grid((columns + block.x - 1) / block.x);\n"
      "  grid.y = (rows + 7) / 8;\n"
      "  return grid;\n}\n"
      "dim3 threads() { return {32, 8}; }\n",
      "grid_for(M, N, threads())", "threads()");
  CHECK(by_function.block == Extents{"32", "8", "1"});
  CHECK(by_function.grid[1] == "(M + 7) / 8");
  const HostLaunch by_method = launch(
      "template <int T> class Tile {\n public:\n"
      "  static dim3 grid(const Sizes& s) { return dim3((s.n + T - 1) / T, (s.m + T - 1) / T); }\n"
      "  static dim3 block() { return dim3(T, T); }\n};\nusing Own = Tile<16>;\n",
      "dim3((N + 15) / 16, (M + 15) / 16)", "Own::block()");
  CHECK(by_method.block == Extents{"16", "16", "1"});
}

TEST_CASE("a grid that a function sets through a reference is followed") {
  const auto launch = [](const std::string& before, const std::string& statements) {
    return only_launch(before + "void f(float* A, float* B, float* C, int M, int N, int K) {\n" +
                       statements + "\nk<<<grid, block>>>(A, B, C, M, N, K);\n}\n");
  };
  const HostLaunch both = launch(
      "void set(dim3& g, dim3& b, int rows, int columns, int tile = 16) {\n"
      "  b.x = tile; b.y = tile / 2;\n"
      "  g = dim3((columns + tile - 1) / tile, (rows + b.y - 1) / b.y);\n}\n",
      "dim3 grid, block; set(grid, block, M, N);");
  CHECK(both.grid == Extents{"(N + 16 - 1) / 16", "(M + 8 - 1) / 8", "1"});
  CHECK(both.block == Extents{"16", "8", "1"});
  const HostLaunch chosen = launch(
      "template <int T> void choose(dim3& g, int& threads, int m, int n) {\n"
      "  if (T > 32) { g.x = n / 64; threads = 256; } else { threads = 128; }\n"
      "  g.y = m / 64;\n}\n",
      "int block = 1; dim3 grid(7, 7, 7); choose<64>(grid, block, M, N);");
  CHECK(chosen.grid == Extents{"N / 64", "M / 64", "7"});
  CHECK(chosen.block == Extents{"256", "1", "1"});
  const HostLaunch unknown = launch("void read_file(dim3& g, const dim3& b) { g = from(file); }\n",
                                    "dim3 grid(4, 4), block(32); read_file(grid, block);");
  CHECK(unknown.grid[0].empty());
  CHECK(unknown.block == Extents{"32", "1", "1"});
}

TEST_CASE("a call's results are known after it, wherever it is written") {
  const std::string functions =
      "dim3 make(int n) { dim3 g(n / 64); return g; }\n"
      "dim3 two(int n) { dim3 g = make(n); g.y = 2; return g; }\n"
      "dim3 either(int n) { dim3 g(n, 2); if (unknown()) g = dim3(1, 1); return g; }\n"
      "bool set(dim3& g, int& t, int n) { g = dim3(n / 8, 3); t = 64; return true; }\n"
      "int twice(int& x) { x *= 2; return x; }\n";
  const auto launch = [&](const std::string& statements) {
    return only_launch(functions + "void f(float* A, float* B, float* C, int M, int N, int K) {\n" +
                       statements + "(A, B, C, M, N, K);\n}\n");
  };
  CHECK(launch("k<<<make(N), 64>>>").grid == Extents{"N / 64", "1", "1"});
  CHECK(launch("k<<<two(N), 64>>>").grid == Extents{"N / 64", "2", "1"});
  CHECK(launch("k<<<either(N), 64>>>").grid[0].empty());
  for (const char* call : {"if (!set(grid, t, N)) return;", "bool ok = set(grid, t, N);"}) {
    const HostLaunch set =
        launch("dim3 grid; int t = 32; " + std::string(call) + " k<<<grid, t>>>");
    CHECK(set.grid == Extents{"N / 8", "3", "1"});
    CHECK(set.block[0] == "64");
  }
  const HostLaunch declared = launch("int x = 2; int y = twice(x); k<<<y, x>>>");
  CHECK(declared.grid[0] == "4");
  CHECK(declared.block[0] == "4");
  const HostLaunch assigned = launch("int t = 32, b; b = twice(t); k<<<b, t>>>");
  CHECK(assigned.grid[0] == "64");
  CHECK(assigned.block[0] == "64");
  // Whether it is assigned is not known: the value before is taken.
  CHECK(launch("dim3 grid(5, 2); if (unknown()) grid.x = 7; k<<<grid, 32>>>").grid ==
        Extents{"5", "2", "1"});
}

TEST_CASE("a kernel that a function takes as a parameter is followed to its callers") {
  const std::string text =
      "template <int BM, int BN> __global__ void t(const float* A, int M, int N) {}\n"
      "template <typename Kernel> void launch(Kernel kernel, const float* A, int m, int n) {\n"
      "  auto run = kernel;\n  run<<<dim3(n / 64, m / 32), 128>>>(A, m, n);\n}\n"
      "int main() { constexpr int BM = 32; auto chosen = t<BM, 64>; launch(chosen, A, M, N); }\n";
  const std::vector<HostLaunch> launches = launches_in({text}, "t");
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].kernel == "t");
  CHECK(launches[0].template_arguments == std::vector<std::string>{"32", "64"});
  CHECK(launches[0].grid == Extents{"n / 64", "m / 32", "1"});
}

TEST_CASE("a kernel that a function takes by its address is followed, too") {
  const std::string text =
      kernel +
      "void go(void (*run)(const float*, float*, int), dim3 grid, int m, int n) {\n"
      "  run<<<grid, 32>>>(A, C, m);\n}\n"
      "int main() { void (*chosen)(const float*, float*, int) = k;\n"
      "  go(chosen, dim3(N / 16, 2), M, N); go(&k, dim3(1), M, N); }\n";
  const std::vector<HostLaunch> launches = launches_in({text}, "k");
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].grid[1] == "2");
  CHECK(launches[0].block[0] == "32");
  CHECK(launches[1].grid == Extents{"1", "1", "1"});
}

TEST_CASE("each call of a function that takes a kernel launches another one") {
  const std::string text =
      kernel +
      "__global__ void other(const float* A, float* C, int M) {}\n"
      "template <typename F> void time_of(F run, int tile, int m) {\n"
      "  run<<<m / tile, tile * 2>>>(A, C, m);\n}\n"
      "template <typename F> void compare(F run, int tile) { time_of(run, tile, M); }\n"
      "int main() { ";
  const auto read = [&](const std::string& calls, const std::string& name) {
    std::string result;
    for (const HostLaunch& one : launches_in({text + calls + " }"}, name))
      result += one.kernel + ": " + one.grid[0] + " × " + one.block[0] + "\n";
    return result;
  };
  const std::string direct = "time_of(k, 8, M); time_of(other, 16, M); time_of(missing, 4, M);";
  CHECK(read(direct, "k") == "k: m / 8 × 16\n");
  CHECK(read(direct, "other") == "other: m / 16 × 32\n");
  CHECK(read("compare(k, 8); compare(other, 16);", "other") == "other: m / 16 × 32\n");
  CHECK(read("compare(k, 8);", "other") == "");
  CHECK(read("compare(k, 8); compare(k, 8);", "k") == "k: m / 8 × 16\n");
}

TEST_CASE("a launch in a struct's template has the arguments that its name is given") {
  const std::string text =
      "template <int BM, typename T> __global__ void t(const T* A, int M) {}\n"
      "template <int BM, int WM, typename T> struct Launcher {\n"
      "  static constexpr int THREADS = BM / WM * 32;\n"
      "  static void run(const T* A, int m) { t<BM, T><<<m / BM, THREADS>>>(A, m); }\n};\n";
  const auto found = launches_in({text + "int main() { Launcher<64, 16, half>::run(A, M); }"}, "t");
  REQUIRE(found.size() == 1);
  CHECK(found[0].template_arguments == std::vector<std::string>{"64", "half"});
  CHECK(found[0].grid[0] == "m / 64");
  CHECK(found[0].block[0] == "128");
  const auto unknown = launches_in({text}, "t");
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].template_arguments == std::vector<std::string>{"", ""});
}

TEST_CASE("an enumerator in a function is a constant") {
  CHECK(grid_of("enum { SIDE = 8, TILE = MAX(SIDE * 2, sizeof(float)) };"
                "k<<<N / TILE, 32>>>(A, B, C, M, N, K);")[0] == "N / 16");
}

TEST_CASE("sizes in a struct, and one that is not passed, stay names") {
  const std::string params =
      "struct Sizes { const float* A; float* C; int M, N, K; };\n"
      "__global__ void of_struct(Sizes s) {}\n";
  const HostLaunch of_struct = only_launch(
      params + "void f(const Sizes& s) { of_struct<<<dim3((s.N + 15) / 16, s.M), 16>>>(s); }",
      "of_struct");
  CHECK(of_struct.grid == Extents{"(s.N + 15) / 16", "s.M", "1"});
  const HostLaunch left_out = only_launch(
      "int main() { const int M = 96, N = 384, K = 208;\n"
      "k<<<dim3(N / 64, M / 32), 256>>>(A, reinterpret_cast<float4*>(B), C, M, N / 4, K); }");
  CHECK(left_out.grid == Extents{"N / 64", "M / 32", "1"});
  CHECK(left_out.arguments[1].name == "B");
  CHECK(left_out.arguments[4].value.empty());
  CHECK(left_out.arguments[4].expression == "N / 4");
  const HostLaunch padded = only_launch(
      "int up(int v) { return (v + 31) / 32 * 32; }\n"
      "void f(int M, int N, int K) { const int PM = up(M), PN = up(N);\n"
      "k<<<dim3(PN / 32, PM / 32), 256>>>(A, B, C, PN, K); }\nint main() { f(117, 203, 90); }");
  CHECK(padded.grid == Extents{"PN / 32", "(M + 31) / 32 * 32 / 32", "1"});
}

TEST_CASE("a program that is run without arguments has argc = 1") {
  const HostLaunch launch = only_launch(
      "int main(int argc, char** argv) {\n"
      "int tile = argc > 1 ? atoi(argv[1]) : 24;\n"
      "k<<<dim3(4, 4), dim3(tile, tile)>>>(A, B, C, M, N, K); }");
  CHECK(launch.block == Extents{"24", "24", "1"});
}

TEST_CASE("a quotient of floats that is rounded up is one of integers") {
  const std::string call = "k<<<grid, 256>>>(A, B, C, M, N, K);";
  CHECK(grid_of("dim3 grid(ceil(N / 32.0), ceil((float)M / 32));" + call) ==
        Extents{"(N + 31) / 32", "(M + 31) / 32", "1"});
  CHECK(grid_of("dim3 grid(std::ceil(static_cast<float>(N) / 32), ceilf(1.0f * M / 32));" + call) ==
        Extents{"(N + 31) / 32", "(M + 31) / 32", "1"});
  // Integers are rounded down before.
  CHECK(grid_of("dim3 grid(ceil(N / 32), M / 32);" + call) == Extents{"N / 32", "M / 32", "1"});
}

TEST_CASE("a name has its meaning at the place of the launch") {
  const std::string call = "k<<<N / T, T>>>(A, B, C, M, N, K);";
  CHECK(only_launch("const int T = 8;\nvoid f() { const int T = 16; }\nvoid g() { " + call + " }")
            .block[0] == "8");
  CHECK(grid_of("int T = 8; if (M > 100) { const int T = 32; " + call + " } ")[0] == "N / 32");
  CHECK(grid_of("int T = 8; { int T = 64; } T = 16; " + call)[0] == "N / 16");
  // A loop's variable has no value.
  CHECK(grid_of("for (int T = 8; T < 64; T *= 2) { " + call + " }")[0].empty());
}

TEST_CASE("what is passed through functions and templates is followed to their callers") {
  const HostLaunch launch = only_launch(R"(
template <int T>
void launch(dim3 grid, float* A, float* B, float* C, int m, int n, int depth) {
  k<<<grid, T>>>(A, B, C, m, n, depth);
}
int main() {
  int M = 512, N = 256, K = 128;
  launch<64>(dim3(N / 64, M), a, b, c, M, N, K);
})");
  CHECK(launch.grid == Extents{"n / 64", "m", "1"});
  CHECK(launch.block[0] == "64");
}

TEST_CASE("launches of templates have their arguments, and those of the wanted instance") {
  const std::string text = R"(
template <int BM, int BN, typename T> __global__ void tile(T* C, int M) {}
template <int SIDE, typename T> void go(T* C, int M) { tile<SIDE, 2 * SIDE, T><<<M / SIDE, SIDE>>>(C, M); }
void f(float* C, int M) {
  const int BM = 32;
  if (M > 100) { tile<BM, 8, float><<<M / BM, BM>>>(C, M); } else { tile<16, 8, float><<<M, 16>>>(C, M); }
})";
  const auto all = launches_in({text}, "tile");
  REQUIRE(all.size() == 3);
  CHECK(all[0].template_arguments[0].empty());  // nobody calls go()
  CHECK(all[1].template_arguments == std::vector<std::string>{"32", "8", "float"});
  const auto wanted = launches_in({text}, "tile<16, 8, float>");
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0].grid == Extents{"M", "1", "1"});
  // The names that a host template passes on have the wanted values.
  const auto passed_on = launches_in({text}, "tile<64, 128, float>");
  REQUIRE(passed_on.size() == 1);
  CHECK(passed_on[0].block[0] == "64");
}

TEST_CASE("kernels are launched through pointers, lambdas, branches and several files") {
  CHECK(grid_of("void (*run)(const float*, const float*, float*, int, int, int) = k;\n"
                "run<<<N, 32>>>(A, B, C, M, N, K);")[0] == "N");
  CHECK(grid_of("auto run = k; time([&] { run<<<dim3(N, M), 32>>>(A, B, C, M, N, K); });") ==
        Extents{"N", "M", "1"});
  CHECK(grid_of("switch (M) { case 1: k << <N, 32> >> (A, B, C, M, N, K); break; }")[0] == "N");
  const std::string header = "#define SIDE 16\n",
                    main = "void f(int n) { k<<<n / SIDE, SIDE>>>(a, n); }";
  const auto launches = launches_in({kernel, header, main}, "k");
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].text == 2);
  CHECK(launches[0].grid[0] == "n / 16");
}

TEST_CASE("the number of multiprocessors is SMs") {
  CHECK(grid_of("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);\n"
                "k<<<2 * p.multiProcessorCount, 128>>>(A, B, C, M, N, K);")[0] == "2 * SMs");
  CHECK(grid_of("int sms; cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);\n"
                "k<<<sms, 128>>>(A, B, C, M, N, K);")[0] == "SMs");
}

TEST_CASE("the side of a tile that host code finds from the GPU's properties is a number") {
  const DeviceValues device = {{"maxThreadsPerBlock", 1024},
                               {"sharedMemPerBlock", 49152},
                               {"warpSize", 32},
                               {"maxThreadsDim[0]", 1024},
                               {"cudaDevAttrMaxThreadsPerBlock", 256},
                               {"cudaOccupancyMaxPotentialBlockSize", 1024}};
  const auto side = [&](const std::string& code) {
    const std::string text =
        kernel + code +
        "\nk<<<dim3((N + t - 1) / t, (M + t - 1) / t), dim3(t, t), 8 * t * t>>>"
        "(A, B, C, M, N, K, t); }\n";
    INFO(code);
    const auto launches = launches_in({text}, "k", device);
    REQUIRE(launches.size() == 1);
    return launches[0].arguments.back().value;
  };
  const std::string head = "void f(float* A, float* B, float* C, int M, int N, int K) {\n";
  const std::string asks = "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);\n";
  CHECK(side(head + asks + "int t = (int)std::sqrt(p.maxThreadsPerBlock);") == "32");
  // 49152 * 0.9 = 44236.8 bytes are 5529 pairs of floats, and 74² = 5476.
  CHECK(side(head + asks + "int t = sqrt(p.sharedMemPerBlock * 0.9 / (2 * sizeof(float)));") ==
        "74");
  // An error of the GPU is not what is read, and a size is larger than a tile.
  CHECK(side("int find(cudaDeviceProp& p, int width) {\n"
             "  cudaError_t e = cudaGetDeviceProperties(&p, 0); if (e != cudaSuccess) return 1;\n"
             "  int t = sqrt(p.maxThreadsPerBlock); if (width < t) t = width;\n"
             "  if (t > 0) { t = (int)pow(2, floor(log2(t - 1))); } else { t = 8; }\n"
             "  return std::max(1, std::min({t, width, p.maxThreadsDim[0]})); }\n" +
             head + "cudaDeviceProp q; int t = find(q, N);") == "16");
  CHECK(side("int find(int bytes) { for (int t = 64; t > 1; t /= 2) {\n"
             "  if (t > 32) continue; if (8 * t * t <= bytes) return t; } return 1; }\n" +
             head + asks + "int t = find(p.sharedMemPerBlock / 8);") == "16");
  CHECK(side(head + asks + "int t = 1; while ((t << 1) <= p.warpSize) t <<= 1;") == "32");
  CHECK(side(head + "int threads; CHECK(cudaDeviceGetAttribute(&threads, "
                    "cudaDevAttrMaxThreadsPerBlock, 0)); int t = sqrtf(threads);") == "16");
  CHECK(side(head + "int least, t; cudaOccupancyMaxPotentialBlockSize(&least, &t, k, 0, 0);\n"
                    "t = sqrt(t);") == "32");
  CHECK(side(head + asks +
             "int t = p.warpSize; if (p.sharedMemPerBlock < 8 * t * t) t = 4;\n"
             "else if (t == 32) { t -= 8; }") == "24");
  // What is not known, and what depends on the size, is no number.
  CHECK(side(head + "int t = atoi(argv[1]);").empty());
  CHECK(side(head + "int t = N % 32 == 0 ? 32 : 16;").empty());
  CHECK(side(head + "int t = 32; scanf(\"%d\", &t);").empty());
  CHECK(
      side("int find(int n) { if (unknown(n)) return 8; return 16; }\n" + head + "int t = find(N);")
          .empty());
  CHECK(
      side("int find(int n) { while (true) {} return 16; }\n" + head + "int t = find(N);").empty());
  // The launch names what is not known.
  const auto launches =
      launches_in({kernel + head + "dim3 b(width(), 4); k<<<M, b>>>(A, B, C, M, N, K); }"}, "k");
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].block[0].empty());
  CHECK(launches[0].unknown[1] == "width()");
  CHECK(launches[0].unknown[0].empty());
}

TEST_CASE("arguments have their names, and their values if the source says them") {
  const HostLaunch launch = only_launch(R"(
#define N 1024
void f() {
  const float alpha = 0.5f;
  k<<<1, 32>>>(d_A, (const float*)d_B, d_C, shape.rows, N, alpha, -2, true, *beta);
})");
  REQUIRE(launch.arguments.size() == 9);
  CHECK(launch.arguments[0].name == "d_A");
  CHECK(launch.arguments[3].name == "shape.rows");
  CHECK(launch.arguments[4].value == "1024");
  CHECK(launch.arguments[5].value == "0.5");
  CHECK(launch.arguments[6].value == "-2");
  CHECK(launch.arguments[7].value == "1");
  CHECK(launch.arguments[8].value.empty());
}

TEST_CASE("any text is read for launches, and no part is said that is not known") {
  for (const std::string text :
       {"k<<<", "k<<<1, 2>>>", "<<<1, 2>>>(a)", "void f() { k<<<(, >>>(; }", "k<<<1>>>(a)",
        "int a = a; void f() { k<<<a, a>>>(a1); }", "}}} k<<<1,2>>>(x",
        "void f(int n) { f(n); k<<<n + m, 1>>>(x); }",
        "void f() { k<<<,16>>>(0); k<<<1,>>>(0); "
        "k<<<1, 1,>>>(0); k<<<>>>(0); }",
        "void (*p)(int) = ; void g() { auto f = ; f<<<1, 1>>>(a); auto h = >; "
        "h<<<1, 1>>>(); auto i = a>; i<<<1, 1>>>(); p<<<1, 1>>>(); }",
        "#define A A\nvoid f() { k<<<A, A>>>(x); }"}) {
    INFO(text);
    for (const HostLaunch& launch : launches_in({text})) CHECK_FALSE(launch.kernel.empty());
  }
  for (const char* name : {"<", "k<", "k<16", "k<>", "k<<"})
    CHECK(launches_in({kernel}, name).empty());
  // What doubles at each step is given up.
  std::string doubling = "int d0 = N;\n";
  for (int i = 0; i < 40; ++i) {
    doubling += "int d" + std::to_string(i + 1) + " = max(d" + std::to_string(i) + ", d" +
                std::to_string(i) + ");\n";
  }
  CHECK(grid_of(doubling + "k<<<d40, 32>>>(A, B, C, M, N, K);")[0].empty());
  CHECK(only_launch("int g(int n) { return g(n) + g(n); }\n"
                    "void f() { k<<<g(1), 32>>>(A, B, C, 1, 2, 3); }")
            .grid[0]
            .empty());
  CHECK(grid_of("k<<<unknown(N), 32>>>(A, B, C, M, N, K);")[0].empty());
  CHECK(grid_of("int g; scanf(\"%d\", &g); k<<<g, 32>>>(A, B, C, M, N, K);")[0].empty());
}

}  // namespace gemm_tutor::source
