#include <climits>
#include <map>
#include <random>

#include "catch.hpp"
#include "source/evaluator.hpp"

using namespace gemm_tutor::source;

namespace {

const std::map<std::string, Integer, std::less<>> known = {
    {"BM", {128}},
    {"tx", {2}},
    {"ty", {9}},
    {"most", {INT_MAX}},
    {"least", {INT_MIN}},
    {"minus", {-7}},
    {"blockIdx.y", {2, {32, true}}},
    {"threadIdx.x", {2, {32, true}}},
};

std::optional<Integer> by_name(std::string_view name) {
  const auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

// With the tokens that it points into.
struct ParsedExpression {
  explicit ParsedExpression(std::string_view text)
      : tokens(tokens_of(text)), expression(parse_expression(tokens)) {}
  std::vector<Token> tokens;
  NodePointer expression;
};

// As an int; nothing where it has no value, or is no expression.
std::optional<std::int64_t> value(std::string_view text, const IntegersByCall& calls = {}) {
  const ParsedExpression parsed(text);
  if (!parsed.expression || parsed.expression->has_effects) return {};
  const auto result = value_of(*parsed.expression, by_name, calls);
  return result ? std::optional(result->as({}).value) : std::nullopt;
}

std::string filled_text(std::string_view text) {
  return filled(*ParsedExpression(text).expression, by_name);
}

}  // namespace

TEST_CASE("operators hold as tightly as in C++") {
  CHECK(value("2 + 3 * 4") == 2 + 3 * 4);
  CHECK(value("(2 + 3) * 4") == 20);
  CHECK(value("100 / 7 * 3 % 5") == 100 / 7 * 3 % 5);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("1 << 2 + 1") == 8);
  CHECK(value("(18 & 1) << 2") == 0);
  CHECK(value("1 | 2 ^ 3 & 6") == (1 | (2 ^ (3 & 6))));
  CHECK(value("5 & 3 == 3") == 1);
  CHECK(value("1 < 2 == 1") == 1);
  CHECK(value("0 && 1 || 1") == 1);
  CHECK(value("1 || 0 && 0") == 1);
  CHECK(value("0 ? 1 : 0 ? 2 : 3") == 3);
  CHECK(value("- - 3") == 3);
  CHECK(value("!0 + ~0") == 0);
  CHECK(value("-2 * -3") == 6);
}

TEST_CASE("random expressions have the values of the compiler's own operators") {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> number(-50, 50);
  for (int i = 0; i < 1000; ++i) {
    const int a = number(random), b = number(random), c = number(random) | 1, d = number(random);
    const auto text = [](int v) { return "(" + std::to_string(v) + ")"; };
    const std::string expression = text(a) + " * " + text(b) + " % " + text(c) + " - " + text(d) +
                                   " / " + text(c) + " + (" + text(a) + " ^ " + text(d) + " | " +
                                   text(b) + ") * (" + text(a) + " < " + text(b) + ")";
    INFO(expression);
    CHECK(value(expression) == a * b % c - d / c + ((a ^ d) | b) * (a < b));
  }
}

TEST_CASE("division and remainder round towards zero") {
  CHECK(value("minus / 2") == -3);
  CHECK(value("minus % 2") == -1);
  CHECK(value("7 / -2") == -3);
  CHECK(value("7 % -2") == 1);
  CHECK(value("minus >> 1") == -4);
}

TEST_CASE("what C++ gives no value has none") {
  CHECK_FALSE(value("1 / 0"));
  CHECK_FALSE(value("1 % (BM - 128)"));
  CHECK_FALSE(value("most + 1"));
  CHECK_FALSE(value("least - 1"));
  CHECK_FALSE(value("-least"));
  CHECK_FALSE(value("least / -1"));
  CHECK_FALSE(value("least % -1"));
  CHECK_FALSE(value("65536 * 65536"));
  CHECK_FALSE(value("1 << 32"));
  CHECK_FALSE(value("1 << -1"));
  CHECK_FALSE(value("9223372036854775807 + 1"));
  CHECK(value("65536LL * 65536 >> 32") == 1);
  CHECK(value("most + 0") == INT_MAX);
}

