#include "trace/thread_values.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace gemm_tutor
