#include "trace/index_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "support/text.hpp"

namespace gemm_tutor {

struct BinaryOperator {
  std::string_view spelling;
  int binding = 0;                // the higher, the tighter
  std::string_view printed = {};  // with the blanks around it
};

struct IndexNode {
  enum class Kind { number, name, unary, binary, conditional, cast, enclosed, call };
  Kind kind = Kind::number;
  Integer number = {};
  std::string text = {};  // of a name, a cast's type, a called function; the operator of a unary
  std::string template_arguments = {};  // of a call
  const BinaryOperator* operation = nullptr;
  IntegerType type = {};  // of a cast
  std::vector<std::shared_ptr<const IndexNode>> operands = {};
};

namespace {

using Node = IndexNode;
using NodePointer = std::shared_ptr<const Node>;
using Kind = IndexNode::Kind;

constexpr int deepest_nesting = 60;

// Longer ones before those they begin with.
constexpr std::array binary_operators = {
    BinaryOperator{"||", 1, " || "}, BinaryOperator{"&&", 2, " && "},
    BinaryOperator{"==", 6, " == "}, BinaryOperator{"!=", 6, " != "},
    BinaryOperator{"<=", 7, " <= "}, BinaryOperator{">=", 7, " >= "},
    BinaryOperator{"<<", 8, " << "}, BinaryOperator{">>", 8, " >> "},
    BinaryOperator{"|", 3, " | "},   BinaryOperator{"^", 4, " ^ "},
    BinaryOperator{"&", 5, " & "},   BinaryOperator{"<", 7, " < "},
    BinaryOperator{">", 7, " > "},   BinaryOperator{"+", 9, " + "},
    BinaryOperator{"-", 9, " - "},   BinaryOperator{"*", 10, "·"},
    BinaryOperator{"/", 10, "/"},    BinaryOperator{"%", 10, " % "},
};

constexpr IntegerType int_type{}, bool_type{1, true}, unsigned_type{32, true};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

NodePointer node(Node content) { return std::make_shared<const Node>(std::move(content)); }

// --- Numbers

std::optional<Integer> literal(std::string text) {
  std::erase(text, '\'');
  const std::string lower = lower_case(text);
  const bool hexadecimal = lower.starts_with("0x"), binary = lower.starts_with("0b");
  const std::size_t suffix = lower.find_first_of("ulz", hexadecimal || binary ? 2 : 0);
  const std::string digits = lower.substr(0, suffix);
  const std::string ending = suffix == lower.npos ? "" : lower.substr(suffix);
  const int base = hexadecimal ? 16 : binary ? 2 : digits.size() > 1 && digits[0] == '0' ? 8 : 10;
  const char* first = digits.data() + (base == 16 || base == 2 ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};

  constexpr std::array endings = {"", "u", "l", "ll", "ul", "ull", "lu", "llu"};
  if (!std::ranges::count(endings, ending)) return {};
  IntegerType type{ending.find('l') == ending.npos ? 32 : 64, ending.find('u') != ending.npos};
  const auto fits = [&](IntegerType wanted) {
    return value >> (wanted.bits - (wanted.is_unsigned ? 0 : 1)) == 0;
  };
  if (type == int_type && !fits(type) && base != 10) type = unsigned_type;
  if (type.bits == 32 && !fits(type)) type.bits = 64;
  if (type == IntegerType{64, false} && !fits(type)) return {};
  return Integer{static_cast<std::int64_t>(value), type};
}

Integer truth(bool value) { return {value, bool_type}; }

IntegerType promoted(IntegerType type) { return type.bits < 32 ? int_type : type; }

IntegerType common_type(IntegerType a, IntegerType b) {
  if (a.bits != b.bits) return a.bits > b.bits ? a : b;
  return {a.bits, a.is_unsigned || b.is_unsigned};
}

// Of a signed type: nothing where it does not hold the value.
std::optional<Integer> result(std::int64_t value, IntegerType type) {
  const Integer kept = Integer{value, {64, false}}.as(type);
  if (!type.is_unsigned && kept.value != value) return {};
  return kept;
}

std::optional<Integer> sum_or_product(char operation, Integer a, Integer b) {
  if (a.type.is_unsigned) {
    const auto x = static_cast<std::uint64_t>(a.value), y = static_cast<std::uint64_t>(b.value);
    const std::uint64_t value = operation == '+' ? x + y : operation == '-' ? x - y : x * y;
    return result(static_cast<std::int64_t>(value), a.type);
  }
  std::int64_t value = 0;
  const bool overflows = operation == '+'   ? __builtin_add_overflow(a.value, b.value, &value)
                         : operation == '-' ? __builtin_sub_overflow(a.value, b.value, &value)
                                            : __builtin_mul_overflow(a.value, b.value, &value);
  return overflows ? std::nullopt : result(value, a.type);
}

std::optional<Integer> quotient(char operation, Integer a, Integer b) {
  if (b.value == 0) return {};
  if (a.type.is_unsigned) {
    const auto x = static_cast<std::uint64_t>(a.value), y = static_cast<std::uint64_t>(b.value);
    return result(static_cast<std::int64_t>(operation == '/' ? x / y : x % y), a.type);
  }
  // C++ gives the remainder no value either where the quotient has none.
  if (b.value == -1) {
    const auto negated = sum_or_product('-', {0, a.type}, a);
    return operation == '/' || !negated ? negated : Integer{0, a.type};
  }
  return result(operation == '/' ? a.value / b.value : a.value % b.value, a.type);
}

std::optional<Integer> shifted(char operation, Integer a, Integer b) {
  a = a.as(promoted(a.type));
  if (b.value < 0 || b.value >= a.type.bits) return {};
  const auto by = static_cast<int>(b.value);
  // Since C++20 the bits that a left shift has no room for are lost, as those of unsigned types.
  if (operation == '<') {
    const auto bits = static_cast<std::uint64_t>(a.value) << by;
    return Integer{static_cast<std::int64_t>(bits), {64, true}}.as(a.type);
  }
  if (!a.type.is_unsigned) return result(a.value >> by, a.type);
  return result(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.value) >> by), a.type);
}

