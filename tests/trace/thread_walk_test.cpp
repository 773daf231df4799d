#include "trace/thread_walk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "sample.hpp"
#include "support/text.hpp"

using namespace gemm_tutor;

namespace {

ThreadWalkOptions options() {
  const source::IntegerType type{32, true};
  ThreadWalkOptions result;
  result.names = {{"threadIdx.x", {2, type}},
                  {"threadIdx.y", {9, type}},
                  {"blockIdx.x", {1, type}},
                  {"blockIdx.y", {2, type}},
                  {"blockDim.x", {16, type}},
                  {"M", {512}},
                  {"N", {512}},
                  {"K", {100}}};
  result.depth_name = "K";
  result.matrices = {"A", "B", "C"};
  result.arrays = {"tile"};
  return result;
}

std::string text_of(const Worked& worked) {
  std::vector<std::string> values;
  for (const std::int64_t value : worked.values) values.push_back(std::to_string(value));
  const std::string value = join(values);
  if (worked.kind == Worked::Kind::condition) return worked.filled + ": " + value;
  if (worked.kind == Worked::Kind::element) return worked.filled + ": " + value;
  if (worked.kind == Worked::Kind::call) return worked.filled;
  return worked.name + " = " + (worked.filled.empty() ? "" : worked.filled + " = ") + value;
}

ThreadWalk walk_of(const std::string& body, const ThreadWalkOptions& with = options(),
                   const std::string& before = "") {
  const std::string text =
      before +
      "__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {\n" +
      body + "\n}\n";
  return walk_of_thread(source::Kernel(text, "kernel"), with);
}

// What is worked out, in its order, whatever the lines.
std::vector<std::string> worked(const std::string& body, const ThreadWalkOptions& with = options(),
                                const std::string& before = "") {
  std::vector<std::string> texts;
  for (const WorkedLine& line : walk_of(body, with, before).lines) {
    for (const Worked& one : line.worked) texts.push_back(text_of(one));
  }
  return texts;
}

using Texts = std::vector<std::string>;

ThreadWalkOptions at_step(std::int64_t step, std::int64_t depth = 1) {
  ThreadWalkOptions result = options();
  result.step = step;
  result.step_depth = depth;
  return result;
}

}  // namespace

TEST_CASE("declarations are worked out in their order, with the lines they stand in") {
  const ThreadWalk walk = walk_of(
      "  const int tx = threadIdx.x, ty = threadIdx.y;  // two, and a comment with int no = 1;\n"
      "  /* const int none = 3; */\n"
      "  unsigned const int row(blockIdx.y * 128 + ty);\n"
      "  auto half{row / 2};\n");
  REQUIRE(walk.lines.size() == 3);
  CHECK(walk.lines[0].line == 2);
  CHECK(walk.lines[1].line == 4);
  CHECK(walk.lines[2].line == 5);
  CHECK(text_of(walk.lines[0].worked.at(0)) == "tx = 2");
  CHECK(text_of(walk.lines[0].worked.at(1)) == "ty = 9");
  CHECK(text_of(walk.lines[1].worked.at(0)) == "row = 2·128 + 9 = 265");
  CHECK(text_of(walk.lines[2].worked.at(0)) == "half = 265/2 = 132");
}

TEST_CASE("template arguments, constants of the file and its macros have their values") {
  const std::string before =
      "#define WIDE (BM / 2)  // of a tile\n"
      "#define OFFSET(row, column, ld) ((row) * (ld) + (column))\n"
      "constexpr int BM = 128, other = BM + 1;\n"
      "__device__ int helper() { const int BM = 1; return BM; }\n";
  CHECK(worked("const int a = BM + other + WIDE; const int at = OFFSET(a, 3, N);", options(),
               before) == Texts{"a = 128 + 129 + 64 = 321", "at = ((321)·(512) + (3)) = 164355"});

  const std::string text =
      "namespace ns { template <int BM, int BK = 2 * 4, bool whole = false>\n"
      "__global__ void __launch_bounds__(BM * BK) kernel(float* C, int M) { const int n = whole ? "
      "BM : BK; } }";
  const auto value = [&](const char* name) {
    return walk_of_thread(source::Kernel(text, name), options()).lines.at(0).worked.at(0).values;
  };
  CHECK(value("ns::kernel<64, 16>") == std::vector<std::int64_t>{16});
  CHECK(value("ns::kernel<64>") == std::vector<std::int64_t>{8});
  CHECK(value("ns::kernel<64, 16, true>") == std::vector<std::int64_t>{64});
  CHECK(walk_of_thread(source::Kernel(text, "other"), options()).lines.empty());
}

