#include "course/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::size_t longest_text = 1000;
constexpr int deepest_nesting = 50;

struct Operator {
  std::string_view printed;  // with the blanks around it
  int binding = 0;           // precedence; higher binds more tightly
  double (*apply)(double, double) = nullptr;
  bool compares = false;
};

struct Function {
  std::string_view open, close;  // as they are printed
  double (*apply)(const std::vector<double>&) = nullptr;
  bool takes_several = false;
};

}  // namespace

struct ExpressionNode {
  double number = 0;                    // when nothing else is set
  std::string name = {};                // or a name
  const Operator* operation = nullptr;  // or of two operands; of one, a minus before it
  const Function* function = nullptr;   // or of its arguments; of one, also parentheses
  std::vector<std::shared_ptr<const ExpressionNode>> operands = {};
};

namespace {

using NodePointer = std::shared_ptr<const ExpressionNode>;

constexpr int minus_binding = 5;  // before a number: 2 * -3, but -2^2 is -4
constexpr int power_binding = 6;

constexpr Operator either{" or ", 0, [](double a, double b) { return double(a != 0 || b != 0); }};
constexpr Operator both{" and ", 1, [](double a, double b) { return double(a != 0 && b != 0); }};
constexpr Operator equal{" == ", 2, [](double a, double b) { return double(nearly_equal(a, b)); },
                         true};
constexpr Operator unequal{" != ", 2,
                           [](double a, double b) { return double(!nearly_equal(a, b)); }, true};
constexpr Operator at_most{" <= ", 2, [](double a, double b) { return double(a <= b); }, true};
constexpr Operator at_least{" >= ", 2, [](double a, double b) { return double(a >= b); }, true};
constexpr Operator below{" < ", 2, [](double a, double b) { return double(a < b); }, true};
constexpr Operator above{" > ", 2, [](double a, double b) { return double(a > b); }, true};
constexpr Operator plus{" + ", 3, [](double a, double b) { return a + b; }};
constexpr Operator minus{" - ", 3, [](double a, double b) { return a - b; }};
constexpr Operator times{"·", 4, [](double a, double b) { return a * b; }};
constexpr Operator over{"/", 4, [](double a, double b) { return a / b; }};
constexpr Operator remainder_of{" % ", 4, [](double a, double b) { return std::fmod(a, b); }};
constexpr Operator power{"^", power_binding, [](double a, double b) { return std::pow(a, b); }};

struct Spelling {
  std::string_view text;
  const Operator* meaning = nullptr;
};
// Longer ones must be before their prefixes.
constexpr Spelling spellings[] = {
    {"==", &equal}, {"!=", &unequal},     {"<=", &at_most}, {">=", &at_least}, {"<", &below},
    {">", &above},  {"**", &power},       {"^", &power},    {"*", &times},     {"·", &times},
    {"×", &times},  {"/", &over},         {"÷", &over},     {"+", &plus},      {"-", &minus},
    {"−", &minus},  {"%", &remainder_of},
};

constexpr Function enclosed{"(", ")", [](const std::vector<double>& of) { return of.front(); }};
constexpr Function ceiling{"⌈", "⌉",
                           [](const std::vector<double>& of) { return std::ceil(of.front()); }};
constexpr Function floored{"⌊", "⌋",
                           [](const std::vector<double>& of) { return std::floor(of.front()); }};
constexpr Function largest{
    "max(", ")", [](const std::vector<double>& of) { return *std::ranges::max_element(of); }, true};
constexpr Function smallest{
    "min(", ")", [](const std::vector<double>& of) { return *std::ranges::min_element(of); }, true};

const Function* function_called(std::string_view name) {
  if (name == "ceil") return &ceiling;
  if (name == "floor") return &floored;
  if (name == "max") return &largest;
  if (name == "min") return &smallest;
  return nullptr;
}

const Operator* operator_called(std::string_view word) {
  if (word == "and") return &both;
  return word == "or" ? &either : nullptr;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

NodePointer node(ExpressionNode content) {
  return std::make_shared<const ExpressionNode>(std::move(content));
}

std::string shortened_text(std::string_view text) { return shortened(text, 40); }

Error no_arithmetic(std::string_view text, std::string_view why) {
  return {ExitStatus::usage, fmt::format("'{}' is no arithmetic: {}", shortened_text(text), why),
          "Write it as in '2*BK + 1', '2^10' or '3/4'."};
}

// A Pratt parser: parses an operand, then operators while they bind more tightly than the previous
// one.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  NodePointer whole() {
    if (text_.size() > longest_text) fail("it is too long");
    NodePointer root = expression(0);
    skip_blanks();
    if (!rest_.empty()) fail(fmt::format("'{}' is not expected there", shortened_text(rest_)));
    return root;
  }