bool compare(std::string_view operation, Integer a, Integer b) {
  const bool less = a.type.is_unsigned
                        ? static_cast<std::uint64_t>(a.value) < static_cast<std::uint64_t>(b.value)
                        : a.value < b.value;
  const bool equal = a.value == b.value;
  if (operation == "==") return equal;
  if (operation == "!=") return !equal;
  if (operation == "<") return less;
  if (operation == "<=") return less || equal;
  return operation == ">" ? !less && !equal : !less;
}

std::optional<Integer> applied(const BinaryOperator& operation, Integer a, Integer b) {
  const std::string_view spelling = operation.spelling;
  if (spelling == "<<" || spelling == ">>") return shifted(spelling[0], a, b);
  const IntegerType type = common_type(promoted(a.type), promoted(b.type));
  a = a.as(type), b = b.as(type);
  switch (spelling[0]) {
    case '+':
    case '-':
    case '*':
      return sum_or_product(spelling[0], a, b);
    case '/':
    case '%':
      return quotient(spelling[0], a, b);
    case '&':
      return result(a.value & b.value, type);
    case '|':
      return result(a.value | b.value, type);
    case '^':
      return result(a.value ^ b.value, type);
    default:
      return truth(compare(spelling, a, b));
  }
}

// --- Parsing

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  // Null where it is no such expression, as are the others' results.
  NodePointer whole() {
    if (rest_.size() > longest_expression) return {};
    NodePointer root = conditional();
    skip_blanks();
    return rest_.empty() ? root : nullptr;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  bool accept(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  const BinaryOperator* accept_operator(int least_binding) {
    skip_blanks();
    for (const BinaryOperator& operation : binary_operators) {
      if (!rest_.starts_with(operation.spelling)) continue;
      const std::string_view behind = rest_.substr(operation.spelling.size());
      const bool assigns = behind.starts_with('=') && operation.binding != 6;
      if (assigns || operation.binding < least_binding) return nullptr;
      rest_ = behind;
      return &operation;
    }
    return nullptr;
  }

  NodePointer conditional() {
    if (++depth_ > deepest_nesting) return {};
    NodePointer condition = binary(1);
    if (condition && accept("?")) {
      NodePointer then = conditional();
      if (!then || !accept(":")) return {};
      NodePointer otherwise = conditional();
      if (!otherwise) return {};
      condition = node({.kind = Kind::conditional, .operands = {condition, then, otherwise}});
    }
    --depth_;
    return condition;
  }

  NodePointer binary(int least_binding) {
    NodePointer left = unary();
    while (left) {
      const BinaryOperator* operation = accept_operator(least_binding);
      if (!operation) break;
      NodePointer right = binary(operation->binding + 1);
      if (!right) return {};
      left = node({.kind = Kind::binary, .operation = operation, .operands = {left, right}});
    }
    return left;
  }

  NodePointer unary() {
    if (++depth_ > deepest_nesting) return {};
    NodePointer operand = unary_or_less();
    --depth_;
    return operand;
  }

  NodePointer unary_or_less() {
    skip_blanks();
    if (rest_.starts_with("++") || rest_.starts_with("--")) return {};
    for (const std::string_view sign : {"-", "+", "~", "!"}) {
      if (!accept(sign)) continue;
      NodePointer operand = unary();
      if (!operand) return {};
      return node({.kind = Kind::unary, .text = std::string(sign), .operands = {operand}});
    }
    if (rest_.empty()) return {};
    if (is_digit(rest_.front())) return number();
    if (is_letter(rest_.front())) return word();
    return accept("(") ? enclosed_or_cast() : nullptr;
  }

  NodePointer number() {
    const auto end = std::ranges::find_if_not(
        rest_, [](char c) { return is_letter(c) || is_digit(c) || c == '\'' || c == '.'; });
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    const auto value = literal(std::string(rest_.substr(0, length)));
    rest_.remove_prefix(length);
    return value ? node({.kind = Kind::number, .number = *value}) : nullptr;
  }

  // Letters, digits and "::".
  std::string_view next_name() const {
    std::size_t end = 0;
    while (end < rest_.size()) {
      if (is_letter(rest_[end]) || is_digit(rest_[end])) {
        ++end;
      } else if (rest_.substr(end).starts_with("::")) {
        end += 2;
      } else {
        break;
      }
    }
    return rest_.substr(0, end);
  }

  // "unsigned int", if that is what comes next.
  std::optional<std::string> accept_type() {
    skip_blanks();
    const std::string_view start = rest_;
    std::string name, longest;
    std::string_view behind;
    for (;;) {
      const std::string_view next = next_name();
      if (next.empty()) break;
      name += (name.empty() ? "" : " ") + std::string(next);
      rest_.remove_prefix(next.size());
      skip_blanks();
      if (integer_type(name)) longest = name, behind = rest_;
    }
    rest_ = longest.empty() ? start : behind;
    return longest.empty() ? std::nullopt : std::optional(longest);
  }

  NodePointer cast(const std::string& type, NodePointer operand) {
    if (!operand) return {};
    return node({.kind = Kind::cast,
                 .text = type,
                 .type = *integer_type(type),
                 .operands = {std::move(operand)}});
  }

  NodePointer in_parentheses() {
    if (!accept("(")) return {};
    NodePointer inner = conditional();
    return inner && accept(")") ? inner : nullptr;
  }

  NodePointer enclosed_or_cast() {
    const std::string_view start = rest_;
    if (const auto type = accept_type(); type && accept(")")) return cast(*type, unary());
    rest_ = start;
    NodePointer inner = conditional();
    if (!inner || !accept(")")) return {};
    return node({.kind = Kind::enclosed, .operands = {inner}});
  }

  NodePointer word() {
    if (const auto type = accept_type()) return cast(*type, in_parentheses());
    std::string name(next_name());
    rest_.remove_prefix(name.size());
    skip_blanks();
    if (name == "static_cast") {
      const auto type = accept("<") ? accept_type() : std::nullopt;
      return type && accept(">") ? cast(*type, in_parentheses()) : nullptr;
    }
    if (name == "true" || name == "false") {
      return node({.kind = Kind::number, .number = truth(name == "true")});
    }
    if (rest_.starts_with('.')) {  // threadIdx.x
      rest_.remove_prefix(1);
      skip_blanks();
      const std::string_view member = next_name();
      if (member.empty()) return {};
      name += "." + std::string(member);
      rest_.remove_prefix(member.size());
      skip_blanks();
    }
    const std::string in_angles = accept_template_arguments();
    if (accept("(")) return call(std::move(name), in_angles);
    const bool is_more = rest_.starts_with('[') || rest_.starts_with("++") ||
                         rest_.starts_with("--") || rest_.starts_with("->") ||
                         rest_.starts_with('.');
    return is_more ? nullptr : node({.kind = Kind::name, .text = std::move(name)});
  }

  // "BM, 4" of "<BM, 4>" before a "("; a "<" before anything else is an operator.
  std::string accept_template_arguments() {
    const std::size_t end = std::min(rest_.find_first_of(">()"), rest_.size());
    const bool is_list = rest_.starts_with('<') && rest_.substr(end).starts_with(">(");
    if (!is_list) return "";
    const std::string result(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return result;
  }

  NodePointer call(std::string name, const std::string& template_arguments) {
    Node result{
        .kind = Kind::call, .text = std::move(name), .template_arguments = template_arguments};
    while (!accept(")")) {
      if (!result.operands.empty() && !accept(",")) return {};
      result.operands.push_back(conditional());
      if (!result.operands.back()) return {};
    }
    return node(std::move(result));
  }

  std::string_view rest_;
  int depth_ = 0;
};

// --- What is done with it

// What the names and the calls in an expression stand for.
struct Known {
  const IntegersByName& names;
  const IntegersByCall& calls;
};

std::optional<Integer> value_of(const Node& node, const Known& known);

std::optional<Integer> unary_value(char operation, Integer operand) {
  if (operation == '!') return truth(operand.value == 0);
  operand = operand.as(promoted(operand.type));
  if (operation == '-') return sum_or_product('-', {0, operand.type}, operand);
  if (operation == '~') operand.value = Integer{~operand.value, {64, true}}.as(operand.type).value;
  return operand;
}

// Of && and ||: the right side counts only where the left does not decide.
std::optional<Integer> logical_value(const Node& node, const Known& known) {
  const bool decisive = node.operation->spelling == "||";
  const auto left = value_of(*node.operands[0], known);
  if (!left) return {};
  if ((left->value != 0) == decisive) return truth(decisive);
  const auto right = value_of(*node.operands[1], known);
  return right ? std::optional(truth(right->value != 0)) : std::nullopt;
}

std::optional<Integer> called_value(const Node& node, const Known& known) {
  std::vector<std::optional<Integer>> arguments;
  for (const NodePointer& operand : node.operands) {
    arguments.push_back(value_of(*operand, known));
  }
  const bool is_least = node.text == "min", is_most = node.text == "max";
  if ((!is_least && !is_most) || arguments.size() != 2) {
    if (!known.calls) return {};
    return known.calls(node.text, node.template_arguments, arguments);
  }
  if (!arguments[0] || !arguments[1]) return {};
  const IntegerType type = common_type(promoted(arguments[0]->type), promoted(arguments[1]->type));
  const Integer first = arguments[0]->as(type), second = arguments[1]->as(type);
  return compare(is_least ? "<=" : ">=", first, second) ? first : second;
}

std::optional<Integer> value_of(const Node& node, const Known& known) {
  if (node.kind == Kind::number) return node.number;
  if (node.kind == Kind::name) return known.names(node.text);
  if (node.kind == Kind::call) return called_value(node, known);
  if (node.kind == Kind::binary && node.operation->binding <= 2) return logical_value(node, known);
  const auto first = value_of(*node.operands[0], known);
  if (!first) return {};
  switch (node.kind) {
    case Kind::cast:
      return first->as(node.type);
    case Kind::unary:
      return unary_value(node.text[0], *first);
    case Kind::conditional:
      return value_of(*node.operands[first->value != 0 ? 1 : 2], known);
    case Kind::binary:
      break;
    default:
      return first;
  }
  const auto second = value_of(*node.operands[1], known);
  return second ? applied(*node.operation, *first, *second) : std::nullopt;
}

std::string filled_text(const Node& node, const IntegersByName& names) {
  if (node.kind == Kind::number) return node.number.text();
  if (node.kind == Kind::name) {
    const auto value = names(node.text);
    if (!value) return node.text;
    const std::string text = value->text();
    return text.starts_with('-') ? "(" + text + ")" : text;
  }
  std::vector<std::string> operands;
  for (const NodePointer& operand : node.operands) {
    operands.push_back(filled_text(*operand, names));
  }
  switch (node.kind) {
    case Kind::unary:
      return node.text + operands[0];
    case Kind::binary:
      return join(operands, node.operation->printed);
    case Kind::conditional:
      return fmt::format("{} ? {} : {}", operands[0], operands[1], operands[2]);
    case Kind::cast:
      return fmt::format("{}({})", node.text, operands[0]);
    case Kind::call:
      return fmt::format("{}({})", node.text, join(operands));
    default:
      return "(" + operands[0] + ")";
  }
}

bool mentions_name(const Node& node, const std::function<bool(std::string_view)>& name) {
  if (node.kind == Kind::name) return name(node.text);
  return std::ranges::any_of(
      node.operands, [&](const NodePointer& operand) { return mentions_name(*operand, name); });
}

}  // namespace

Integer Integer::as(IntegerType wanted) const {
  if (wanted.bits == 1) return {value != 0, wanted};
  if (wanted.bits == 64) return {value, wanted};
  const auto low = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value));
  return {wanted.is_unsigned ? std::int64_t{low} : std::int64_t{static_cast<std::int32_t>(low)},
          wanted};
}