TEST_CASE("what cannot be evaluated is left out, with all that depends on it") {
  CHECK(worked("int a = f(1); int b = a + 1; int c = A[0]; float d = 2; int e = d; int g = 1;") ==
        Texts{"A[0]: 0", "g = 1"});
  CHECK(worked("int a = 2147483647; int b = a + 1; int c = b;") == Texts{"a = 2147483647"});
  CHECK(worked("int a = 1; { float a = 2; int b = a; } int c = a;") == Texts{"a = 1", "c = 1"});
  CHECK(worked("int a = 1; f(&a); int b = a;") == Texts{"a = 1"});
  CHECK(worked("int a = 1; float x = g(a++); int b = a;") == Texts{"a = 1"});
  CHECK(worked("int a = 1; while (f()) { a += 1; int b = a; } int c = a;") == Texts{"a = 1"});
  CHECK(worked("int a = 1; if (f()) a = 2; int c = a;") == Texts{"a = 1"});
}

TEST_CASE("assignments change a variable from there on") {
  const Texts texts =
      worked("int a = 1; a += 4; ++a; a <<= 2; int b = a; a = threadIdx.x; int d = a;");
  CHECK(texts == Texts{"a = 1", "b = 24", "d = 2"});
}

TEST_CASE("a branch is taken where its condition has a value") {
  CHECK(worked("int a = 1; if (threadIdx.x == 2) { a = 5; } else a = 6; int b = a;") ==
        Texts{"a = 1", "2 == 2: 1", "b = 5"});
  CHECK(worked("int a = 1; if (threadIdx.x > 2) a = 5; else a = 6; int b = a;") ==
        Texts{"a = 1", "2 > 2: 0", "b = 6"});
  const ThreadWalk walk = walk_of("if (threadIdx.x >= 2 || N < f) return;\nint a = 1;");
  CHECK(walk.returned);
  CHECK(walk.lines.size() == 1);
  CHECK_FALSE(walk_of("if (f()) return; int a = 1;").returned);
}

TEST_CASE("the loop along K is told at the step asked for") {
  const std::string body =
      "for (int k0 = 0; k0 < K; k0 += 8) { const int k = k0 + threadIdx.y; } int behind = 1;";
  CHECK(worked(body, at_step(0, 8)) == Texts{"k0 = 0", "k = 0 + 9 = 9", "behind = 1"});
  CHECK(worked(body, at_step(3, 8)) == Texts{"k0 = 3·8 = 24", "k = 24 + 9 = 33", "behind = 1"});
  CHECK(walk_of(body, at_step(3, 8)).iterations == 13);
  CHECK(walk_of(body, at_step(3, 8)).change == 8);

  CHECK(worked("for (int t = 0; t < (K + 8 - 1) / 8; t++) { int k = t * 8; }", at_step(3, 8)) ==
        Texts{"t = 3", "k = 3·8 = 24"});
  CHECK(worked("const int tiles = (K + 7) / 8; for (int t = 0; t < tiles; t++) { int k = t; }",
               at_step(2, 8))[2] == "k = 2");
  // Two steps per iteration. The first is before the loop.
  const std::string two = "int k0 = 8; for (; k0 + 8 < K; k0 += 16) { int a = k0; } int end = k0;";
  CHECK(worked(two, at_step(1, 8)) == Texts{"k0 = 8", "k0 = 8", "a = 8", "end = 104"});
  CHECK(worked(two, at_step(4, 8))[2] == "a = 24");
}