TEST_CASE("unsigned operands make unsigned arithmetic") {
  CHECK(value("threadIdx.x - 5") == -3);
  CHECK(value("(threadIdx.x - 5) / 2") == 2147483646);
  CHECK(value("-1 < threadIdx.x") == 0);
  CHECK(value("-1 < static_cast<int>(threadIdx.x)") == 1);
  CHECK(value("-1 < (int)threadIdx.x") == 1);
  CHECK(value("-1 < int(threadIdx.x)") == 1);
  CHECK(value("-1 < 2LL * threadIdx.x") == 1);
  CHECK(value("(unsigned int)minus > 5") == 1);
  CHECK(value("static_cast<std::size_t>(minus) > 5") == 1);
  CHECK(value("4294967295u + 1") == 0);
  CHECK(value("(bool)minus + true") == 2);
}

TEST_CASE("numbers are read as C++ writes them") {
  CHECK(value("0x1F") == 31);
  CHECK(value("0b101") == 5);
  CHECK(value("017") == 15);
  CHECK(value("1'000") == 1000);
  CHECK(value("32u") == 32);
  CHECK(value("0xffffffff + 1") == 0);
  CHECK_FALSE(value("1.0f"));
  CHECK_FALSE(value("08"));
  CHECK_FALSE(value("12abc"));
  CHECK_FALSE(value("99999999999999999999"));
}

TEST_CASE("a name that is not known makes what depends on it unknown, and no more") {
  CHECK_FALSE(value("row + 1"));
  CHECK_FALSE(value("threadIdx.y"));
  CHECK(value("0 && row") == 0);
  CHECK(value("1 || row") == 1);
  CHECK_FALSE(value("row && 0"));
  CHECK(value("1 ? BM : row") == 128);
  CHECK_FALSE(value("0 ? BM : row"));
}

TEST_CASE("a call has the value that is known of it, and of two numbers the least or the most") {
  CHECK(value("min(BM, 5) + max(tx, ty)") == 14);
  CHECK(value("min(minus, threadIdx.x)") == 2);  // unsigned, as the operators are
  CHECK_FALSE(value("min(row, 5)"));
  CHECK_FALSE(value("max(1, 2, 3)"));
  CHECK_FALSE(value("f(1)"));
  std::string called;
  const IntegersByCall calls = [&](const Node& call,
                                   const std::vector<std::optional<Integer>>& arguments) {
    called = call.text;
    for (const NodePointer& one : call.template_arguments) {
      called += "|" + filled(*one, by_name);
    }
    return arguments.at(1);
  };
  CHECK(value("2 * half<BM, 4>(row, ty + 1)", calls) == 20);
  CHECK(called == "half|128|4");
  CHECK(filled_text("2 * half<BM, 4>(row, ty + 1)") == "2·half(row, 9 + 1)");
  CHECK(value("tx < BM") == 1);
  CHECK(value("tx < (BM)") == 1);
}

TEST_CASE("what is no integer expression has no value") {
  for (const char* text : {"",
                           "f(1",
                           "f(1 2)",
                           "f<1>",
                           "f(1.0f)",
                           "a[1]",
                           "1 +",
                           "* 2",
                           "(1",
                           "1)",
                           "x = 1",
                           "x += 1",
                           "x <<= 1",
                           "i++",
                           "++i",
                           "--i",
                           "a->b",
                           "a.b.c",
                           "\"text\"",
                           "1, 2",
                           "(float)tx",
                           "static_cast<float>(tx)",
                           "static_cast<int>tx",
                           "1 ? 2",
                           "{1}"}) {
    INFO(text);
    CHECK_FALSE(value(text));
  }
  CHECK_FALSE(value(std::string(100, '(') + "1" + std::string(100, ')')));
  CHECK_FALSE(value(std::string(1000, '-') + "1"));
}

TEST_CASE("numbers are filled in for the names that are known") {
  CHECK(filled_text("blockIdx.y * BM + ty") == "2·128 + 9");
  CHECK(filled_text("(BM/8) * (row + 1)") == "(128/8)·(row + 1)");
  CHECK(filled_text("(tx & 31) << 2") == "(2 & 31) << 2");
  CHECK(filled_text("minus + tx % 2") == "(-7) + 2 % 2");
  CHECK(filled_text("static_cast<int>(threadIdx.x)") == "int(2)");
  CHECK(filled_text("ty < BM ? tx : -1") == "9 < 128 ? 2 : -1");
}