std::string Integer::text() const {
  if (type.bits == 1) return value != 0 ? "true" : "false";
  return type.is_unsigned ? fmt::format("{}", static_cast<std::uint64_t>(value))
                          : fmt::format("{}", value);
}

std::optional<IntegerType> integer_type(std::string_view name) {
  struct Named {
    std::string_view name;
    IntegerType type;
  };
  static constexpr Named known[] = {
      {"int", {32, false}},
      {"signed", {32, false}},
      {"signed int", {32, false}},
      {"unsigned", {32, true}},
      {"unsigned int", {32, true}},
      {"uint", {32, true}},
      {"int32_t", {32, false}},
      {"uint32_t", {32, true}},
      {"long", {64, false}},
      {"long int", {64, false}},
      {"unsigned long", {64, true}},
      {"long long", {64, false}},
      {"long long int", {64, false}},
      {"unsigned long long", {64, true}},
      {"int64_t", {64, false}},
      {"uint64_t", {64, true}},
      {"size_t", {64, true}},
      {"ptrdiff_t", {64, false}},
      {"bool", {1, true}},
  };
  if (name.starts_with("std::")) name.remove_prefix(5);
  const auto found = std::ranges::find(known, name, &Named::name);
  return found == std::end(known) ? std::nullopt : std::optional(found->type);
}

std::optional<IndexExpression> IndexExpression::parse(std::string_view text) {
  NodePointer root = Parser(text).whole();
  if (!root) return {};
  return IndexExpression(std::move(root));
}

std::optional<Integer> IndexExpression::value(const IntegersByName& names,
                                              const IntegersByCall& calls) const {
  return value_of(*root_, {names, calls});
}

std::string IndexExpression::filled(const IntegersByName& names) const {
  return filled_text(*root_, names);
}

bool IndexExpression::is_plain() const {
  return root_->kind == Kind::number || root_->kind == Kind::name;
}

bool IndexExpression::mentions(const std::function<bool(std::string_view)>& name) const {
  return mentions_name(*root_, name);
}

}  // namespace gemm_tutor