TEST_CASE("after a loop that may be left early its variable is not known") {
  const std::string body = "int k = 0; for (; k < K; k += 8) { if (f(k)) break; } int end = k;";
  CHECK(worked(body, at_step(1)) == Texts{"k = 0"});
  CHECK(walk_of(body).iterations == 0);
  const std::string without = "int k = 0; for (; k < K; k += 8) { f(k); } int end = k;";
  CHECK(worked(without, at_step(1)).back() == "end = 104");
}

TEST_CASE("a loop's body that changes variables of its own is followed, turn by turn") {
  const std::string body =
      "int at = 5; for (int k = 0; k < K; ++k) { int a = at; at += 2; } int b = at;";
  CHECK(worked(body, at_step(0)) == Texts{"at = 5", "k = 0", "a = 5", "b = 205"});
  CHECK(worked(body, at_step(3)) == Texts{"at = 5", "k = 3", "a = 11", "b = 205"});
  CHECK(worked("int at = 5; for (int i = 0; i < 3; ++i) { at *= 2; } int b = at;") ==
        Texts{"at = 5", "b = 40"});
  CHECK(worked("int at = 5; for (int i = 0; i < 9; ++i) { if (i == 2) break; if (i == 0) continue; "
               "++at; } int b = at;") ==
        Texts{"at = 5", "i = 0", "0 == 2: 0", "0 == 0: 1", "b = 6"});
  // Unknown values make them unknown.
  CHECK(worked("int at = 5; for (int i = 0; i < 9; ++i) { if (f(i)) break; ++at; } int b = at;") ==
        Texts{"at = 5"});
  CHECK(worked("int at = 5; for (int i = 0; i < f; ++i) ++at; int b = at;") == Texts{"at = 5"});
  CHECK(worked("for (int k = 0, buffer = 0; k < K; ++k, buffer ^= 1) { int a = buffer; }",
               at_step(3)) == Texts{"k = 3", "a = 1"});
}

TEST_CASE("other loops are told for as many turns as asked") {
  const std::string body = "for (int i = 0; i < 3; ++i) { int row = threadIdx.y + i; } int i = 7;";
  ThreadWalkOptions with = options();
  CHECK(worked(body, with) == Texts{"i = 0", "row = 9 + 0 = 9", "i = 7"});
  with.iterations = 2;
  CHECK(worked(body, with) ==
        Texts{"i = 0", "row = 9 + 0 = 9", "i = 1", "row = 9 + 1 = 10", "i = 7"});
  with.iterations = 9;
  CHECK(worked(body, with).size() == 7);
  CHECK(worked("for (int i = 5; i < 3; ++i) { int a = i; }", with).empty());
  CHECK(worked("for (int i = 0; i < 3; ++i) { f(i); }", with).empty());
}

TEST_CASE("a lambda is told where it is called, with what it is given") {
  const std::string body =
      "const int tx = threadIdx.x;\n"
      "const auto load = [&](int k0) {\n  const int k = k0 + tx;\n  return k;\n};\n"
      "{ const int tx = 1; load(8); }\nload(8);\nload(16);\nint behind = 1;";
  CHECK(worked(body) ==
        Texts{"tx = 2", "tx = 1", "k = 8 + 2 = 10", "k = 16 + 2 = 18", "behind = 1"});
}

TEST_CASE("elements and calls have the numbers filled in") {
  CHECK(worked("C[threadIdx.y * N + 1] = tile[threadIdx.x][K % 8] + A[f];") ==
        Texts{"C[9·512 + 1]: 4609", "tile[2][100 % 8]: 2, 4"});
  CHECK(worked("values = load4<true>(A, M, K, threadIdx.y + 1, f(2));") ==
        Texts{"load4(A, 512, 100, 9 + 1 = 10, f(2))"});
  CHECK(worked("float A[3]; x = A[1];").empty());
}