 private:
  [[noreturn]] void fail(std::string_view why) const { throw no_arithmetic(text_, why); }

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  bool accept(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void expect(std::string_view text) {
    if (!accept(text)) fail(fmt::format("'{}' is missing", text));
  }

  // Returns the next operator if it binds at least this tightly.
  const Operator* accept_operator(int least_binding) {
    skip_blanks();
    for (const auto& [text, meaning] : spellings) {
      if (!rest_.starts_with(text)) continue;
      if (meaning->binding < least_binding) return nullptr;
      rest_.remove_prefix(text.size());
      return meaning;
    }
    const Operator* meaning = operator_called(next_word());
    if (!meaning || meaning->binding < least_binding) return nullptr;
    rest_.remove_prefix(next_word().size());
    return meaning;
  }

  NodePointer expression(int least_binding) {
    if (++depth_ > deepest_nesting) fail("it is nested too deeply");
    NodePointer left = operand();
    bool compared = false;
    while (const Operator* operation = accept_operator(least_binding)) {
      if (compared && operation->compares) fail("compare two at a time, with 'and' between");
      compared = operation->compares;
      // The right side of a power takes further powers: 2^3^2 is 2^9.
      const int right_binding = operation == &power ? power_binding : operation->binding + 1;
      NodePointer right = expression(right_binding);
      left = node({.operation = operation, .operands = {left, right}});
    }
    --depth_;
    return left;
  }

  NodePointer operand() {
    skip_blanks();
    if (rest_.empty()) fail("something is missing at its end");
    if (is_digit(rest_.front()) || rest_.front() == '.') return number();
    if (is_word_character(rest_.front())) return name_or_call();
    if (accept("-") || accept("−")) {
      return node({.operation = &minus, .operands = {expression(minus_binding)}});
    }
    if (accept("(")) return closed(enclosed, ")");
    if (accept("⌈")) return closed(ceiling, "⌉");
    if (accept("⌊")) return closed(floored, "⌋");
    fail(fmt::format("'{}' is not expected there", shortened_text(rest_)));
  }

  NodePointer closed(const Function& function, std::string_view close) {
    const bool were_arguments = std::exchange(in_arguments_, function.takes_several);
    std::vector<NodePointer> operands = {expression(0)};
    while (function.takes_several && accept(",")) operands.push_back(expression(0));
    expect(close);
    in_arguments_ = were_arguments;
    return node({.function = &function, .operands = std::move(operands)});
  }

  std::string_view next_word() const {
    const auto end = std::ranges::find_if_not(rest_, is_word_character);
    return rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  }

  NodePointer name_or_call() {
    const std::string_view name = next_word();
    rest_.remove_prefix(name.size());
    if (const Function* function = function_called(name)) {
      expect("(");
      return closed(*function, ")");
    }
    if (operator_called(name)) fail(fmt::format("something is missing before '{}'", name));
    return node({.name = std::string(name)});
  }

  // A comma separates thousands if exactly three digits follow, but never between arguments.
  bool at_thousands_comma(std::size_t digits_before) const {
    const auto digit_at = [&](std::size_t at) { return at < rest_.size() && is_digit(rest_[at]); };
    return !in_arguments_ && digits_before <= 3 && rest_.starts_with(',') && digit_at(1) &&
           digit_at(2) && digit_at(3) && !digit_at(4);
  }

  // Appends digits to those of `value`; how many.
  std::size_t digits(double& value) {
    std::size_t count = 0;
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1), ++count) {
      value = 10 * value + (rest_.front() - '0');
    }
    return count;
  }

  NodePointer number() {
    double value = 0;
    std::size_t before = digits(value);
    while (at_thousands_comma(before)) {
      rest_.remove_prefix(1);
      before = digits(value);
    }
    std::size_t decimals = 0;
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      decimals = digits(value);
      if (before + decimals == 0) fail("a point without digits");
    }
    // One division by a power of ten is rounded once: 1.33 is the same as the compiler's.
    value /= std::pow(10.0, static_cast<double>(decimals));
    value *= std::pow(10.0, exponent());
    if (!std::isfinite(value)) fail("a number in it is too large");
    return node({.number = value});
  }

  // Parses the exponent of "1e6". In "2em" there is no exponent.
  double exponent() {
    const std::string_view start = rest_;
    if (!rest_.starts_with('e') && !rest_.starts_with('E')) return 0;
    rest_.remove_prefix(1);
    const bool negative = rest_.starts_with('-');
    if (negative || rest_.starts_with('+')) rest_.remove_prefix(1);
    double value = 0;
    if (digits(value) == 0) {
      rest_ = start;
      return 0;
    }
    return negative ? -value : value;
  }

  std::string_view text_, rest_;
  int depth_ = 0;
  bool in_arguments_ = false;
};

