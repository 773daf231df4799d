#include "source/evaluator.hpp"

#include <fmt/format.h>

#include "support/text.hpp"

namespace gemm_tutor::source {
namespace {

using Kind = Node::Kind;

class Evaluator {
 public:
  Evaluator(const IntegersByName& names, const IntegersByCall& calls)
      : names_(names), calls_(calls) {}

  std::optional<Integer> value(const Node& expression) const {
    switch (expression.kind) {
      case Kind::number:
        return expression.number;
      case Kind::name:
        return names_(expression.text);
      case Kind::unary:
        return unary(expression);
      case Kind::binary:
        return binary(expression);
      case Kind::conditional:
        return conditional(expression);
      case Kind::call:
        return call(expression);
      case Kind::cast: {
        const auto operand = value(*expression.operands[0]);
        return operand ? std::optional(operand->as(expression.type)) : std::nullopt;
      }
      case Kind::parentheses:
        return expression.operands.size() == 1 ? value(*expression.operands[0]) : std::nullopt;
      case Kind::increment:
        return expression.is_prefix ? std::nullopt : value(*expression.operands[0]);
      default:
        return {};
    }
  }

 private:
  std::optional<Integer> unary(const Node& expression) const {
    if (expression.text == "&" || expression.text == "*") return {};
    const auto operand = value(*expression.operands[0]);
    return operand ? applied(expression.text[0], *operand) : std::nullopt;
  }

  std::optional<Integer> binary(const Node& expression) const {
    const auto left = value(*expression.operands[0]);
    if (!left) return {};
    // && and || evaluate the right side only if the left side does not decide.
    const bool is_or = expression.text == "||", is_logical = is_or || expression.text == "&&";
    if (is_logical && (left->value != 0) == is_or) return truth(is_or);
    const auto right = value(*expression.operands[1]);
    if (!right) return {};
    return is_logical ? truth(right->value != 0) : applied(expression.text, *left, *right);
  }

  std::optional<Integer> conditional(const Node& expression) const {
    const auto condition = value(*expression.operands[0]);
    if (!condition) return {};
    return value(*expression.operands[condition->value != 0 ? 1 : 2]);
  }

  std::optional<Integer> call(const Node& expression) const {
    std::vector<std::optional<Integer>> arguments;
    for (const NodePointer& operand : expression.operands) {
      arguments.push_back(value(*operand));
    }
    const bool is_smaller = expression.text == "min", is_larger = expression.text == "max";
    if ((is_smaller || is_larger) && arguments.size() == 2) {
      if (!arguments[0] || !arguments[1]) return {};
      return is_smaller ? smaller_of(*arguments[0], *arguments[1])
                        : larger_of(*arguments[0], *arguments[1]);
    }
    return calls_ ? calls_(expression, arguments) : std::nullopt;
  }

  const IntegersByName& names_;
  const IntegersByCall& calls_;
};

std::string filled_name(const std::string& name, const IntegersByName& names) {
  const auto value = names(name);
  if (!value) return name;
  const std::string text = value->text();
  return text.starts_with('-') ? "(" + text + ")" : text;
}

}  // namespace

std::optional<Integer> value_of(const Node& expression, const IntegersByName& names,
                                const IntegersByCall& calls) {
  return Evaluator(names, calls).value(expression);
}

std::string filled(const Node& expression, const IntegersByName& names) {
  if (expression.kind == Kind::number) return expression.number.text();
  if (expression.kind == Kind::name) return filled_name(expression.text, names);
  std::vector<std::string> operands;
  for (const NodePointer& operand : expression.operands) {
    operands.push_back(filled(*operand, names));
  }
  switch (expression.kind) {
    case Kind::unary:
      return expression.text + operands[0];
    case Kind::increment:
      return operands[0];
    case Kind::binary:
      return join(operands, expression.operation->printed);
    case Kind::conditional:
      return fmt::format("{} ? {} : {}", operands[0], operands[1], operands[2]);
    case Kind::cast:
    case Kind::call:
      return fmt::format("{}({})", expression.text, join(operands));
    case Kind::parentheses:
      return fmt::format("({})", join(operands));
    case Kind::subscript:
      return fmt::format("{}[{}]", operands[0], operands[1]);
    default:
      return text_of(expression.tokens);
  }
}

}  // namespace gemm_tutor::source
