#include "source/array_overruns.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "source/declarations.hpp"
#include "source/evaluator.hpp"

namespace gemm_tutor::source {
namespace {

constexpr int most_statements = 20'000, most_iterations = 4096;

struct Array {
  std::vector<std::int64_t> extents;
  bool is_float = false;
};

bool changes(Tokens tokens, std::string_view name) {
  const auto is_step = [](const Token& token) { return token.is("++") || token.is("--"); };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is(name)) continue;
    if (i > 0 && (is_step(tokens[i - 1]) || tokens[i - 1].is("&"))) return true;
    if (i + 1 < tokens.size() && (is_step(tokens[i + 1]) || is_assignment(tokens[i + 1].text)))
      return true;
  }
  return false;
}

class Walk {
 public:
  explicit Walk(const Kernel& kernel) {
    for (const Parameter& one : kernel.parameters) {
      if (one.type && !changes(kernel.tokens, one.name)) sizes_.insert(one.name);
    }
    for (const Definition& one : kernel.definitions)
      values_[one.name] = one.value ? value(*one.value) : std::nullopt;
    follow(kernel.body);
  }

  std::vector<ArrayOverrun> found;

 private:
  enum class Holds { always, never, maybe, unknown };

  std::optional<Integer> value(const Node& node) const {
    return value_of(node, [&](std::string_view name) -> std::optional<Integer> {
      const auto known = values_.find(name);
      return known == values_.end() ? std::nullopt : known->second;
    });
  }

  // At a large size each "row < M" holds, so all of them do that are joined by &&.
  Holds holds(const Node& condition) const {
    const Node& node = without_parentheses(condition);
    if (const auto known = value(node)) return known->value != 0 ? Holds::always : Holds::never;
    if (node.kind != Node::Kind::binary) return Holds::unknown;
    const Node &left = without_parentheses(*node.operands[0]),
               &right = without_parentheses(*node.operands[1]);
    if (node.text == "&&") {
      const Holds first = holds(left), second = holds(right);
      if (first == Holds::never || second == Holds::never) return Holds::never;
      return first == Holds::unknown || second == Holds::unknown ? Holds::unknown : Holds::maybe;
    }
    const auto is_below = [&](const Node& one, const Node& size) {
      return size.kind == Node::Kind::name && sizes_.contains(size.text) &&
             !has(one.tokens, size.text);
    };
    const bool is_size =
        (node.text == "<" && is_below(left, right)) || (node.text == ">" && is_below(right, left));
    return is_size ? Holds::maybe : Holds::unknown;
  }

  void follow(const Statements& statements) {
    const auto values = values_;
    const auto arrays = arrays_;
    for (const Statement& one : statements) follow(one);
    values_ = values;
    arrays_ = arrays;
  }

  void follow(const Statement& statement) {
    if (++statements_ > most_statements) return;
    switch (statement.kind) {
      case Statement::Kind::declaration:
        for (const Declarator& one : statement.declarators) declare(statement, one);
        return;
      case Statement::Kind::block:
        return follow(statement.body);
      case Statement::Kind::for_loop:
        return follow_loop(statement);
      case Statement::Kind::if_else:
      case Statement::Kind::unknown:
        return follow_if(statement);
      default:
        for (const NodePointer& one : statement.expressions) visit(*one);
    }
  }

  void follow_if(const Statement& statement) {
    if (statement.expressions.empty()) return;
    visit(*statement.expressions.front());
    const Holds holds_then = holds(*statement.expressions.front());
    if (holds_then == Holds::always || holds_then == Holds::maybe) follow(statement.body);
    if (holds_then == Holds::never) follow(statement.otherwise);
  }

  void declare(const Statement& statement, const Declarator& declarator) {
    if (declarator.value) visit(*declarator.value);
    arrays_.erase(declarator.name);
    values_[declarator.name].reset();
    const bool is_constant = has_any(statement.tokens, {"const", "constexpr"});
    if (!declarator.is_array) {
      const bool is_known = is_constant && declarator.value && !declarator.is_pointer &&
                            (statement.integer || statement.is_auto);
      if (is_known) values_[declarator.name] = value(*declarator.value);
      return;
    }
    if (statement.is_shared || declarator.is_pointer || has_any(statement.tokens, {"extern"}))
      return;
    Array array{{}, statement.type == "float"};
    for (const NodePointer& extent : declarator.extents) {
      const auto known = extent ? value(*extent) : std::nullopt;
      if (!known || known->value < 1 || known->value > most_iterations) return;
      array.extents.push_back(known->value);
    }
    if (!array.extents.empty()) arrays_[declarator.name] = std::move(array);
  }

  // --- Loops

  void follow_loop(const Statement& loop) {
    const auto values = values_;
    const auto arrays = arrays_;
    for (const Statement& one : loop.first) follow(one);
    const std::string name = loop.advances.empty() ? "" : changed_name(*loop.advances.front());
    const auto iterations = iterations_of(loop, name);
    if (iterations) {
      for (const Integer& one : *iterations) {
        values_[name] = one;
        follow(loop.body);
      }
    } else {
      if (!name.empty()) values_[name].reset();
      const bool may_begin =
          !loop.expressions.empty() && holds(*loop.expressions.front()) == Holds::maybe;
      if (may_begin) follow(loop.body);
    }
    values_ = values;
    arrays_ = arrays;
  }

