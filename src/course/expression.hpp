// Arithmetic as formulas and learners write it: "BM·BK + BK·BN", "M·N·K·(1/BM + 1/BN)", "⌈K / BK⌉",
// "2^20", "4/3".
//
// Numbers may have commas between thousands ("2,048"), decimals and an exponent ("1e6"); a name is
// letters, digits and underscores. The operators are, by how tightly they hold: ^ or **; a minus
// before a number; * or · or ×, / or ÷, and % (what is left of a division); + and -; the
// comparisons
// == != < <= > >=, which give 1 or 0; `and`; and `or`. Then (…), ⌈…⌉ or ceil(…), ⌊…⌋ or floor(…),
// max(…, …) and min(…, …).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "support/error.hpp"

namespace gemm_tutor {

using Values = std::map<std::string, double, std::less<>>;  // of names

// (usage) Part of an expression has the value 0, and another is divided by it.
struct DivisionByZero : Error {
  explicit DivisionByZero(std::string divisor_text);
  std::string divisor;  // as it is written: "global_load_requests"
};

// (usage) A name in the expression has no value.
struct NoValue : Error {
  NoValue(std::string_view the_name, const Values& values);
  std::string name;
};

struct ExpressionNode;

class Expression {
 public:
  // Throws Error (usage) that says where `text` is no arithmetic, or that it is longer than 1,000
  // bytes or more deeply nested than anyone writes.
  static Expression parse(std::string_view text);

  // What 0/0 is.
  enum class NothingOfNothing { error, zero };

  // Throws NoValue, DivisionByZero, and Error (usage) for a result that is not finite. Two numbers
  // are == when they differ by less than a billionth: a third has no last digit.
  double value(const Values& values, NothingOfNothing rule = NothingOfNothing::error) const;

  // With numbers for the names: "32·8 + 8·32". Throws NoValue.
  std::string substituted(const Values& values) const;

 private:
  explicit Expression(std::shared_ptr<const ExpressionNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const ExpressionNode> root_;
};

// They differ by less than a billionth of the larger.
bool nearly_equal(double a, double b);

// "2,048", "16.5", "170.6667": with four decimals at most.
std::string number_text(double value);

}  // namespace gemm_tutor
