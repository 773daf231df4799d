#include "source/host_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "source/definitions.hpp"
#include "source/syntax.hpp"
#include "support/text.hpp"

namespace gemm_tutor::source {
namespace {

using Kind = Node::Kind;

constexpr int deepest = 40;                 // of definitions that use definitions
constexpr int deepest_calls = 5;            // of functions that pass their parameters on
constexpr int tightest = 100;               // the binding of a name or a number
constexpr int most_values = 20'000;         // evaluated for one launch
constexpr std::size_t longest_text = 2000;  // of an expression
constexpr std::size_t most_launches = 64;   // that are read

// A host expression as an integer expression over the names passed to the kernel. In host code it
// may be floating: ceil(N / 32.0).
struct Piece {
  std::string text;
  int binding = tightest;
  std::optional<Integer> value = std::nullopt;  // if it is a constant
  bool is_floating = false;
};

Piece constant(Integer value, bool is_floating = false) {
  return {value.text(), value.value < 0 ? 0 : tightest, value, is_floating};
}

std::string bound(const Piece& piece, int binding) {
  return piece.binding < binding ? "(" + piece.text + ")" : piece.text;
}

// What host code declares: a variable, a parameter, or a member that is assigned ("grid.x").
struct Declared {
  std::string name;
  std::string type = {};
  const Node* value = nullptr;                // null if there is none, or it is not known
  std::optional<Piece> piece = std::nullopt;  // instead of the value
  // For a parameter: its function, and its place in the list.
  std::string function = {};
  bool is_of_template = false;
  std::size_t index = 0;
};

// A place in host code: what is declared before it, from the outermost scope to the innermost.
struct Place {
  std::vector<Declared> declared;
  std::map<std::string, std::string> passed;  // names here, as the launch's argument is named
  int calls = 0;                              // from the launch up to here
};

// A text with its macros expanded.
struct Text {
  explicit Text(std::string_view source) : file(source) {}

  File file;
  std::vector<Token> code = {};
  std::vector<std::size_t> closings = {};
};

const Node& without_parentheses(const Node& node) {
  const Node* inner = &node;
  while (inner->kind == Kind::parentheses && inner->operands.size() == 1) {
    inner = inner->operands[0].get();
  }
  return *inner;
}

std::string unqualified(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  return std::string(colon == name.npos ? name : name.substr(colon + 2));
}

bool is_float_type(std::string_view name) { return name == "float" || name == "double"; }

// "32.0f" as 32. Nothing if it is not a whole number.
std::optional<Integer> whole_float(const Node& node) {
  if (node.tokens.size() != 1 || node.tokens[0].kind != Token::Kind::number) return {};
  std::string text(node.tokens[0].text);
  while (!text.empty() && (text.back() == 'f' || text.back() == 'F')) text.pop_back();
  while (!text.empty() && text.back() == '0' && text.find('.') != text.npos) text.pop_back();
  if (!text.empty() && text.back() == '.') text.pop_back();
  return integer_literal(text);
}

// The operand of "(float)x", "float(x)" or "static_cast<float>(x)"; null for others.
const Node* operand_of_float_cast(const Node& node) {
  if (node.operands.empty() || node.tokens.size() < 3) return nullptr;
  const Tokens t = node.tokens;
  const bool is_cast = (t[0].is("(") && is_float_type(t[1].text) && t[2].is(")")) ||
                       (t[0].is("static_cast") && is_float_type(t[2].text)) ||
                       (is_float_type(t[0].text) && t[1].is("("));
  return is_cast ? node.operands.back().get() : nullptr;
}

class HostCode {
 public:
  explicit HostCode(const std::vector<std::string_view>& sources) {
    std::vector<Macro>& macros = macros_;
    for (const std::string_view source : sources) {
      const Text& text = texts_.emplace_back(source);
      macros.insert(macros.end(), text.file.macros.begin(), text.file.macros.end());
    }
    for (Text& text : texts_) {
      text.code = expanded(text.file.code, macros);
      text.closings = closings_of(text.code);
      for (Constant& one : constants_in(text.code)) {
        constants_.try_emplace(one.name, parsed(one.value));
      }
    }
    for (const Macro& macro : macros) {
      if (!macro.takes_arguments) constants_.try_emplace(macro.name, parsed(macro.text));
    }
  }

