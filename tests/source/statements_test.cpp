#include <map>

#include "catch.hpp"
#include "source/syntax.hpp"

using namespace gemm_tutor::source;

namespace {

// The statements as a Lisp would write them.
std::string shown(const Node& expression) {
  using Kind = Node::Kind;
  static const std::map<Kind, std::string> kinds = {{Kind::opaque, "opaque"},
                                                    {Kind::number, "number"},
                                                    {Kind::name, "name"},
                                                    {Kind::unary, "unary"},
                                                    {Kind::increment, "step"},
                                                    {Kind::binary, "binary"},
                                                    {Kind::assignment, "assign"},
                                                    {Kind::conditional, "?"},
                                                    {Kind::cast, "cast"},
                                                    {Kind::parentheses, "("},
                                                    {Kind::call, "call"},
                                                    {Kind::subscript, "["},
                                                    {Kind::list, "{"},
                                                    {Kind::lambda, "lambda"}};
  if (expression.operands.empty()) return text_of(expression.tokens);
  std::string result = "<" + kinds.at(expression.kind) + " " + expression.text;
  for (const NodePointer& one : expression.operands) result += " " + shown(*one);
  return result + ">";
}

std::string expression_of(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  return shown(*parse_expression(tokens));
}

struct ParsedStatements {
  explicit ParsedStatements(std::string_view text)
      : tokens(tokens_of(text)), statements(parse_statements(tokens)) {}
  std::vector<Token> tokens;
  Statements statements;
};

}  // namespace

TEST_CASE("an expression's tree is C++'s") {
  CHECK(expression_of("a = b + c * d") == "<assign = a <binary + b <binary * c d>>>");
  CHECK(expression_of("a ? b : c ? d : e") == "<?  a b <?  c d e>>");
  CHECK(expression_of("-a[i][j] * &b") == "<binary * <unary - <[  <[  a i> j>> <unary & b>>");
  CHECK(expression_of("ns::f<4, x>(threadIdx.x, n++)") == "<call ns::f threadIdx.x <step ++ n>>");
  CHECK(expression_of("(unsigned int)a + int(b)") ==
        "<binary + <cast unsigned int a> <cast int b>>");
  CHECK(expression_of("static_cast<std::size_t>(a) < b") == "<binary < <cast std::size_t a> b>");
  CHECK(expression_of("i < n && j > (k)") == "<binary && <binary < i n> <binary > j <(  k>>>");
}

TEST_CASE("what is not understood is opaque, with the expressions that are found in it") {
  CHECK(expression_of("*reinterpret_cast<float4*>(&a[1])") ==
        "<unary * <opaque  <(  <unary & <[  a 1>>>>>");
  CHECK(expression_of("(float)a") == "<opaque  <(  float> a>");
  CHECK(expression_of("f(a)(b[1])") == "<opaque  <call f a> <(  <[  b 1>>>");
  CHECK(expression_of("a[1].x->y") == "<opaque  <opaque  <[  a 1>>>");
  CHECK(expression_of("f(1 b[2])") == "<opaque f <(  1> <(  <[  b 2>>>");
  CHECK(expression_of("a b") == "<opaque  a b>");
  CHECK(expression_of("1.0f") == "1.0f");
}

TEST_CASE("statements have their parts") {
  const ParsedStatements parsed(
      "const int row = 1, column(2); float sum[4][TN] = {}, *from = A + 1;\n"
      "for (int i = 0; i < 4; ++i, j += 2) sum[i] = 0;\n"
      "if constexpr (a) { b(); } else if (c) return d; else break;\n"
      "while (x) { y(); } do z(); while (w);\n"
      "switch (v) { case 1: u(); default: t(); }\n"
      "asm volatile(\"\" :: \"r\"(s));");
  const Statements& all = parsed.statements;
  REQUIRE(all.size() == 8);
  CHECK(all[0].kind == Statement::Kind::declaration);
  CHECK(all[0].integer == IntegerType{32, false});
  REQUIRE(all[0].declarators.size() == 2);
  CHECK(all[0].declarators[1].name == "column");
  CHECK(shown(*all[0].declarators[1].value) == "2");
  REQUIRE(all[1].declarators.size() == 2);
  CHECK(all[1].type == "float");
  CHECK(all[1].declarators[0].extents.size() == 2);
  CHECK(all[1].declarators[1].is_pointer);
  CHECK(all[2].kind == Statement::Kind::for_loop);
  CHECK(all[2].line == 2);
  CHECK(all[2].first.at(0).kind == Statement::Kind::declaration);
  CHECK(shown(*all[2].expressions.at(0)) == "<binary < i 4>");
  CHECK(all[2].advances.size() == 2);
  CHECK(all[2].body.at(0).kind == Statement::Kind::expressions);
  CHECK(all[3].kind == Statement::Kind::if_else);
  CHECK(all[3].otherwise.at(0).body.at(0).kind == Statement::Kind::return_value);
  CHECK(all[3].otherwise.at(0).otherwise.at(0).kind == Statement::Kind::break_loop);
  for (int i = 4; i < 7; ++i) CHECK(all[i].kind == Statement::Kind::unknown);
  CHECK(all[6].body.at(0).body.size() == 4);
  CHECK(all[7].kind == Statement::Kind::expressions);
}