  std::optional<Integer> first_value(const Statement& loop, const std::string& name) const {
    for (const Statement& statement : loop.first) {
      for (const Declarator& one : statement.declarators) {
        if (one.name == name && one.value && statement.integer) return value(*one.value);
      }
    }
    return {};
  }

  std::optional<Integer> after(const Integer& before, const Node& advance) const {
    const std::string operation = advance.text.substr(0, advance.text.size() - 1);
    const auto by =
        advance.kind == Node::Kind::increment ? Integer{1} : value(*advance.operands.back());
    return by && !operation.empty() ? applied(operation, before, *by) : std::nullopt;
  }

  // The variable's values in the first and in the last iteration; nothing if they are not known, or
  // if the loop may end before.
  std::optional<std::vector<Integer>> iterations_of(const Statement& loop,
                                                    const std::string& name) {
    const auto first = name.empty() ? std::nullopt : first_value(loop, name);
    const bool is_known = first && loop.expressions.size() == 1 &&
                          !has_any(loop.body_tokens, {"break", "continue", "return", "goto"}) &&
                          !changes(loop.body_tokens, name);
    if (!is_known) return {};
    std::vector<Integer> result;
    Integer now = *first;
    for (int i = 0; i < most_iterations; ++i) {
      values_[name] = now;
      const auto condition = value(*loop.expressions.front());
      if (!condition) return {};
      if (condition->value == 0) return result;
      result.resize(std::min<std::size_t>(result.size(), 1));
      result.push_back(now);
      const auto next = after(now, *loop.advances.front());
      if (!next) return {};
      now = *next;
    }
    return {};
  }

  // --- Expressions

  void visit(const Node& node, bool is_written = false) {
    switch (node.kind) {
      case Node::Kind::assignment:
        visit(*node.operands.front(), true);
        visit(*node.operands.back());
        return;
      case Node::Kind::conditional: {
        visit(*node.operands[0]);
        const Holds condition = holds(*node.operands[0]);
        if (condition != Holds::unknown) visit(*node.operands[condition == Holds::never ? 2 : 1]);
        return;
      }
      case Node::Kind::binary:
        visit(*node.operands[0]);
        if (node.text == "&&" || node.text == "||") {
          const Holds left = holds(*node.operands[0]);
          const bool goes_on = node.text == "&&" ? left == Holds::always || left == Holds::maybe
                                                 : left == Holds::never;
          if (!goes_on) return;
        }
        visit(*node.operands[1]);
        return;
      case Node::Kind::unary:  // the address of what follows the last element is no error
        if (node.text == "&") return;
        break;
      case Node::Kind::call:
        if (node.text == "sizeof" || node.text == "decltype") return;
        break;
      case Node::Kind::lambda: {
        const auto values = values_;
        for (const Parameter& one : node.parameters) declare_parameter(one.name);
        follow(node.body);
        values_ = values;
        return;
      }
      case Node::Kind::subscript:
        check(node, is_written);
        break;
      default:
        break;
    }
    for (const NodePointer& operand : node.operands) {
      // a[i] of a[i][j] is not an access of its own.
      const bool is_part = node.kind == Node::Kind::subscript && operand == node.operands.front();
      is_part ? visit_indices(*operand) : visit(*operand);
    }
  }

  void visit_indices(const Node& base) {
    if (base.kind != Node::Kind::subscript)
      return base.kind == Node::Kind::name ? void() : visit(base);
    visit_indices(*base.operands.front());
    visit(*base.operands.back());
  }

  void declare_parameter(const std::string& name) {
    values_[name].reset();
    arrays_.erase(name);
  }

  void check(const Node& node, bool is_written) {
    std::vector<const Node*> indices;
    const Node* base = &node;
    for (; base->kind == Node::Kind::subscript; base = base->operands.front().get())
      indices.insert(indices.begin(), base->operands.back().get());
    const auto array = base->kind == Node::Kind::name ? arrays_.find(base->text) : arrays_.end();
    if (array == arrays_.end() || indices.size() > array->second.extents.size()) return;
    std::int64_t index = 0, elements = 1;
    for (std::size_t d = 0; d < array->second.extents.size(); ++d) {
      const auto known = d < indices.size() ? value(*indices[d]) : Integer{0};
      if (!known) return;
      index = index * array->second.extents[d] + known->value;
      elements *= array->second.extents[d];
    }
    const auto is_same = [&](const ArrayOverrun& one) {
      return one.array == array->first && one.line == node.line();
    };
    if ((index >= 0 && index < elements) || std::ranges::any_of(found, is_same)) return;
    found.push_back({array->first, array->second.extents, index, node.line(), is_written,
                     array->second.is_float});
  }

  std::map<std::string, std::optional<Integer>, std::less<>> values_;
  std::map<std::string, Array, std::less<>> arrays_;
  std::set<std::string, std::less<>> sizes_;  // integer parameters that do not change
  int statements_ = 0;
};

// Of its lines, some may not be compiled.
bool has_conditional_lines(const File& file, std::string_view name_expression) {
  const Function* kernel = file.find_kernel(name_expression);
  return kernel && std::ranges::any_of(file.directives, [&](Tokens directive) {
           return directive.size() > 1 && directive[1].text.starts_with("if") &&
                  directive[0].at >= kernel->begin && directive[0].at < kernel->end;
         });
}

}  // namespace

std::vector<ArrayOverrun> array_overruns(const Kernel& kernel, std::string_view name_expression) {
  if (has_conditional_lines(kernel.file, name_expression)) return {};
  return Walk(kernel).found;
}

}  // namespace gemm_tutor::source