  std::vector<HostLaunch> launches(std::string_view name_expression) {
    const std::string wanted = unqualified(without_template_arguments(name_expression));
    const std::vector<Token> given = tokens_of(name_expression);
    std::vector<Tokens> given_arguments;
    const auto angle = std::ranges::find(given, "<", &Token::text);
    if (given.end() - angle >= 2) {
      const Tokens inside(angle + 1, given.end() - 1);
      given_arguments = split(inside, ",");
    }
    std::vector<HostLaunch> result;
    for (std::size_t text = 0; text < texts_.size(); ++text) {
      const Tokens code = texts_[text].code;
      for (std::size_t at = 1; at + 2 < code.size(); ++at) {
        if (!code[at].is("<<") || !code[at + 1].is("<")) continue;
        if (result.size() == most_launches) return result;
        if (auto launch = launch_at(text, at, wanted, given_arguments)) {
          result.push_back(std::move(*launch));
        }
      }
    }
    return result;
  }

 private:
  const Node* parsed(Tokens tokens) {
    return expressions_.emplace_back(parse_expression(tokens)).get();
  }

  // --- What is declared before a place

  // The opening braces around a token, from the outermost.
  static std::vector<std::size_t> braces_around(const Text& text, std::size_t at) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < at; ++i) {
      if (!text.code[i].is("{")) continue;
      const std::size_t close = text.closings[i];
      if (close >= at) {
        open.push_back(i);
      } else {
        i = close;
      }
    }
    return open;
  }

  Place place_at(const Text& text, std::size_t at) {
    Place place;
    std::size_t begin = 0;
    for (const std::size_t brace : braces_around(text, at)) {
      const std::size_t head = declare_statements(place, text, begin, brace);
      declare_parameters(place, text, head, brace);
      begin = brace + 1;
    }
    declare_statements(place, text, begin, at);
    return place;
  }

  // Declares what the whole statements in [begin, end) declare, without those in braces. Returns
  // the begin of the unfinished statement before `end`.
  std::size_t declare_statements(Place& place, const Text& text, std::size_t begin,
                                 std::size_t end) {
    std::size_t statement = begin;
    for (std::size_t at = begin; at < end; ++at) {
      const Token& token = text.code[at];
      if (token.is(";")) {
        declare(place, Tokens(text.code).subspan(statement, at + 1 - statement));
        statement = at + 1;
      } else if (token.is("(") || token.is("[") || token.is("{")) {
        const std::size_t close = std::min(text.closings[at], end);
        const bool is_value =
            close + 1 < end && (text.code[close + 1].is(";") || text.code[close + 1].is(","));
        if (token.is("{") && !is_value) statement = close + 1;
        at = close;
      }
    }
    return std::min(statement, end);
  }

  // "void (*run)(float*, int) = kernel;"
  bool declare_pointer(Place& place, Tokens statement) {
    for (std::size_t at = 0; at + 5 < statement.size(); ++at) {
      if (!statement[at].is("(") || !statement[at + 1].is("*") || !statement[at + 2].is_name() ||
          !statement[at + 3].is(")") || !statement[at + 4].is("(")) {
        continue;
      }
      const std::size_t close = closing(statement, at + 4);
      if (close + 2 >= statement.size() || !statement[close + 1].is("=")) return false;
      const std::size_t begin = close + 2, end = statement.size() - 1;  // before the ";"
      place.declared.push_back({.name = std::string(statement[at + 2].text),
                                .value = parsed(statement.subspan(begin, end - begin))});
      return true;
    }
    return false;
  }

  void declare(Place& place, Tokens statement) {
    if (declare_pointer(place, statement)) return;
    for (const Statement& one : statements_.emplace_back(parse_statements(statement))) {
      for (const Declarator& declarator : one.declarators) {
        place.declared.push_back({declarator.name, one.type, declarator.value.get()});
      }
      if (one.kind != Statement::Kind::expressions) continue;
      for (const NodePointer& expression : one.expressions) declare_effect(place, *expression);
    }
  }