double value_of_name(const std::string& name, const Values& values) {
  const auto found = values.find(name);
  if (found == values.end()) throw NoValue(name, values);
  return found->second;
}

std::string list_of_names(const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names.empty() ? "Use numbers alone." : fmt::format("There are: {}.", join(names));
}

double finite(double value) {
  if (std::isfinite(value)) return value;
  throw Error(ExitStatus::usage, "the result is too large, or no number at all",
              "Use smaller numbers.");
}

// A negative number in place of a name gets parentheses: 2·(-3).
std::string text_of_value(double value) {
  return value < 0 ? fmt::format("({})", number_text(value)) : number_text(value);
}

// Without values the names stay.
std::string text_of(const ExpressionNode& node, const Values* values) {
  if (!node.name.empty()) {
    return values ? text_of_value(value_of_name(node.name, *values)) : node.name;
  }
  std::vector<std::string> operands;
  for (const NodePointer& operand : node.operands) operands.push_back(text_of(*operand, values));
  if (node.function) {
    return fmt::format("{}{}{}", node.function->open, join(operands), node.function->close);
  }
  if (!node.operation) return number_text(node.number);
  return operands.size() == 1 ? "-" + operands[0] : join(operands, node.operation->printed);
}

// "global_load_requests/2" of "(global_load_requests/2)".
std::string text_of_divisor(const ExpressionNode& node) {
  return text_of(node.function == &enclosed ? *node.operands.front() : node, nullptr);
}

double value_of_node(const ExpressionNode& node, const Values& values,
                     Expression::NothingOfNothing rule) {
  if (!node.name.empty()) return value_of_name(node.name, values);
  std::vector<double> operands;
  for (const NodePointer& operand : node.operands) {
    operands.push_back(value_of_node(*operand, values, rule));
  }
  if (node.function) return finite(node.function->apply(operands));
  if (!node.operation) return node.number;
  if (operands.size() == 1) return -operands[0];
  const bool divides = node.operation == &over || node.operation == &remainder_of;
  if (divides && operands[1] == 0) {
    if (operands[0] == 0 && rule == Expression::NothingOfNothing::zero) return 0;
    throw DivisionByZero(text_of_divisor(*node.operands[1]));
  }
  return finite(node.operation->apply(operands[0], operands[1]));
}

}  // namespace

DivisionByZero::DivisionByZero(std::string divisor_text)
    : Error(ExitStatus::usage,
            fmt::format("it divides by zero{}",
                        divisor_text == "0" ? "" : fmt::format(", as {} is 0", divisor_text)),
            "Nothing can be divided by 0."),
      divisor(std::move(divisor_text)) {}

NoValue::NoValue(std::string_view the_name, const Values& values)
    : Error(ExitStatus::usage,
            fmt::format("there is no value called '{}'", shortened_text(the_name)),
            list_of_names(values)),
      name(the_name) {}

Expression Expression::parse(std::string_view text) { return Expression(Parser(text).whole()); }

double Expression::value(const Values& values, NothingOfNothing rule) const {
  return value_of_node(*root_, values, rule);
}

std::string Expression::substituted(const Values& values) const { return text_of(*root_, &values); }

bool nearly_equal(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

std::string number_text(double value) {
  constexpr double largest_in_digits = 1e15;  // a double has all digits up to this
  if (!(std::abs(value) < largest_in_digits)) return fmt::format("{:.6g}", value);
  std::string digits = fmt::format("{:.4f}", std::abs(value));
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string whole = with_thousands(std::stoll(digits.substr(0, point)));
  return (value < 0 && digits != "0" ? "-" : "") + whole + digits.substr(point);
}

}  // namespace gemm_tutor