TEST_CASE("a place of more than 64 bits is not told") {
  CHECK(worked("const float* from = A + 9223372036854775807; from += 2; x = from[1];") ==
        Texts{"from = A + 9223372036854775807 = 9223372036854775807"});
  CHECK(worked("const float* from = A + 9223372036854775807; x = from[1]; y = from[0];") ==
        Texts{"from = A + 9223372036854775807 = 9223372036854775807",
              "from[0]: 9223372036854775807"});
  CHECK(walk_of("for (long k = -9223372036854775807; k < K; k = 9223372036854775807) x = A[k];")
            .change == 0);
  CHECK(walk_of("for (long k = 0; k < K; k = -9223372036854775807 - 1) x = A[k];").change == 0);
  CHECK(walk_of("for (long k = -9223372036854775807; k < K; k += 8) x = A[k];", at_step(3, 8))
            .change == 8);
}

TEST_CASE("a pointer into a matrix is followed") {
  CHECK(worked("A += blockIdx.y * 8; x = A[1]; y = B[1];") ==
        Texts{"A = A + 2·8 = 16", "A[1]: 17", "B[1]: 1"});
  CHECK(
      worked("const float* from = A + threadIdx.y * K; x = from[3]; from = &B[N]; y = from[1];") ==
      Texts{"from = A + 9·100 = 900", "from[3]: 903", "from = &B[512] = 512", "from[1]: 513"});
  CHECK(worked("const float *a = A + 1, *b, *c = f(); b = a + 2; x = b[0] + c[0];") ==
        Texts{"a = A + 1 = 1", "b = a + 2 = 3", "b[0]: 3"});
  CHECK(worked("int n = 0; float* to = C + (4 + n++) * 8; float* next = C + n; next[0] = 1;") ==
        Texts{"n = 0", "to = C + (4 + 0)·8 = 32", "next = C + 1 = 1", "next[0]: 1"});
  // What is given to a function, which may access it.
  CHECK(worked("const float* from = A + 8; copy(tile[1][2], from + 2 * K, from); f(from + g);") ==
        Texts{"from = A + 8 = 8", "tile[1][2]: 1, 2", "from + 2·100: 208", "from: 8"});
  CHECK(worked("const float* from = f ? A : B; x = from[3]; from += 4; y = from[1];").empty());
  CHECK(worked("int a = 2; int b = a * 3; { float A = 1; x = A + 2; }") ==
        Texts{"a = 2", "b = 2·3 = 6"});
}

TEST_CASE("what a pointer that moves along K points to is told in its own step") {
  // A ring of two tiles of 4. The first is copied before the loop.
  const std::string body =
      "const float* from = A; const auto load = [&](int stage) {\n"
      "  copy(tile[stage][0], from + 1);\n  from += 4; };\n"
      "load(0);\nfor (int turns = K / 8; turns > 0; --turns) {\n"
      "  for (int stage = 0; stage < 2; ++stage) load((stage + 1) % 2);\n}\nint behind = 1;";
  ThreadWalkOptions with = at_step(0, 8);
  with.step_of_place = [](const std::string&, std::int64_t place) { return place / 8; };
  const auto elements = [&](std::int64_t step, int turns) {
    with.step = step;
    with.iterations = turns;
    Texts result;
    for (const std::string& text : worked(body, with)) {
      if (text.starts_with("from + 1")) result.push_back(text);
    }
    return result;
  };
  CHECK(elements(0, 1) == Texts{"from + 1: 1", "from + 1: 5"});
  CHECK(elements(1, 9) == Texts{"from + 1: 9", "from + 1: 13"});
  CHECK(elements(11, 9) == Texts{"from + 1: 89", "from + 1: 93"});
  CHECK(walk_of(body, with).iterations == 12);
  CHECK(walk_of(body, with).change == 1);
}