  static void declare_effect(Place& place, const Node& node) {
    if (node.kind == Kind::assignment && node.text == "=" && node.operands[0]->kind == Kind::name) {
      place.declared.push_back({node.operands[0]->text, "", node.operands[1].get()});
    }
    if (node.kind == Kind::assignment && node.operands[1]) {
      declare_effect(place, *node.operands[1]);
    }
    // cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)
    const auto asks_for_sms = [](const Token& token) {
      return token.is("cudaDevAttrMultiProcessorCount");
    };
    if (node.kind == Kind::call && std::ranges::any_of(node.tokens, asks_for_sms)) {
      const Node* call = &node;  // it may be in another one that checks its result
      while (call->operands.size() == 1 && call->operands[0]->kind == Kind::call) {
        call = call->operands[0].get();
      }
      if (call->operands.empty() || call->operands[0]->operands.empty()) return;
      place.declared.push_back({call->operands[0]->operands[0]->text, "", nullptr, Piece{"SMs"}});
    }
  }

  // Declares the parameters of the function whose body begins at `brace`.
  void declare_parameters(Place& place, const Text& text, std::size_t head, std::size_t brace) {
    const Tokens all = Tokens(text.code).subspan(head, brace - head);
    std::size_t close = all.size();
    for (std::size_t i = all.size(); i-- > 0 && close == all.size();) {
      if (all[i].is(")")) close = i;
      if (!all[i].is(")") && !all[i].is_name()) break;  // noexcept, const
    }
    if (close == all.size()) return;
    std::size_t open = 0;
    while (open < close && text.closings[head + open] != head + close) ++open;
    if (open == 0 || open == close) return;
    const Token& name = all[open - 1];
    const Tokens list = all.subspan(open + 1, close - open - 1);
    static const std::set<std::string_view> no_functions = {"if", "while", "switch", "catch"};
    if (name.is("for")) return declare_loop(place, list);
    if (no_functions.contains(name.text)) return;
    declare_list(place, name.is_name() ? std::string(name.text) : "", false, parameters_of(list));
    if (!all[0].is("template") || all.size() < 2 || !all[1].is("<")) return;
    const std::size_t end = closing_angle(all, 1);
    if (end == all.size()) return;
    declare_list(place, std::string(name.text), true, parameters_of(all.subspan(2, end - 2)));
  }