TEST_CASE("a declaration is told from an expression") {
  const auto kind = [](std::string_view text) {
    return ParsedStatements(text).statements.at(0).kind;
  };
  for (const char* text :
       {"float4 a;", "auto a = 1;", "ns::Tile t = f();", "Pair<int, 2> p{1, 2};",
        "float& a = b[1];", "const float* __restrict__ a = A;", "alignas(16) float a[4];",
        "unsigned long long a(1);", "__shared__ float a[4];", "float *a, b;", "auto [a, b] = c;"}) {
    INFO(text);
    CHECK(kind(text) == Statement::Kind::declaration);
  }
  for (const char* text : {"a = 1;", "a[1] *= 2;", "f(a);", "f<4>(a);", "a.b = 1;", "++a;",
                           "int(a);", "*a = 1;", "a * 2 + f();", "unsigned(a) + 1;"}) {
    INFO(text);
    CHECK(kind(text) != Statement::Kind::unknown);
    if (std::string_view(text) != "a * 2 + f();") CHECK(kind(text) == Statement::Kind::expressions);
  }
}

TEST_CASE("a lambda has parameters and a body") {
  const ParsedStatements parsed(
      "const auto load = [&](int stage, float* to) mutable -> int { return 1; };");
  const Node& lambda = *parsed.statements.at(0).declarators.at(0).value;
  REQUIRE(lambda.kind == Node::Kind::lambda);
  REQUIRE(lambda.parameters.size() == 2);
  CHECK(lambda.parameters[1].name == "to");
  CHECK(lambda.body.at(0).kind == Statement::Kind::return_value);
}

TEST_CASE("calls of macros that take arguments become their text") {
  const auto of = [](std::string_view before, std::string_view text) {
    const File file(before);
    const std::vector<Token> tokens = tokens_of(text);
    return text_of(expanded(tokens, file.macros));
  };
  const std::string at = "#define AT(row, col) ((row) * N + (col))\n";
  CHECK(of(at, "x = AT(i, f(j, k));") == "x = ((i) * N + (f(j, k)));");
  CHECK(of(at, "AT(AT(1, 2), 3)") == "((((1) * N + (2))) * N + (3))");
  CHECK(of(at, "AT + AT(1, 2") == "AT + AT(1, 2");
  CHECK(of(at + "#define SELF(x) SELF(x + 1)\n", "SELF(2)") == "SELF(2 + 1)");
  CHECK(of("#define TWO(x) x x\n#define FOUR(x) TWO(x) TWO(x)\n", "FOUR(a)") == "a a a a");
  CHECK(of("#define N 4\n", "N") == "N");
  std::string nested = "1";
  for (int i = 0; i < 100; ++i) nested = "AT(" + nested + ", 2)";
  CHECK_FALSE(of(at, nested).empty());
}

TEST_CASE("a constant's template becomes its value, and is not a constant of that name") {
  const std::string_view source =
      "template <int ROWS, int N>\ninline constexpr int THREADS = ROWS / 8 * N;\n"
      "template <int R> constexpr int HALF = R / 2, WARPS = THREADS<R, 1> / 32;\n"
      "template <int R> int f() { constexpr int own = 3; return own; }\n";
  const File file(source);
  const auto of = [&](std::string_view text) {
    const std::vector<Token> tokens = tokens_of(text);
    return text_of(expanded(tokens, file.macros));
  };
  CHECK(of("t = THREADS<BM, 2>, x;") == "t = (BM / 8 * 2), x;");
  CHECK(of("2 * ns::THREADS<BM + 1, N>") == "2 * ((BM + 1) / 8 * N)");
  CHECK(of("WARPS<64>") == "((64 / 8 * 1) / 32)");
  CHECK(of("THREADS<1") == "THREADS<1");
  const std::vector<Constant> constants = constants_in(file.code);
  REQUIRE(constants.size() == 1);
  CHECK(constants[0].name == "own");
}

TEST_CASE("a macro's text is where its call is") {
  const File file("#define TWO(x) (x + \\\n x)\n");
  const std::vector<Token> tokens = tokens_of("a\n\nTWO(\nb)");
  const std::vector<Token> all = expanded(tokens, file.macros);
  REQUIRE(all.size() == 6);
  CHECK(all[1].line == 3);
  CHECK(all[2].line == 4);
  CHECK(all[5].line == 3);
}