TEST_CASE("declarations of pointers and references are told from products") {
  CHECK(worked("auto* from = A + 3; x = from[1];") == Texts{"from = A + 3 = 3", "from[1]: 4"});
  CHECK(worked("int a = 1; { float& a = tile[0][1]; int b = a; } int c = a;") ==
        Texts{"a = 1", "tile[0][1]: 0, 1", "c = 1"});
  CHECK(worked("const float* from = 1 ? A + 2 : B; x = from[0];") ==
        Texts{"from = A + 2 = 2", "from[0]: 2"});
}

TEST_CASE("several assignments in one statement are followed one after the other") {
  CHECK(worked("int a = 1, b = 2; a = 3, b = a + 1; int c = b;") ==
        Texts{"a = 1", "b = 2", "c = 4"});
}

TEST_CASE("an element in a macro's text is in the line of its call") {
  const ThreadWalk walk =
      walk_of("x = 1 +\n  AT(2) +\n  AT(3);", options(), "#define AT(i) \\\n  A[i]\n");
  REQUIRE(walk.lines.size() == 2);
  CHECK(walk.lines[0].line == 5);
  CHECK(walk.lines[1].line == 6);
}

TEST_CASE("of a loop along K whose condition is not known the first iteration is shown") {
  for (const std::int64_t step : {0, 3}) {
    CHECK(worked("for (int k = 0; k < K && f; ++k) { int a = k + 1; } int b = 2;", at_step(step)) ==
          Texts{"k = 0", "a = 0 + 1 = 1", "b = 2"});
  }
}

TEST_CASE("the file's functions are evaluated, and structs that they return") {
  const std::string before =
      "struct Piece { int tile, steps; };\n"
      "__device__ int ceil_div(int a, int b) { return (a + b - 1) / b; }\n"
      "template <int BLOCKS, bool whole = true>\n"
      "__device__ Piece piece_of(int block, int tiles) {\n"
      "  if (block >= tiles) return {0, 0};\n  const long long all = 3LL * tiles;\n"
      "  int steps = all / BLOCKS;\n  if (!whole) steps = min(steps, 1);\n"
      "  return {block, steps};\n}\n"
      "__device__ int unsure(int a) { if (f(a)) return 1; return 2; }\n"
      "__device__ int endless(int a) { return endless(a); }\n";
  const auto of = [&](const std::string& body) { return worked(body, options(), before); };
  CHECK(of("const int tiles = ceil_div(M, 128) * 2;") == Texts{"tiles = ceil_div(512, 128)·2 = 8"});
  CHECK(of("const Piece piece = piece_of<4>(blockIdx.x, 8); int end = piece.tile + piece.steps;") ==
        Texts{"piece.tile = 1", "piece.steps = 6", "end = 1 + 6 = 7"});
  CHECK(of("const Piece piece = piece_of<4, false>(9, 8); int last = piece.steps;") ==
        Texts{"piece.tile = 0", "piece.steps = 0", "last = 0"});
  CHECK(of("const auto half = [&](int a) { return a / 2; }; int a = half(9) + 1;") ==
        Texts{"a = half(9) + 1 = 5"});
  CHECK(of("int a = unsure(1); int b = endless(1); int c = ceil_div(f, 2); int d = ceil_div(1);")
            .empty());
  CHECK(of("int row; if (threadIdx.x == 2) row = 7; int next = row + 1;") ==
        Texts{"2 == 2: 1", "row = 7", "next = 7 + 1 = 8"});
}

TEST_CASE("no text makes the walk fail or go on without end") {
  for (const std::string body :
       {"for (;;) { int a = 1; }", "for (int i = 0; ; ) int a = 1;",
        "for (auto x : list) { int a = x; }", "if (", "for (int i", "int", "int a =", "int a = [",
        "auto f = [", "f(", "{{{", "do { } while (0);", "switch (1) { case 1: int a = 2; }",
        "auto f = [&]() { f(); }; f();", "else int a = 1;",
        "for (int k = 0; k < K; k -= 1) { int a = k; }", "for (int k = 0; k < K; k += 0) {}"}) {
    INFO(body);
    ThreadWalkOptions with = at_step(1000000);
    with.iterations = 1000000;
    CHECK(walk_of(body, with).lines.size() <= 4000);
  }
  CHECK_NOTHROW(walk_of(std::string(5000, '{')));
  std::string nested;
  for (int i = 0; i < 500; ++i) nested += "if (f) {";
  CHECK_NOTHROW(walk_of(nested));
}