  static void declare_list(Place& place, const std::string& function, bool is_of_template,
                           const std::vector<Parameter>& parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      place.declared.push_back({.name = parameters[i].name,
                                .function = function,
                                .is_of_template = is_of_template,
                                .index = i});
    }
  }

  // A loop's variable has many values.
  void declare_loop(Place& place, Tokens header) {
    const std::vector<Tokens> parts = split(header, ";");
    if (parts.empty()) return;
    for (const Statement& one : statements_.emplace_back(parse_statements(parts[0]))) {
      for (const Declarator& declarator : one.declarators) {
        place.declared.push_back({declarator.name, one.type});
      }
    }
  }

  // --- Values

  // Limits recursion.
  struct Depth {
    explicit Depth(int& count) : depth(count) { ++depth; }
    ~Depth() { --depth; }
    int& depth;
  };

  // The value of an expression that is evaluated after the first `count` declarations of a place.
  std::optional<Piece> value(const Place& place, std::size_t count, const Node& node) {
    const Depth depth(depth_);
    if (depth_ > deepest || ++values_ > most_values) return {};
    switch (node.kind) {
      case Kind::number:
        return constant(node.number);
      case Kind::name:
        return value_of_name(place, count, node.text);
      case Kind::parentheses:
        return node.operands.size() == 1 ? value(place, count, *node.operands[0]) : std::nullopt;
      case Kind::cast:
        return value(place, count, *node.operands[0]);
      case Kind::unary:
        return unary(place, count, node);
      case Kind::binary:
        return binary(place, count, node);
      case Kind::conditional:
        return conditional(place, count, node);
      case Kind::call:
        return call(place, count, node);
      case Kind::opaque: {
        if (const auto number = whole_float(node)) return constant(*number, true);
        if (const Node* operand = operand_of_float_cast(node)) {
          auto piece = value(place, count, *operand);
          if (piece) piece->is_floating = true;
          return piece;
        }
        return value_of_member(place, node);
      }
      default:
        return {};
    }
  }

  // "prop.multiProcessorCount", and members that are passed to the kernel.
  std::optional<Piece> value_of_member(const Place& place, const Node& node) {
    const std::string text = text_of(node.tokens);
    if (text.ends_with("multiProcessorCount")) return Piece{"SMs"};
    if (const auto known = place.passed.find(text); known != place.passed.end()) {
      return Piece{known->second};
    }
    return {};
  }

  std::optional<Piece> value_of_name(const Place& place, std::size_t count,
                                     const std::string& name) {
    if (const auto known = place.passed.find(name); known != place.passed.end()) {
      return Piece{known->second};
    }
    if (name.ends_with(".multiProcessorCount")) return Piece{"SMs"};
    for (std::size_t i = count; i-- > 0;) {
      const Declared& one = place.declared[i];
      if (one.name != name) continue;
      if (one.piece) return one.piece;
      if (one.value) {
        auto piece = value(place, i, *one.value);
        if (piece && is_float_type(one.type)) piece->is_floating = true;
        return piece;
      }
      if (!one.function.empty()) {
        if (const auto passed = argument_for(place, one)) {
          return value(*passed->place, passed->place->declared.size(), *passed->node);
        }
      }
      return {};
    }
    // "block.x" of dim3 block(32, 32)
    if (const std::size_t dot = name.rfind('.'); dot != name.npos && dot + 2 == name.size()) {
      const std::size_t axis = std::string_view("xyz").find(name[dot + 1]);
      if (axis < 3) return extent_of_name(place, count, name.substr(0, dot), axis);
    }
    const auto known = constants_.find(unqualified(name));
    if (known == constants_.end() || !known->second) return {};
    return value(place, count, *known->second);
  }

  std::optional<Piece> unary(const Place& place, std::size_t count, const Node& node) {
    auto piece = value(place, count, *node.operands[0]);
    if (!piece || node.text.size() != 1) return {};
    if (piece->value) {
      const auto number = applied(node.text[0], *piece->value);
      return number ? std::optional(constant(*number, piece->is_floating)) : std::nullopt;
    }
    piece->text = node.text + bound(*piece, tightest);
    piece->binding = tightest - 1;
    return piece;
  }

  std::optional<Piece> binary(const Place& place, std::size_t count, const Node& node) {
    const auto left = value(place, count, *node.operands[0]);
    const auto right = value(place, count, *node.operands[1]);
    if (!left || !right) return {};
    return combined(*left, *node.operation, *right);
  }

  static std::optional<Piece> combined(const Piece& left, const BinaryOperator& operation,
                                       const Piece& right) {
    const bool is_floating = left.is_floating || right.is_floating;
    if (left.value && right.value) {
      const auto number = applied(operation.spelling, *left.value, *right.value);
      return number ? std::optional(constant(*number, is_floating)) : std::nullopt;
    }
    if (left.text.size() + right.text.size() > longest_text) return {};
    const bool is_one = right.value && right.value->value == 1;
    if (is_one && (operation.spelling == "*" || operation.spelling == "/")) {
      return Piece{left.text, left.binding, {}, is_floating};
    }
    if (left.value && left.value->value == 1 && operation.spelling == "*") {
      return Piece{right.text, right.binding, {}, is_floating};
    }
    return Piece{fmt::format("{} {} {}", bound(left, operation.binding), operation.spelling,
                             bound(right, operation.binding + 1)),
                 operation.binding,
                 {},
                 is_floating};
  }

  std::optional<Piece> conditional(const Place& place, std::size_t count, const Node& node) {
    const auto condition = value(place, count, *node.operands[0]);
    if (!condition) return {};
    if (condition->value) {
      return value(place, count, *node.operands[condition->value->value != 0 ? 1 : 2]);
    }
    const auto then = value(place, count, *node.operands[1]);
    const auto otherwise = value(place, count, *node.operands[2]);
    if (!then || !otherwise) return {};
    return Piece{
        fmt::format("{} ? {} : {}", bound(*condition, 1), bound(*then, 1), bound(*otherwise, 1)),
        0};
  }

  std::optional<Piece> call(const Place& place, std::size_t count, const Node& node) {
    const std::string name = unqualified(node.text);
    if (const Node* operand = operand_of_float_cast(node)) {
      auto piece = value(place, count, *operand);
      if (piece) piece->is_floating = true;
      return piece;
    }
    if (name == "sizeof") return size_of_type(node);
    if ((name == "ceil" || name == "ceilf") && node.operands.size() == 1) {
      return rounded_up(place, count, *node.operands[0]);
    }
    if ((name == "floor" || name == "floorf") && node.operands.size() == 1) {
      return value(place, count, *node.operands[0]);
    }
    if ((name == "min" || name == "max") && node.operands.size() == 2) {
      return smaller_or_larger(place, count, name, node);
    }
    return result_of_call(place, count, node);
  }

  static std::optional<Piece> size_of_type(const Node& node) {
    if (node.tokens.size() < 3) return {};
    const Tokens type = node.tokens.subspan(2, node.tokens.size() - 3);  // in the parentheses
    const int bytes = std::ranges::all_of(type, &Token::is_name) ? bytes_of_type(type) : 0;
    return bytes == 0 ? std::nullopt : std::optional(constant({bytes}));
  }

  std::optional<Piece> smaller_or_larger(const Place& place, std::size_t count,
                                         const std::string& name, const Node& node) {
    const auto a = value(place, count, *node.operands[0]),
               b = value(place, count, *node.operands[1]);
    if (!a || !b) return {};
    if (a->value && b->value) {
      return constant(name == "min" ? smaller_of(*a->value, *b->value)
                                    : larger_of(*a->value, *b->value));
    }
    if (a->text.size() + b->text.size() > longest_text) return {};
    return Piece{fmt::format("{}({}, {})", name, a->text, b->text)};
  }

  // The ceil() of a quotient of floats. A quotient of integers is rounded down before.
  std::optional<Piece> rounded_up(const Place& place, std::size_t count, const Node& operand) {
    const Node& quotient = without_parentheses(operand);
    if (quotient.kind != Kind::binary || quotient.text != "/") return value(place, count, quotient);
    const auto a = value(place, count, *quotient.operands[0]);
    const auto b = value(place, count, *quotient.operands[1]);
    if (!a || !b) return {};
    if (!a->is_floating && !b->is_floating) return value(place, count, quotient);
    static const BinaryOperator plus{"+", 9}, minus{"-", 9}, by{"/", 10};
    const auto less = combined(*b, minus, constant({1}));
    const auto sum = less ? combined(*a, plus, *less) : std::nullopt;
    auto result = sum ? combined(*sum, by, *b) : std::nullopt;
    if (result) result->is_floating = false;
    return result;
  }

  // The value of a call of a function that returns one expression, or of such a lambda.
  std::optional<Piece> result_of_call(const Place& place, std::size_t count, const Node& node) {
    Place inside;
    inside.calls = place.calls;
    Tokens body;
    const std::vector<Parameter>* parameters = nullptr;
    for (std::size_t i = count; i-- > 0 && !parameters;) {
      const Declared& one = place.declared[i];
      if (one.name != node.text || !one.value || one.value->kind != Kind::lambda) continue;
      parameters = &one.value->parameters;
      body = one.value->body_tokens;
      inside.declared.assign(place.declared.begin(),
                             place.declared.begin() + static_cast<std::ptrdiff_t>(i));
      inside.passed = place.passed;
    }
    for (std::size_t t = 0; t < texts_.size() && !parameters; ++t) {
      for (const Function& function : texts_[t].file.functions) {
        if (unqualified(function.name) != unqualified(node.text)) continue;
        if (function.parameters.size() < node.operands.size()) continue;
        parameters = &function.parameters;
        body = bodies_.emplace_back(expanded(function.body, macros_));
        break;
      }
    }
    if (!parameters) return {};
    std::vector<Declared> bound_parameters;
    for (std::size_t i = 0; i < node.operands.size() && i < parameters->size(); ++i) {
      const auto piece = value(place, count, *node.operands[i]);
      if (!piece) return {};
      bound_parameters.push_back({.name = (*parameters)[i].name, .piece = piece});
      inside.passed.erase((*parameters)[i].name);
    }
    std::ranges::move(bound_parameters, std::back_inserter(inside.declared));
    for (const Statement& one : statements_.emplace_back(parse_statements(body))) {
      if (one.kind == Statement::Kind::return_value && !one.expressions.empty()) {
        return value(inside, inside.declared.size(), *one.expressions[0]);
      }
      for (const Declarator& declarator : one.declarators) {
        inside.declared.push_back({declarator.name, one.type, declarator.value.get()});
      }
    }
    return {};
  }

  // --- Arguments of calls, for parameters

  struct Argument {
    std::shared_ptr<const Place> place;
    const Node* node;
  };

  // What a call of its function passes for a parameter. The first call that is found counts.
  std::optional<Argument> argument_for(const Place& place, const Declared& parameter) {
    if (place.calls >= deepest_calls) return {};
    for (const Text& text : texts_) {
      for (std::size_t at = 0; at + 1 < text.code.size(); ++at) {
        if (!text.code[at].is(parameter.function) || !is_call(text, at)) continue;
        const auto node = argument_at(text, at, parameter);
        if (!node) continue;
        auto caller = std::make_shared<Place>(place_at(text, at));
        caller->calls = place.calls + 1;
        pass_names(*caller, place, text, at, parameter.function);
        return Argument{std::move(caller), node};
      }
    }
    return {};
  }

  // The "(" of the call whose name is at `at`.
  static std::size_t open_of_call(const Text& text, std::size_t at) {
    const std::size_t next = at + 1;
    if (!text.code[next].is("<")) return next;
    return next + closing_angle(Tokens(text.code).subspan(next), 0) + 1;
  }

  static bool is_call(const Text& text, std::size_t at) {
    const std::size_t open = open_of_call(text, at);
    if (open >= text.code.size() || !text.code[open].is("(")) return false;
    const std::size_t close = text.closings[open];
    if (close + 1 >= text.code.size() || text.code[close + 1].is("{")) return false;  // definition
    if (at == 0) return false;
    const Token& before = text.code[at - 1];  // of a prototype: its type
    return !before.is_name() || before.is("return") || before.is("else");
  }

  const Node* argument_at(const Text& text, std::size_t at, const Declared& parameter) {
    const Tokens code = text.code;
    const std::size_t open = open_of_call(text, at);
    if (parameter.is_of_template && !code[at + 1].is("<")) return nullptr;
    const std::size_t begin = parameter.is_of_template ? at + 2 : open + 1;
    const std::size_t end = parameter.is_of_template ? open - 1 : text.closings[open];
    const std::vector<Tokens> arguments = split(code.subspan(begin, end - begin), ",");
    return parameter.index < arguments.size() ? parsed(arguments[parameter.index]) : nullptr;
  }

  // A variable that the caller passes for M is M there, too.
  void pass_names(Place& caller, const Place& callee, const Text& text, std::size_t at,
                  const std::string& function) {
    for (const auto& [name, as] : callee.passed) {
      for (const Declared& parameter : callee.declared) {
        if (parameter.name != name || parameter.function != function) continue;
        const Node* node = argument_at(text, at, parameter);
        if (node && node->kind == Kind::name) caller.passed.emplace(node->text, as);
      }
    }
  }

  // --- Extents of grids and blocks

  std::optional<Piece> extent(const Place& place, std::size_t count, const Node& expression,
                              std::size_t axis) {
    const Depth depth(depth_);
    if (depth_ > deepest) return {};
    const Node& node = without_parentheses(expression);
    const bool is_dim3 =
        node.kind == Kind::list || (node.kind == Kind::call && node.text == "dim3");
    if (is_dim3) {
      if (axis >= node.operands.size()) return constant({1});
      return value(place, count, *node.operands[axis]);
    }
    if (node.kind == Kind::name) return extent_of_name(place, count, node.text, axis);
    return axis == 0 ? value(place, count, node) : constant({1});
  }

  std::optional<Piece> extent_of_name(const Place& place, std::size_t count,
                                      const std::string& name, std::size_t axis) {
    if (const auto known = place.passed.find(name); known != place.passed.end()) {
      return axis == 0 ? Piece{known->second} : constant({1});
    }
    const std::string member = name + "." + "xyz"[axis];
    for (std::size_t i = count; i-- > 0;) {
      const Declared& one = place.declared[i];
      if (one.name == member && one.value) return value(place, i, *one.value);
      if (one.name != name) continue;
      if (one.piece) return axis == 0 ? one.piece : constant({1});
      if (one.value) return extent(place, i, *one.value, axis);
      if (!one.function.empty()) {
        if (const auto passed = argument_for(place, one)) {
          return extent(*passed->place, passed->place->declared.size(), *passed->node, axis);
        }
        return {};
      }
      return one.type == "dim3" ? std::optional(constant({1})) : std::nullopt;
    }
    if (axis > 0) return constant({1});
    return value_of_name(place, count, name);
  }

  // --- Launches

  // The name before "<<<", and its template arguments.
  struct Called {
    std::string name;
    std::vector<Tokens> template_arguments;
    std::size_t begin = 0;
  };

  static Called called_before(Tokens code, std::size_t end) {
    Called called;
    std::size_t at = end;
    if (code[at - 1].is(">") || code[at - 1].is(">>")) {
      int depth = 0;
      while (at > 0) {
        --at;
        depth += code[at].is(">>") ? 2 : code[at].is(">") ? 1 : code[at].is("<") ? -1 : 0;
        if (depth <= 0 || code[at].is(";") || code[at].is("{")) break;
      }
      if (!code[at].is("<")) return {};
      called.template_arguments = split(code.subspan(at + 1, end - 1 - (at + 1)), ",");
    }
    bool was_name = false;
    while (at > 0 && (code[at - 1].is("::") ? was_name || called.name.empty()
                                            : code[at - 1].is_name() && !was_name)) {
      was_name = code[at - 1].is_name();
      called.name.insert(0, code[--at].text);
    }
    called.begin = at;
    return called;
  }

  // "auto kernel = v2<32>;" before "kernel<<<": the kernel's own name.
  void follow_pointer(Called& called, const Place& place) {
    for (std::size_t i = place.declared.size(); i-- > 0;) {
      const Declared& one = place.declared[i];
      if (one.name != called.name) continue;
      if (!one.value) return;
      const Tokens tokens = one.value->tokens;
      const Tokens after = tokens.empty() || !tokens[0].is("&") ? tokens : tokens.subspan(1);
      if (after.empty()) return;
      called = called_before(after, after.size());
      return;
    }
  }

  bool is_kernel(const std::string& name) const {
    return std::ranges::any_of(texts_, [&](const Text& text) {
      return std::ranges::any_of(text.file.functions, [&](const Function& function) {
        return function.is_kernel && unqualified(function.name) == unqualified(name);
      });
    });
  }

  std::optional<HostLaunch> launch_at(std::size_t text_index, std::size_t at,
                                      const std::string& wanted, const std::vector<Tokens>& given) {
    const Text& text = texts_[text_index];
    const Tokens code = text.code;
    std::size_t end = at + 2;
    const auto is_end = [&](std::size_t i) {  // ">>>" or "> >>"
      return (code[i].is(">>") && code[i + 1].is(">")) || (code[i].is(">") && code[i + 1].is(">>"));
    };
    while (end + 2 < code.size() && !is_end(end)) {
      end =
          code[end].is("(") || code[end].is("{") ? std::min(text.closings[end], code.size()) : end;
      ++end;
    }
    if (end + 2 >= code.size() || !code[end + 2].is("(")) return {};
    Called called = called_before(code, at);
    if (called.name.empty()) return {};
    const bool is_other = !wanted.empty() && unqualified(called.name) != wanted;
    if (is_other && is_kernel(called.name)) return {};
    values_ = 0;
    Place place = place_at(text, called.begin);
    if (!is_kernel(called.name)) follow_pointer(called, place);
    if (called.name.empty()) return {};
    if (!wanted.empty() && unqualified(called.name) != wanted) return {};

    HostLaunch launch;
    launch.kernel = called.name;
    launch.text = text_index;
    launch.line = code[at].line;
    const std::size_t open = end + 2, close = std::min(text.closings[open], code.size() - 1);
    std::vector<const Node*> arguments;
    for (const Tokens one : split(code.subspan(open + 1, close - open - 1), ",")) {
      arguments.push_back(parsed(one));
    }
    if (!add_template_arguments(launch, place, called, given)) return {};
    for (const Node* argument : arguments) {
      launch.arguments.push_back(passed_argument(place, argument));
    }
    for (const PassedArgument& one : launch.arguments) {
      if (!one.name.empty()) place.passed.emplace(one.name, one.name);
    }
    const std::vector<Tokens> configuration = split(code.subspan(at + 2, end - at - 2), ",");
    if (configuration.size() < 2) return {};
    const Node* grid = parsed(configuration[0]);
    const Node* block = parsed(configuration[1]);
    if (!grid || !block) return {};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      launch.grid[axis] = text_of_piece(extent(place, place.declared.size(), *grid, axis));
      launch.block[axis] = text_of_piece(extent(place, place.declared.size(), *block, axis));
    }
    launch.shared_bytes = "0";
    const Node* bytes = configuration.size() > 2 ? parsed(configuration[2]) : nullptr;
    if (bytes) {
      launch.shared_bytes = text_of_piece(value(place, place.declared.size(), *bytes));
    }
    return launch;
  }

  static std::string text_of_piece(const std::optional<Piece>& piece) {
    return piece ? piece->text : "";
  }

  // False if the launch has other template arguments than those wanted.
  bool add_template_arguments(HostLaunch& launch, Place& place, const Called& called,
                              const std::vector<Tokens>& given) {
    for (std::size_t i = 0; i < called.template_arguments.size(); ++i) {
      const Tokens argument = called.template_arguments[i];
      const Node* node = parsed(argument);
      const auto piece = node ? value(place, place.declared.size(), *node) : std::nullopt;
      const bool is_type = !piece && node && node->kind == Kind::name && !argument.empty() &&
                           !is_declared(place, node->text);
      std::string text = piece && piece->value                           ? piece->text
                         : is_type || (node && node->kind != Kind::name) ? text_of(argument)
                                                                         : "";
      if (i < given.size()) {
        const std::string wanted = text_of(given[i]);
        if (text.empty() && node && node->kind == Kind::name) {
          place.declared.push_back({.name = node->text, .value = parsed(given[i])});
          text = wanted;
        }
        if (piece && piece->value && text != wanted) {
          const Node* wanted_node = parsed(given[i]);
          const auto number =
              wanted_node ? value(place, place.declared.size(), *wanted_node) : std::nullopt;
          if (!number || !number->value || number->value->value != piece->value->value)
            return false;
        }
      }
      launch.template_arguments.push_back(std::move(text));
    }
    return true;
  }

  static bool is_declared(const Place& place, const std::string& name) {
    return std::ranges::any_of(place.declared,
                               [&](const Declared& one) { return one.name == name; });
  }

  PassedArgument passed_argument(const Place& place, const Node* argument) {
    PassedArgument result;
    if (!argument) return result;
    const Node* node = &without_parentheses(*argument);
    while (node->kind == Kind::cast) node = &without_parentheses(*node->operands[0]);
    const bool is_name = node->kind == Kind::name;
    const bool is_member = node->kind == Kind::opaque && node->tokens.size() >= 3 &&
                           std::ranges::all_of(node->tokens, [](const Token& token) {
                             return token.is_name() || token.is(".") || token.is("->");
                           });
    if (is_name || is_member) result.name = text_of(node->tokens);
    const auto piece = value(place, place.declared.size(), *node);
    if (piece && piece->value) {
      result.value = std::to_string(piece->value->value);  // 1 for true
    } else {
      result.value = float_text(place, place.declared.size(), *node);
    }
    return result;
  }

  // "0.5" for 0.5f, or for a variable with that value; empty for others.
  std::string float_text(const Place& place, std::size_t count, const Node& node) {
    if (node.kind == Kind::name) {
      for (std::size_t i = count; i-- > 0;) {
        const Declared& one = place.declared[i];
        if (one.name == node.text) {
          return one.value ? float_text(place, i, without_parentheses(*one.value)) : "";
        }
      }
      return "";
    }
    if (node.tokens.size() != 1 || node.tokens[0].kind != Token::Kind::number) return "";
    std::string text(node.tokens[0].text);
    while (!text.empty() && (text.back() == 'f' || text.back() == 'F')) text.pop_back();
    return text;
  }

  std::deque<Text> texts_;
  std::vector<Macro> macros_;                     // of all texts
  std::deque<std::vector<Token>> bodies_;         // with macros expanded
  std::map<std::string, const Node*> constants_;  // of all texts
  std::deque<NodePointer> expressions_;
  std::deque<Statements> statements_;
  int depth_ = 0, values_ = 0;
};

}  // namespace

std::vector<HostLaunch> launches_in(const std::vector<std::string_view>& texts,
                                    std::string_view name_expression) {
  return HostCode(texts).launches(name_expression);
}

}  // namespace gemm_tutor::source
