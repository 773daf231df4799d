#include "trace/accessed_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using source::Integer;
using source::Node;
using source::Statement;
using source::Statements;

// "load4" of "ns::load4" and "tile.load4".
std::string last_name(const std::string& name) {
  const std::size_t at = name.find_last_of(":.");
  return name.substr(at == name.npos ? 0 : at + 1);
}

}  // namespace

void AccessedElements::add(const source::Declarator& declarator) {
  for (const auto& extent : declarator.extents) add(*extent);
  if (declarator.value) add(*declarator.value);
}

void AccessedElements::add(const Statements& statements) {
  for (const Statement& one : statements) {
    add(one.first);
    for (const auto& expression : one.expressions) add(*expression);
    for (const auto& expression : one.advances) add(*expression);
    for (const source::Declarator& declarator : one.declarators) add(declarator);
    add(one.body);
    add(one.otherwise);
  }
}

// In the order of the text.
void AccessedElements::add(const Node& expression) {
  if (record_.is_silent()) return;
  if (expression.kind == Node::Kind::subscript) return add_subscripts(expression);
  if (expression.kind == Node::Kind::call) add_call(expression);
  const bool is_enclosing = expression.kind == Node::Kind::call ||
                            expression.kind == Node::Kind::parentheses ||
                            expression.kind == Node::Kind::list;
  for (const auto& operand : expression.operands) {
    if (is_enclosing) add_argument(*operand);
    add(*operand);
  }
  add(expression.body);
}

// As the kernel was given it.
bool AccessedElements::is_matrix(const Node& expression) const {
  if (expression.kind != Node::Kind::name) return false;
  const Variable* variable = values_.environment.find(expression.text);
  return variable && variable->matrix == expression.text && variable->value &&
         variable->value->value == 0;
}

// Adds the element that a function with the argument "from + row * K" may access.
void AccessedElements::add_argument(const Node& argument) {
  if (argument.has_effects || argument.kind == Node::Kind::unary) return;
  const auto place = values_.pointed(argument);
  const Variable* base = place ? values_.pointer_called(place->base) : nullptr;
  if (!base || (place->is_base && place->base == base->matrix && place->place.value == 0)) return;
  add_element_of(argument.line(), *base,
                 {Worked::Kind::element, place->base, place->filled, {place->place.value}, {}, {}});
}

// Adds the element that a pointer points to.
void AccessedElements::add_element_of(int line, const Variable& pointer, Worked worked) {
  const bool may_move = pointer.value->value != 0 || worked.name != pointer.matrix;
  const auto step = options_.step_of_place && may_move
                        ? options_.step_of_place(pointer.matrix, worked.values[0])
                        : std::nullopt;
  worked.name = pointer.matrix;
  record_.add_of_step(line, std::move(worked), step, options_.step);
}

// "A[row][k]", and what is in its subscripts.
void AccessedElements::add_subscripts(const Node& expression) {
  std::vector<const Node*> indices;
  const Node* base = &expression;
  for (; base->kind == Node::Kind::subscript; base = base->operands[0].get()) {
    indices.insert(indices.begin(), base->operands[1].get());
  }
  if (base->kind == Node::Kind::name) {
    add_element(*base, indices);
  } else {
    add(*base);
  }
  for (const Node* index : indices) add(*index);
}

void AccessedElements::add_element(const Node& base, const std::vector<const Node*>& indices) {
  const std::string& name = base.text;
  const bool is_array =
      std::ranges::count(options_.arrays, name) > 0 && !values_.environment.is_local(name);
  const Variable* pointer = values_.pointer_called(name);
  if (!is_array && !pointer) return;
  Worked element{Worked::Kind::element, name, name, {}, {}, {}};
  for (const Node* index : indices) {
    const auto value = values_.value_of(index);
    if (!value) return;
    element.filled += "[" + values_.filled(*index) + "]";
    element.values.push_back(value->value);
  }
  if (!pointer) return record_.add(base.line(), std::move(element));
  if (!pointer->value || element.values.size() != 1) return;
  const auto place = source::sum_of(pointer->value->value, element.values[0]);
  if (!place) return;
  element.values[0] = *place;
  add_element_of(base.line(), *pointer, std::move(element));
}

// "256 + 72/8 = 265"; "512".
std::string AccessedElements::with_value(const Node& expression, const Integer& value) const {
  const std::string with_numbers = values_.filled(expression), text = value.text();
  return with_numbers == text ? text : with_numbers + " = " + text;
}

void AccessedElements::add_call(const Node& expression) {
  Worked call{Worked::Kind::call, last_name(expression.text), "", {}, {}, {}};
  bool has_matrix = false;
  std::vector<std::string> arguments;
  for (const auto& argument : expression.operands) {
    has_matrix = has_matrix || is_matrix(*argument);
    const auto value = values_.value_of(argument.get());
    const std::string text = text_of(argument->tokens);
    arguments.push_back(value ? with_value(*argument, *value) : text);
    call.results.push_back(value ? value->text() : text);
    if (value) call.values.push_back(value->value);
  }
  if (!has_matrix || call.values.empty()) return;
  call.filled = fmt::format("{}({})", call.name, join(arguments));
  record_.add(expression.line(), std::move(call));
}

}  // namespace gemm_tutor
