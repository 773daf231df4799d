#include "course/expression.hpp"

#include "course_checks.hpp"

namespace gemm_tutor {
namespace {

const Values numbers = {{"M", 1024}, {"BM", 32}, {"BK", 8}, {"tile_rows", 64}, {"below", -3}};

double value_of(std::string_view text) { return Expression::parse(text).value(numbers); }
std::string substituted(std::string_view text) {
  return Expression::parse(text).substituted(numbers);
}
std::string message_of(const std::string& text) {
  const Error error = error_of([&] { value_of(text); });
  CHECK(error.status() == ExitStatus::usage);
  CHECK_FALSE(error.help().empty());
  return error.what();
}

}  // namespace

TEST_CASE("numbers as people write them") {
  CHECK(value_of("2048") == 2048);
  CHECK(value_of("2,048") == 2048);
  CHECK(value_of("1,048,576") == 1048576);
  CHECK(value_of("1.33") == 1.33);
  CHECK(value_of("0.1") == 0.1);
  CHECK(value_of(".5") == 0.5);
  CHECK(value_of("1e6") == 1e6);
  CHECK(value_of("2.5E-1") == 0.25);
  CHECK(value_of("  7\t") == 7);
}

TEST_CASE("a comma parts thousands only before three digits, and arguments never") {
  CHECK(value_of("max(1,024)") == 24);
  CHECK(value_of("max((1,024), 2)") == 1024);
  for (const std::string text : {"1,2", "1,24", "1,0245", "1234,567", "1,", ",1"}) {
    INFO(text);
    CHECK(contains(message_of(text), "is no arithmetic"));
  }
}

TEST_CASE("operators by how tightly they hold") {
  CHECK(value_of("2 + 3·4") == 14);
  CHECK(value_of("(2 + 3)*4") == 20);
  CHECK(value_of("12/2/3") == 2);
  CHECK(value_of("12 ÷ 4 × 2") == 6);
  CHECK(value_of("10 - 3 − 2") == 5);
  CHECK(value_of("2^20") == 1048576);
  CHECK(value_of("2**10") == 1024);
  CHECK(value_of("2^3^2") == 512);
  CHECK(value_of("3·2^2") == 12);
  CHECK(value_of("-2^2") == -4);
  CHECK(value_of("2^-1") == 0.5);
  CHECK(value_of("2 * -3 + 1") == -5);
  CHECK(value_of("−M") == -1024);
}

TEST_CASE("what is left of a division") {
  CHECK(value_of("BM % BK") == 0);
  CHECK(value_of("7 + 30 % BK·2") == 19);
  CHECK(value_of("BM % 12 == 8") == 1);
  CHECK(substituted("BM%BK") == "32 % 8");
  CHECK_THROWS_AS(value_of("BM % (BK - 8)"), DivisionByZero);
}

TEST_CASE("`or` holds less tightly than `and`") {
  CHECK(value_of("1 == 1 or 1 == 2 and 1 == 2") == 1);
  CHECK(value_of("1 == 2 or BM < BK") == 0);
  CHECK(value_of("(1 == 1 or 1 == 2) and 1 == 2") == 0);
  CHECK(contains(message_of("or 1"), "before 'or'"));
}

TEST_CASE("comparisons give 1 or 0, and have `and` between them") {
  CHECK(value_of("2 + 2 == 4") == 1);
  CHECK(value_of("2 != 2") == 0);
  CHECK(value_of("BK < BM and BM <= 32") == 1);
  CHECK(value_of("BK >= BM and 1 == 1") == 0);
  CHECK(value_of("3 > 2") == 1);
  CHECK(value_of("1/3 + 1/3 + 1/3 == 3·(1/3)") == 1);
  CHECK(value_of("0 == 0") == 1);
  CHECK(value_of("1000000 == 1000001") == 0);
  CHECK(contains(message_of("1 < 2 < 3"), "two at a time"));
  CHECK(contains(message_of("and 1"), "before 'and'"));
}

TEST_CASE("functions, and names that begin like one") {
  CHECK(value_of("⌈100/32⌉") == 4);
  CHECK(value_of("⌊100/32⌋") == 3);
  CHECK(value_of("ceil(100/BM) - floor(100/BM)") == 1);
  CHECK(value_of("max(2, BK, 3) + min(2, BK, 3)") == 10);
  CHECK(value_of("tile_rows/2") == 32);
  CHECK(contains(message_of("ceil 3"), "'(' is missing"));
  CHECK(contains(message_of("min(1, 2"), "')' is missing"));
  CHECK(contains(message_of("⌈3"), "'⌉' is missing"));
}

TEST_CASE("with numbers for the names it reads as it was written") {
  CHECK(substituted("BM*BK + BK*BM") == "32·8 + 8·32");
  CHECK(substituted("M·M·(1/BM+1/BM)") == "1,024·1,024·(1/32 + 1/32)");
  CHECK(substituted("ceil(M / BM)") == "⌈1,024/32⌉");
  CHECK(substituted("min(32, 4·M) + 1") == "min(32, 4·1,024) + 1");
  CHECK(substituted("2**20 - -M") == "2^20 - -1,024");
  CHECK(substituted("2·below") == "2·(-3)");
  CHECK(substituted("M == 2 and BK>1") == "1,024 == 2 and 8 > 1");
}

TEST_CASE("what is not there is named") {
  const Error error = error_of([] { value_of("BM·XY"); });
  CHECK(contains(error.what(), "'XY'"));
  CHECK(contains(error.help(), "BK, BM, M"));
  CHECK_THROWS_AS(substituted("BM·XY"), Error);
  CHECK(contains(error_of([] { Expression::parse("x").value({}); }).help(), "numbers alone"));
}

TEST_CASE("no number: division by zero, and what is too large") {
  CHECK(contains(message_of("1/0"), "divides by zero"));
  CHECK(contains(message_of("1/(BK - 8)"), "divides by zero, as BK - 8 is 0"));
  CHECK(message_of("1/0") == "it divides by zero");
  const auto lenient = Expression::NothingOfNothing::zero;
  CHECK(Expression::parse("2 + 0/(1 - 1)").value({}, lenient) == 2);
  CHECK_THROWS_AS(Expression::parse("0/(1 - 1)").value({}), DivisionByZero);
  CHECK_THROWS_AS(Expression::parse("1/(1 - 1)").value({}, lenient), DivisionByZero);
  try {
    value_of("M/(2·(BK - 8)/M)");
    FAIL("it has a value");
  } catch (const DivisionByZero& error) {
    CHECK(error.divisor == "2·(BK - 8)/M");
  }
  CHECK(contains(message_of("1e999"), "too large"));
  CHECK(contains(message_of("0e999"), "too large"));
  CHECK(contains(message_of("10^10^10"), "too large"));
  CHECK(contains(message_of("(-8)^0.5"), "no number"));
  CHECK(contains(message_of("1e308*10"), "too large"));
}

TEST_CASE("what is no arithmetic is an error, and neither a crash nor a wait") {
  for (const std::string text :
       {"",    " ",     "+",    "2 +",  "(",     "()",      ")",        "2)",   "2 3",
        "*2",  "2 ** ", "nan(", "1..2", ".",     "\x01",    "\xff\xfe", "½",    "\n",
        "2;3", "2\n3",  "a b",  "2x",   "max()", "max(1,)", "⌈",        "$(1)", "0x10"}) {
    INFO(text);
    CHECK(contains(message_of(text), "is no arithmetic"));
  }
  const std::string million(1'000'000, '(');
  CHECK(contains(message_of(million), "too long"));
  CHECK(message_of(million).size() < 200);
  for (const char* nested : {"(", "-", "2^", "max(", "⌈", "1+("}) {
    std::string text;
    while (text.size() < 900) text += nested;
    INFO(nested);
    CHECK(contains(message_of(text), "nested too deeply"));
  }
  std::string sum = "1";
  while (sum.size() < 990) sum += "+1";
  CHECK(value_of(sum) == 496);
  CHECK(contains(message_of("2" + std::string(900, '9') + "$"), "is no arithmetic"));
}

TEST_CASE("a number's text has commas, and four decimals at most") {
  CHECK(number_text(0) == "0");
  CHECK(number_text(2048) == "2,048");
  CHECK(number_text(16.5) == "16.5");
  CHECK(number_text(512.0 / 3) == "170.6667");
  CHECK(number_text(0.99999) == "1");
  CHECK(number_text(-0.00001) == "0");
  CHECK(number_text(-1234.5) == "-1,234.5");
  CHECK(number_text(1e20) == "1e+20");
}

}  // namespace gemm_tutor