namespace {

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("a long text before the kernel is read, whatever it holds") {
  const std::vector<std::string> texts = {
      "const int lut[] = {" + repeated("1, ", 15'000) + "1};\n",
      "const int " + repeated("a", 100'000) + "\n;",
      repeated("const int ", 50'000) + ";\n",
      "#define X " + repeated("1 + ", 50'000) + "1\n",
      "#define X(" + repeated("a, ", 50'000) + "b) 1\n",
      "struct S { int " + repeated("a, ", 50'000) + "b; };\n",
      repeated("struct a { ", 20'000) + repeated("} ", 20'000) + ";\n"};
  for (const std::string& before : sample_of(texts, 9)) {
    INFO(before.substr(0, 40));
    CHECK(worked("int a = 1 + BK;", options(), before + "constexpr int BK = 8;\n") ==
          Texts{"a = 1 + 8 = 9"});
  }
}

TEST_CASE("statements nested without end are not understood, and the walk ends soon") {
  constexpr int many = 20'000;  // so deep a recursion has no stack
  for (const std::string statement :
       {"if (f) ", "for (;f;) ", "while (f) ", "do ", "else ", "int a = (", "int a = -(",
        "int a = f ? 1 : ", "A[", "f(", "a = &A[", "const float *a = A + 1, ", "switch (f) "}) {
    INFO(statement);
    CHECK_NOTHROW(walk_of(repeated(statement, many) + ";"));
  }
}

TEST_CASE("lambdas that call each other are looked through once") {
  std::string body = "int row = 1;\n";
  for (int i = 0; i < 60; ++i) {
    body += fmt::format("auto f{} = [&](int a) {{ ", i);
    for (int j = 0; j < i; ++j) body += fmt::format("f{}(a); ", j);
    body += i == 0 ? "row = a; };\n" : "};\n";
  }
  CHECK(worked(body + "if (f) { f59(2); }\nint next = row;") == Texts{"row = 1"});
  CHECK_NOTHROW(walk_of("auto f = [&](int a) { f(a); f(a); f(a); }; f(1); f(2);"));
}

TEST_CASE("a lambda of an inner block that has a function's name does no harm to a later call") {
  CHECK(worked("{ { { const auto twice = [&](int a) { return a; }; } } } int a = twice(1);",
               options(), "__device__ int twice(int a) { return 2 * a; }\n")
            .size() <= 1);
}

TEST_CASE("a macro whose text grows with each call is not written out") {
  CHECK_NOTHROW(walk_of("int a = X(X(X(X(X(1)))));", options(),
                        "#define X(x) " + repeated("x + ", 1000) + "x\n"));
}

TEST_CASE("a loop with a very long header is not followed") {
  const std::string name(20'000, 'k');
  const ThreadWalk walk = walk_of("int " + name + " = 0; for (int k = 0; k < K; ++" + name + ") ;");
  CHECK(!walk.iterations);
}

TEST_CASE("of many values in one line the first are worked out") {
  std::string body;
  for (int i = 0; i < 20'000; ++i) body += fmt::format("int a{} = {}; ", i, i);
  CHECK(worked(body).size() == 1000);
}

TEST_CASE("a function without a name is passed over, at the beginning of a text too") {
  CHECK_NOTHROW(source::Kernel("(int a, int b) { return; }", "kernel"));
  const std::string text = "(__global__ void kernel(float* A, int M) {\n  A[0] = M;\n}\n";
  CHECK_NOTHROW(source::Kernel(text, "kernel"));
}
