#include "trace/thread_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using source::Integer;
using source::Node;
using source::Token;
using source::Tokens;

bool is_at(Tokens tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].is(text);
}

// True if the name at `at` is assigned to, or passed by reference.
bool is_assigned(Tokens tokens, std::size_t at) {
  if (at > 0) {
    const Token& before = tokens[at - 1];
    if (before.is(".") || before.is("->")) return false;
    if (before.is("++") || before.is("--")) return true;
    const bool is_reference =
        before.is("&") && (at < 2 || is_at(tokens, at - 2, "(") || is_at(tokens, at - 2, ",") ||
                           is_at(tokens, at - 2, "="));
    if (is_reference && !is_at(tokens, at + 1, "[")) return true;
  }
  return is_at(tokens, at + 1, "++") || is_at(tokens, at + 1, "--") ||
         (at + 1 < tokens.size() && source::is_assignment(tokens[at + 1].text));
}

// False where the place would have more than 64 bits.
bool move(Pointed& pointer, std::string_view sign, Integer by) {
  const std::int64_t from = pointer.place.value;
  const auto place =
      sign == "+" ? source::sum_of(from, by.value) : source::difference_of(from, by.value);
  if (place) pointer.place = {*place, place_type};
  pointer.is_base = false;
  return place.has_value();
}

// It needs parentheses as the right operand of + or -.
bool is_weaker_operand(const Node& value, std::string_view sign) {
  constexpr int binding_of_sum = 9;
  const int least = binding_of_sum + (sign == "-" ? 1 : 0);
  return value.kind == Node::Kind::conditional ||
         (value.operation && value.operation->binding < least);
}

}  // namespace

void ThreadValues::define(const source::Kernel& kernel, const ThreadWalkOptions& options) {
  for (const auto& [name, value] : options.names) {
    environment.file_scope()[name] = {.value = value, .along_k = name == options.depth_name};
  }
  // Twice, because a macro may use later definitions.
  for (int round = 0; round < 2; ++round) {
    for (const source::Definition& one : kernel.definitions) {
      if (const auto value = value_of(one.value.get()))
        environment.file_scope()[one.name] = {.value = value};
    }
  }
  for (const source::Parameter& parameter : kernel.parameters) {
    const std::string& name = parameter.name;
    if (std::ranges::count(options.matrices, name)) {
      environment.file_scope()[name] = {.value = Integer{0, place_type}, .matrix = name};
    } else if (!options.names.contains(name)) {
      environment.file_scope()[name] = {};
    }
  }
}

source::IntegersByName ThreadValues::names() const {
  return [this](std::string_view name) {
    const Variable* variable = environment.find(name);
    return variable && !variable->is_pointer() ? variable->value : std::nullopt;
  };
}

std::string ThreadValues::filled(const Node& expression) const {
  return source::filled(expression, names());
}

std::optional<Integer> ThreadValues::value_before_effects(const Node& expression) const {
  return source::value_of(expression, names(), calls_);
}

std::optional<Integer> ThreadValues::value_of(const Node* expression) const {
  if (!expression || expression->has_effects) return {};
  return value_before_effects(*expression);
}

const Variable* ThreadValues::pointer_called(std::string_view name) const {
  const Variable* variable = environment.find(name);
  return variable && variable->is_pointer() ? variable : nullptr;
}

std::optional<Pointed> ThreadValues::pointed(const Node& expression) const {
  switch (expression.kind) {
    case Node::Kind::name: {
      const Variable* variable = pointer_called(expression.text);
      if (!variable || !variable->value) return {};
      return Pointed{variable->matrix, expression.text, expression.text, true, *variable->value};
    }
    case Node::Kind::increment:
      if (expression.is_prefix) return {};
      return pointed(*expression.operands[0]);
    case Node::Kind::conditional: {
      const auto condition = value_of(expression.operands[0].get());
      if (!condition) return {};
      return pointed(*expression.operands[condition->value != 0 ? 1 : 2]);
    }
    case Node::Kind::unary: {
      const Node& element = *expression.operands[0];
      if (expression.text != "&" || element.kind != Node::Kind::subscript) return {};
      return moved(expression, *element.operands[0], "+", *element.operands[1]);
    }
    case Node::Kind::binary:
      if (expression.text != "+" && expression.text != "-") return {};
      return moved(expression, *expression.operands[0], expression.text, *expression.operands[1]);
    default:
      return {};
  }
}

std::optional<Pointed> ThreadValues::moved(const Node& whole, const Node& from,
                                           std::string_view sign, const Node& by) const {
  auto result = pointed(from);
  const auto distance = result ? value_before_effects(by) : std::nullopt;
  if (!distance || !move(*result, sign, *distance)) return {};
  result->filled = filled(whole);
  return result;
}

std::optional<Pointed> ThreadValues::pointed_with_effects(const Node& expression) {
  auto result = pointed(expression);
  if (result) apply_increments(expression);
  return result;
}

void ThreadValues::apply_increments(const Node& expression) {
  if (!expression.has_effects) return;
  for (const auto& operand : expression.operands) apply_increments(*operand);
  if (expression.kind == Node::Kind::increment) assign(expression);
}

