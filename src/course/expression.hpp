// Arithmetic expressions in formulas and learners' answers: "BM·BK + BK·BN", "M·N·K·(1/BM + 1/BN)",
// "⌈K / BK⌉", "2^20", "4/3".
//
// Numbers may have commas between thousands ("2,048"), decimals and an exponent ("1e6"). A name has
// letters, digits and underscores. The operators, by decreasing precedence: ^ or **; a minus before
// a number; * or · or ×, / or ÷, and % (the remainder); + and -; the comparisons
// == != < <= > >=, which give 1 or 0; `and`; `or`. There are also (…), ⌈…⌉ or ceil(…), ⌊…⌋ or
// floor(…), max(…, …) and min(…, …).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "support/error.hpp"

namespace gemm_tutor {

using Values = std::map<std::string, double, std::less<>>;  // by name

// Error (usage): a division by zero.
struct DivisionByZero : Error {
  explicit DivisionByZero(std::string divisor_text);
  std::string divisor;  // its text in the expression: "global_load_requests"
};

// (usage) A name in the expression has no value.
struct NoValue : Error {
  NoValue(std::string_view the_name, const Values& values);
  std::string name;
};

struct ExpressionNode;

class Expression {
 public:
  // Throws Error (usage), with the place, if `text` is not an expression, is longer than 1,000
  // bytes or is nested too deeply.
  static Expression parse(std::string_view text);

  // The result of 0/0.
  enum class NothingOfNothing { error, zero };

  // Throws NoValue, DivisionByZero, and Error (usage) for a result that is not finite. Two numbers
  // are == if they differ by less than a billionth, because 1/3 is not exact.
  double value(const Values& values, NothingOfNothing rule = NothingOfNothing::error) const;

  // Returns the text with numbers in place of names: "32·8 + 8·32". Throws NoValue.
  std::string substituted(const Values& values) const;

 private:
  explicit Expression(std::shared_ptr<const ExpressionNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const ExpressionNode> root_;
};

// The value of an expression's text. Throws what Expression::parse() and value() throw.
inline double evaluated(std::string_view expression, const Values& values) {
  return Expression::parse(expression).value(values);
}

// True if they differ by less than a billionth of the larger one.
bool nearly_equal(double a, double b);

// "2,048", "16.5", "170.6667": at most four decimals.
std::string number_text(double value);

}  // namespace gemm_tutor