// Of "from += BK" and "++from".
std::optional<Pointed> ThreadValues::moved_by_assignment(const Node& expression) const {
  const Node &name = *expression.operands.front(), &by = *expression.operands.back();
  const bool is_increment = expression.kind == Node::Kind::increment;
  const std::string_view sign = std::string_view(expression.text).substr(0, 1);
  const auto distance = is_increment ? Integer{1} : value_of(&by);
  auto result = pointed(name);
  const bool is_known = result && distance && (sign == "+" || sign == "-");
  if (!is_known || !move(*result, sign, *distance)) return {};
  const std::string operand = is_increment ? "1" : filled(by);
  const bool is_weaker = !is_increment && is_weaker_operand(by, sign);
  result->filled =
      fmt::format("{} {} {}", name.text, sign, is_weaker ? "(" + operand + ")" : operand);
  return result;
}

std::optional<Pointed> ThreadValues::assign(const Node& expression) {
  const std::string name = changed_name(expression);
  if (name.empty() || !environment.find(name)) return {};
  const bool is_increment = expression.kind == Node::Kind::increment;
  const std::string sign = expression.text.substr(0, expression.text.size() - 1);  // of "+="
  const Node& value = *expression.operands.back();
  std::optional<Pointed> place;
  if (sign.empty()) {
    place = pointed_with_effects(value);
  } else if (pointer_called(name)) {
    place = moved_by_assignment(expression);
  }
  auto number = is_increment ? Integer{1} : value_of(&value);
  if (!is_increment && !place && value.has_effects) forget_assigned(value.tokens);
  Variable& variable = *environment.find(name);
  if (place) {
    variable.matrix = place->matrix;
    variable.value = place->place;
    return place;
  }
  if (!sign.empty() && number) {
    number = variable.value ? source::applied(sign, *variable.value, *number) : std::nullopt;
  }
  const bool is_number = number && variable.type && !variable.is_pointer();
  variable.value = is_number ? std::optional(number->as(*variable.type)) : std::nullopt;
  return {};
}

bool ThreadValues::goes_along_k(Tokens tokens) const {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    const Variable* variable = token.is_name() ? environment.find(token.text) : nullptr;
    return variable && variable->along_k;
  });
}

// Caches the result, because the walk may reach the same tokens often.
const ThreadValues::Names& ThreadValues::assigned_in(Tokens tokens) {
  const auto [place, is_new] = assigned_.try_emplace({tokens.data(), tokens.size()});
  if (!is_new) return place->second;
  for (const Tokens part : with_lambdas(tokens)) {
    for (std::size_t at = 0; at < part.size(); ++at) {
      if (part[at].is_name() && is_assigned(part, at)) place->second.insert(part[at].text);
    }
  }
  return place->second;
}

// The tokens, and the bodies of the lambdas that they call: each once, as they may call each
// other.
std::vector<Tokens> ThreadValues::with_lambdas(Tokens tokens) const {
  std::vector<Tokens> parts = {tokens};
  Names seen;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Token& token : parts[i]) {
      const auto lambda = lambdas.find(token.text);
      const bool is_new = lambda != lambdas.end() && seen.insert(token.text).second;
      if (is_new) parts.push_back(lambda->second.tokens);
    }
  }
  return parts;
}

ThreadValues::Names ThreadValues::names_in(Tokens tokens) const {
  Names names;
  for (const Tokens part : with_lambdas(tokens)) {
    for (const Token& token : part) {
      if (token.is_name()) names.insert(token.text);
    }
  }
  return names;
}

namespace {

constexpr std::size_t most_lines = 4000;    // of loops in loops
constexpr std::size_t most_in_line = 1000;  // values

}  // namespace

void WalkRecord::add(int line, Worked worked) {
  if (silent_ || lines_.size() >= most_lines) return;
  const bool begins = worked.kind == Worked::Kind::loop;
  if (begins || lines_.empty() || lines_.back().line != line) lines_.push_back({line, {}});
  auto& all = lines_.back().worked;
  if (all.size() < most_in_line && !std::ranges::count(all, worked)) {
    all.push_back(std::move(worked));
  }
}

void WalkRecord::add_of_step(int line, Worked worked, std::optional<std::int64_t> step,
                             std::int64_t shown_step) {
  if (silent_) return;
  if (step && *step != shown_step) {
    ++of_other_steps_;
    return;
  }
  ++elements_;
  element_lines_.insert(line);
  add(line, std::move(worked));
}

void WalkRecord::drop_repeated() {
  if (lines_.empty()) return;
  const auto last = std::prev(lines_.end());
  if (std::find(lines_.begin(), last, *last) != last) lines_.erase(last);
}

WalkRecord::Mark WalkRecord::mark() const {
  return {lines_.size(), lines_.empty() ? 0 : lines_.back().worked.size()};
}

void WalkRecord::take_back(const Mark& mark) {
  if (lines_.size() < mark.lines) return;
  lines_.resize(mark.lines);
  if (mark.lines > 0) lines_.back().worked.resize(mark.worked_in_last);
}

void WalkRecord::take_back_single(const Mark& mark) {
  const bool has_more = lines_.size() > mark.lines + 1 ||
                        (lines_.size() > mark.lines && lines_.back().worked.size() > 1);
  if (!has_more) lines_.resize(std::min(mark.lines, lines_.size()));
}

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
