#include "source/host_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "source/branches.hpp"
#include "source/declarations.hpp"
#include "source/definitions.hpp"
#include "source/evaluator.hpp"
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
constexpr std::int64_t large_sizes[] = {4096,
                                        5003};  // one that tiles divide, and one that none does

// Of variables and members, where a struct is passed.
constexpr std::array<std::string_view, 6> names_of_sizes = {"M", "N", "K", "m", "n", "k"};

// A host expression as an integer expression over the names passed to the kernel. In host code it
// may be floating: ceil(N / 32.0).
struct Piece {
  std::string text = {};  // empty if no integer expression says it: 0.9
  int binding = tightest;
  std::optional<Integer> value = std::nullopt;  // if it is an integer constant
  bool is_floating = false;
  std::optional<double> real = std::nullopt;  // if it is a floating constant

  std::optional<double> number() const {
    return value ? std::optional(static_cast<double>(value->value)) : real;
  }
};

Piece constant(Integer value) { return {value.text(), value.value < 0 ? 0 : tightest, value}; }

std::optional<Integer> truncated(double value) {
  constexpr double most = 1e15;  // a double has each integer up to it
  if (!(std::abs(value) < most)) return {};
  return Integer{static_cast<std::int64_t>(value), {64, false}};
}

Piece constant(double value) {
  Piece piece;
  piece.is_floating = true;
  piece.real = value;
  const auto whole = truncated(value);
  if (whole && static_cast<double>(whole->value) == value) {
    piece.text = whole->text();
    piece.binding = value < 0 ? 0 : tightest;
  }
  return piece;
}

std::optional<Piece> constant(std::optional<Integer> value) {
  return value ? std::optional(constant(*value)) : std::nullopt;
}

std::optional<double> result_of(std::string_view operation, double a, double b) {
  return operation == "+"   ? std::optional(a + b)
         : operation == "-" ? std::optional(a - b)
         : operation == "*" ? std::optional(a * b)
         : operation == "/" ? std::optional(a / b)
                            : std::nullopt;
}

// Functions of <cmath> with one argument.
struct MathFunction {
  std::string_view name;
  double (*value)(double);
};
constexpr MathFunction math_functions[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"round", [](double x) { return std::round(x); }},
    {"trunc", [](double x) { return std::trunc(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"exp2", [](double x) { return std::exp2(x); }},
};

// "sqrt" for "std::sqrtf".
std::string without_suffix(std::string name) {
  static const std::set<std::string_view> plain = {"pow", "fmin", "fmax"};
  const auto is_known = [](std::string_view text) {
    return plain.contains(text) ||
           std::ranges::count(math_functions, text, &MathFunction::name) > 0;
  };
  if (name.ends_with("f") && is_known(std::string_view(name).substr(0, name.size() - 1)))
    name.pop_back();
  return name;
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
  Tokens default_value = {};
  const Statement* statement = nullptr;  // an if or a loop that may assign it
  bool is_of_loop = false;               // the variable of a loop around the place
  bool is_as_before = false;             // its value is that of the last one of its name before it
};

// A place in host code: what is declared before it, from the outermost scope to the innermost.
struct Place {
  std::vector<Declared> declared;
  std::map<std::string, std::string> passed;  // names here, as the launch's argument is named
  int calls = 0;                              // from the launch up to here
};

// Null if nothing has that name.
template <typename SomePlace>
auto last_named(SomePlace& place, std::string_view name) -> decltype(place.declared.data()) {
  const auto found =
      std::ranges::find(place.declared.rbegin(), place.declared.rend(), name, &Declared::name);
  return found == place.declared.rend() ? nullptr : &*found;
}

bool is_declared(const Place& place, std::string_view name) { return last_named(place, name); }

// What an expression may use: the first declarations of a place, or all of them.
struct Scope {
  Scope(const Place& all) : Scope(all, all.declared.size()) {}
  Scope(const Place& some, std::size_t first) : place(some), count(first) {}

  const Place& place;
  std::size_t count;
};

// The definition of a struct or a class.
struct Type {
  std::string_view name;
  std::vector<Parameter> of_template;
  Tokens inside;  // of its braces
};

// A text with its macros expanded.
struct Text {
  explicit Text(std::string_view source) : file(source) {}

  File file;
  std::vector<Token> code = {};
  std::vector<std::size_t> closings = {};
  std::vector<Struct> structs = {};
  std::vector<Type> types = {};
  std::vector<Function> methods = {};
};

std::string unqualified(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  return std::string(colon == name.npos ? name : name.substr(colon + 2));
}

bool begins_type(const Token& token) { return token.is("struct") || token.is("class"); }

bool is_float_type(std::string_view name) { return name == "float" || name == "double"; }

// "32.5" of "32.5f"; empty if it is no number.
std::string number_text(const Node& node) {
  if (node.tokens.size() != 1 || node.tokens[0].kind != Token::Kind::number) return "";
  std::string text(node.tokens[0].text);
  while (text.ends_with('f') || text.ends_with('F')) text.pop_back();
  return text;
}

// True if it may end the function, or a loop around it.
bool may_leave(const Statement& statement, bool is_in_loop = false) {
  using enum Statement::Kind;
  const Statement::Kind kind = statement.kind;
  const bool is_loop = is_in_loop || kind == for_loop || kind == unknown;
  const auto may = [&](const Statements& all) {
    return std::ranges::any_of(all, [&](const Statement& one) { return may_leave(one, is_loop); });
  };
  return kind == return_value || (!is_in_loop && (kind == break_loop || kind == continue_loop)) ||
         may(statement.body) || may(statement.otherwise);
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
  HostCode(const std::vector<std::string_view>& sources, const DeviceValues& device)
      : device_(device) {
    std::vector<Macro>& macros = macros_;
    for (const std::string_view source : sources) {
      const Text& text = texts_.emplace_back(source);
      macros.insert(macros.end(), text.file.macros.begin(), text.file.macros.end());
    }
    for (Text& text : texts_) {
      text.code = with_static_members(expanded(text.file.code, macros));
      text.structs = structs_in(text.code);
      text.closings = closings_of(text.code);
      add_types(text);
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
    wanted_ = wanted;
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
        const bool is_launch = code[at].is("<<") && code[at + 1].is("<");
        const bool is_call =
            (code[at].is("cudaLaunchKernel") || code[at].is("cudaLaunchCooperativeKernel")) &&
            code[at + 1].is("(");
        if (!is_launch && !is_call) continue;
        const auto written = is_call ? call_at(text, at) : launch_at(text, at);
        if (!written) continue;
        // Each call of a function that takes the kernel is a launch of another one.
        passing_ = {};
        do {
          if (result.size() == most_launches) return result;
          passing_.is_found = false;
          auto launch = read(text, at, *written, wanted, given_arguments);
          if (launch && std::ranges::find(result, *launch) == result.end())
            result.push_back(std::move(*launch));
          ++passing_.call;
        } while (passing_.is_found && passing_.call < most_launches);
      }
    }
    return result;
  }

 private:
  // "Config<64, 32>::threads" as one name, because else its commas would end an expression.
  std::vector<Token> with_static_members(const std::vector<Token>& code) {
    std::vector<Token> result;
    for (std::size_t at = 0; at < code.size(); ++at) {
      result.push_back(code[at]);
      if (!code[at].is_name() || at + 1 >= code.size() || !code[at + 1].is("<")) continue;
      const std::size_t end = closing_angle(code, at + 1);
      if (end + 2 >= code.size() || !code[end + 1].is("::") || !code[end + 2].is_name()) continue;
      result.back().text = names_.emplace_back(text_of(Tokens(code).subspan(at, end + 3 - at)));
      at = end + 2;
    }
    return result;
  }

  static void add_types(Text& text) {
    const Tokens code = text.code;
    for (std::size_t at = 0; at + 2 < code.size(); ++at) {
      if (!begins_type(code[at]) || !code[at + 2].is("{")) continue;
      const std::size_t end = std::min(text.closings[at + 2], code.size());
      const Tokens inside = code.subspan(at + 3, end - (at + 3));
      text.types.push_back({code[at + 1].text, template_parameters_before(code.first(at)), inside});
      for (Function& one : functions_in(inside)) {
        one.name = fmt::format("{}::{}", code[at + 1].text, unqualified(one.name));
        text.methods.push_back(std::move(one));
      }
    }
  }

  // Of the template that begins before a struct; empty if it is none.
  static std::vector<Parameter> template_parameters_before(Tokens head) {
    if (head.empty() || !head.back().is(">")) return {};
    std::size_t open = head.size() - 1;
    while (open > 0 && !head[open].is("template")) --open;
    if (open + 2 > head.size() - 1 || !head[open].is("template")) return {};
    return parameters_of(head.subspan(open + 2, head.size() - 1 - (open + 2)));
  }

  const Node* parsed(Tokens tokens) {
    return expressions_.emplace_back(parse_expression(tokens)).get();
  }

  // --- What is declared before a place

  Place place_at(const Text& text, std::size_t at) {
    Place place;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < at; ++i) {  // the braces around it, from the outermost
      if (!text.code[i].is("{")) continue;
      if (const std::size_t close = text.closings[i]; close < at) {
        i = close;
        continue;
      }
      const std::size_t head = declare_statements(place, text, begin, i);
      declare_parameters(place, text, head, i);
      begin = i + 1;
    }
    declare_statements(place, text, begin, at);
    return place;
  }

  // Declares what the whole statements in [begin, end) declare, and what ifs and loops among them
  // assign. Returns the begin of the unfinished statement before `end`.
  std::size_t declare_statements(Place& place, const Text& text, std::size_t begin,
                                 std::size_t end) {
    std::size_t statement = begin;
    for (std::size_t at = begin; at < end; ++at) {
      const Token& token = text.code[at];
      const auto goes_on = [&](std::size_t last) {
        return last + 1 < end && text.code[last + 1].is("else");
      };
      const auto declare_up_to = [&](std::size_t last) {
        declare(place, Tokens(text.code).subspan(statement, last + 1 - statement));
      };
      if (token.is(";") && !goes_on(at)) {
        declare_up_to(at);
        statement = at + 1;
      } else if (token.is("(") || token.is("[") || token.is("{")) {
        const std::size_t close = std::min(text.closings[at], end);
        const bool is_value =
            close + 1 < end && (text.code[close + 1].is(";") || text.code[close + 1].is(","));
        if (token.is("{") && !is_value && !goes_on(close)) {
          static const std::set<std::string_view> may_assign = {"if", "for", "while"};
          if (close < end && may_assign.contains(text.code[statement].text)) declare_up_to(close);
          statement = close + 1;
        }
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

  // "enum { BYTES = 2 * SIDE };"
  bool declare_enumerators(Place& place, Tokens statement) {
    const std::size_t open = find(statement, "{");
    if (statement.empty() || !statement[0].is("enum") || open == statement.size()) return false;
    const std::size_t close = closing(statement, open);
    for (const Tokens one : split(statement.subspan(open + 1, close - open - 1), ",")) {
      if (one.size() < 3 || !one[1].is("=")) continue;
      place.declared.push_back({.name = std::string(one[0].text), .value = parsed(one.subspan(2))});
    }
    return true;
  }

  void declare(Place& place, Tokens statement) {
    if (declare_pointer(place, statement) || declare_enumerators(place, statement)) return;
    for (const Statement& one : statements_.emplace_back(parse_statements(statement))) {
      for (const Declarator& declarator : one.declarators) {
        place.declared.push_back({declarator.name, one.type, declarator.value.get()});
      }
      const bool is_simple = one.kind == Statement::Kind::expressions;
      if (is_simple || one.kind == Statement::Kind::if_else || is_loop(one) ||
          one.kind == Statement::Kind::declaration) {
        std::set<std::string> names;
        add_assigned(names, one);
        for (const std::string& name : names) {
          const std::string type = type_of(place, name);
          place.declared.push_back({.name = name, .type = type, .statement = &one});
        }
      }
      // A grid, which has no value of its own.
      if (!is_simple || one.expressions.size() != 1) continue;
      const Node& only = *one.expressions[0];
      if (only.kind == Kind::assignment && only.text == "=" &&
          only.operands[0]->kind == Kind::name && only.operands[1]->kind != Kind::assignment) {
        const std::string& name = only.operands[0]->text;
        Declared* const assigned = last_named(place, name);
        *assigned = {name, assigned->type, only.operands[1].get()};
      }
    }
  }

  // All names that a statement may assign, also through a pointer or a reference that it passes:
  // f(&x), and f(x) where f is "void f(int& x)".
  void add_assigned(std::set<std::string>& names, const Node& node) {
    const bool may_assign = node.kind == Kind::assignment || node.kind == Kind::increment ||
                            (node.kind == Kind::unary && node.text == "&");
    if (may_assign && node.operands[0]->kind == Kind::name) names.insert(node.operands[0]->text);
    const bool passes_name =
        node.kind == Kind::call && std::ranges::any_of(node.operands, [](const NodePointer& one) {
          return one->kind == Kind::name;
        });
    const Function* const function = passes_name ? called_function(node) : nullptr;
    for (std::size_t i = 0; function && i < node.operands.size(); ++i) {
      if (!is_result(function->parameters[i], *node.operands[i])) continue;
      for (std::string& one : values_of(node.operands[i]->text, is_dim3(function->parameters[i])))
        names.insert(std::move(one));
    }
    for (const NodePointer& operand : node.operands) {
      if (operand) add_assigned(names, *operand);
    }
  }

  void add_assigned(std::set<std::string>& names, const Statement& statement) {
    for (const Nodes* nodes : {&statement.expressions, &statement.advances}) {
      for (const NodePointer& node : *nodes) add_assigned(names, *node);
    }
    for (const Declarator& one : statement.declarators) {
      if (one.value) add_assigned(names, *one.value);
    }
    for (const Statements* inner : {&statement.first, &statement.body, &statement.otherwise}) {
      for (const Statement& one : *inner) add_assigned(names, one);
    }
  }

  // True if the function may assign to the number or the dim3 that a call passes.
  static bool is_result(const Parameter& parameter, const Node& passed) {
    static const Words types = {"dim3", "int", "unsigned", "size_t", "float", "double"};
    const Tokens declared = parameter.tokens.first(find(parameter.tokens, "="));
    return passed.kind == Kind::name && has(declared, "&") && !has(declared, "const") &&
           !has(declared, "*") && !has(declared, "<") && has_any(declared, types);
  }

  static bool is_dim3(const Parameter& parameter) {
    return has(parameter.tokens.first(find(parameter.tokens, "=")), "dim3");
  }

  // The names of a variable's values: of a dim3 its x, y and z.
  static std::vector<std::string> values_of(const std::string& name, bool of_dim3) {
    if (!of_dim3) return {name};
    return {name + ".x", name + ".y", name + ".z"};
  }

  static bool is_loop(const Statement& one) {  // with a known condition
    return (one.kind == Statement::Kind::for_loop || one.kind == Statement::Kind::unknown) &&
           one.expressions.size() == 1;
  }

  static std::string type_of(const Place& place, const std::string& name) {
    const Declared* const one = last_named(place, name);
    return one ? one->type : "";
  }

  // --- Statements that are carried out, as far as their values are known

  enum class Flow { goes_on, breaks, continues, returns, is_lost };

  struct Run {
    Place place;
    std::optional<std::size_t> axis = std::nullopt;  // of the dim3 that the function returns
    std::optional<Piece> returned = std::nullopt;
  };

  static void assign(Place& place, const std::string& name, std::optional<Piece> piece) {
    if (Declared* const one = last_named(place, name))
      *one = {.name = name, .type = one->type, .piece = converted(std::move(piece), one->type)};
    else
      place.declared.push_back({.name = name, .piece = std::move(piece)});
  }

  std::optional<Piece> returned_by(const Run& run, const Node& node) {
    return run.axis ? extent(run.place, node, *run.axis) : value(run.place, node);
  }

  // The value of an expression whose effects are carried out. What a call returns is of its
  // arguments before.
  std::optional<Piece> value_with_effects(Run& run, const Node& node) {
    std::optional<Piece> piece;
    if (node.kind == Kind::call) piece = value(run.place, node);
    take_effect(run, node);
    const Node* from = &node;
    while (from->kind == Kind::assignment) from = from->operands[0].get();
    return node.kind == Kind::call ? piece : value(run.place, *from);
  }

  // Carries out what an expression assigns.
  void take_effect(Run& run, const Node& node) {
    if (node.kind == Kind::call) return take_results(run, node);
    const bool is_inside = node.kind == Kind::parentheses || node.kind == Kind::binary ||
                           node.kind == Kind::cast ||
                           (node.kind == Kind::unary && node.text != "&");
    for (std::size_t i = 0; is_inside && i < node.operands.size(); ++i)
      take_effect(run, *node.operands[i]);
    const bool assigns = node.kind == Kind::assignment || node.kind == Kind::increment;
    if (!assigns || node.operands[0]->kind != Kind::name) return;
    const std::string& name = node.operands[0]->text;
    if (node.text == "=" && type_of(run.place, name) == "dim3")
      return assign_extents(run, name, *node.operands[1]);
    std::optional<Piece> piece = constant(Integer{1});
    if (node.kind == Kind::assignment) piece = value_with_effects(run, *node.operands[1]);
    if (node.text != "=") {
      const NodePointer& left = node.operands[0];
      const auto before = value(run.place, *left);
      const BinaryOperator* operation = binary_operator(node.text.substr(0, node.text.size() - 1));
      piece = before && piece && operation ? combined(*before, *operation, *piece) : std::nullopt;
    }
    assign(run.place, name, std::move(piece));
  }

  // The x, y and z of a dim3 are variables of their own.
  void assign_extents(Run& run, const std::string& name, const Node& node) {
    std::array<std::optional<Piece>, 3> extents;
    for (std::size_t axis = 0; axis < 3; ++axis) extents[axis] = extent(run.place, node, axis);
    for (std::size_t axis = 0; axis < 3; ++axis)
      assign(run.place, name + "." + "xyz"[axis], std::move(extents[axis]));
  }

  // What a call stores in variables whose addresses or references it has; it may be in another
  // call, which checks its result.
  void take_results(Run& run, const Node& call) {
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      const Node& operand = *call.operands[i];
      if (operand.kind == Kind::call) take_results(run, operand);
      if (operand.kind == Kind::assignment) take_effect(run, operand);
      if (operand.kind == Kind::unary && operand.text == "&" &&
          operand.operands[0]->kind == Kind::name) {
        assign(run.place, operand.operands[0]->text, stored_by(run, call, i));
      }
    }
    const Function* const function = called_function(call);
    bool has_results = false;
    for (std::size_t i = 0; function && i < call.operands.size(); ++i)
      has_results = has_results || is_result(function->parameters[i], *call.operands[i]);
    if (!has_results) return;
    const auto inside = carried_out(run.place, call);
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      const Parameter& parameter = function->parameters[i];
      if (!is_result(parameter, *call.operands[i])) continue;
      const auto to = values_of(call.operands[i]->text, is_dim3(parameter));
      const auto from = values_of(parameter.name, is_dim3(parameter));
      for (std::size_t n = 0; n < to.size(); ++n)
        assign(run.place, to[n], inside ? value_of_name(inside->place, from[n]) : std::nullopt);
    }
  }

  std::optional<Piece> stored_by(const Run& run, const Node& call, std::size_t operand) {
    if (call.text == "cudaMallocPitch" && operand == 1 && call.operands.size() > 2)
      return value(run.place, *call.operands[2]);  // of rows without a gap
    if (call.text == "cudaDeviceGetAttribute" && operand == 0 && call.operands.size() > 1)
      return device_value(call.operands[1]->text);
    const bool is_of_kernel =
        call.operands.size() > 2 && !wanted_.empty() && has(call.operands[2]->tokens, wanted_);
    if (call.text == "cudaOccupancyMaxPotentialBlockSize" && operand == 1 && is_of_kernel)
      return device_value(call.text);
    return {};
  }

  Flow carry_out(Run& run, const Statements& statements) {
    const std::size_t declared = run.place.declared.size();
    Flow flow = Flow::goes_on;
    for (const Statement& one : statements) {
      flow = carry_out(run, one);
      if (flow != Flow::goes_on) break;
    }
    run.place.declared.resize(std::min(declared, run.place.declared.size()));
    return flow;
  }

  Flow carry_out(Run& run, const Statement& one) {
    if (++values_ > most_values) return Flow::is_lost;
    switch (one.kind) {
      case Statement::Kind::declaration:
        for (const Declarator& declarator : one.declarators) declare_now(run, one, declarator);
        return Flow::goes_on;
      case Statement::Kind::expressions:
        for (const NodePointer& expression : one.expressions) take_effect(run, *expression);
        return Flow::goes_on;
      case Statement::Kind::block:
        return carry_out(run, one.body);
      case Statement::Kind::if_else: {
        if (one.expressions.empty()) return forget(run, one);
        take_effect(run, *one.expressions[0]);
        const auto condition = value(run.place, *one.expressions[0]);
        if (!condition || !condition->number()) return forget(run, one);
        return carry_out(run, *condition->number() != 0 ? one.body : one.otherwise);
      }
      case Statement::Kind::return_value:
        if (!one.expressions.empty()) run.returned = returned_by(run, *one.expressions[0]);
        return Flow::returns;
      case Statement::Kind::break_loop:
        return Flow::breaks;
      case Statement::Kind::continue_loop:
        return Flow::continues;
      case Statement::Kind::for_loop:
      case Statement::Kind::unknown:
        return is_loop(one) ? carry_out_loop(run, one) : forget(run, one);
      case Statement::Kind::nothing:
        return Flow::goes_on;
    }
    return Flow::goes_on;
  }

  void declare_now(Run& run, const Statement& statement, const Declarator& declarator) {
    Declared declared{declarator.name, statement.type};
    const Node* const node = declarator.value.get();
    if (node) {
      const bool has_own_text = node->kind == Kind::lambda || node->kind == Kind::list ||
                                (node->kind == Kind::call && node->text == "dim3");
      if (has_own_text) declared.value = node;
      if (!has_own_text) declared.piece = converted(value_with_effects(run, *node), statement.type);
    }
    run.place.declared.push_back(declared);
    for (std::size_t axis = 0; axis < 3 && statement.type == "dim3"; ++axis) {
      auto piece = node ? extent(run.place, *node, axis) : constant(Integer{1});
      run.place.declared.push_back(
          {.name = declared.name + "." + "xyz"[axis], .piece = std::move(piece)});
    }
  }

  Flow carry_out_loop(Run& run, const Statement& loop) {
    const std::size_t declared = run.place.declared.size();
    Flow flow = Flow::goes_on;
    for (const Statement& one : loop.first) carry_out(run, one);
    for (;;) {
      const auto condition = value(run.place, *loop.expressions[0]);
      if (!condition || !condition->number()) {
        flow = forget(run, loop);
        break;
      }
      if (*condition->number() == 0) break;
      flow = carry_out(run, loop.body);
      if (flow == Flow::returns || flow == Flow::is_lost || flow == Flow::breaks) break;
      for (const NodePointer& one : loop.advances) take_effect(run, *one);
    }
    run.place.declared.resize(declared);
    return flow == Flow::returns || flow == Flow::is_lost ? flow : Flow::goes_on;
  }

  // Whether it is carried out is not known, and so are the values of all that it assigns.
  Flow forget(Run& run, const Statement& one) {
    std::set<std::string> names;
    add_assigned(names, one);
    for (const std::string& name : names) {
      if (type_of(run.place, name) == "dim3") assign(run.place, name, std::nullopt);
      for (const std::string& value : values_of(name, type_of(run.place, name) == "dim3"))
        assign(run.place, value, std::nullopt);
    }
    return may_leave(one) ? Flow::is_lost : Flow::goes_on;
  }

  // The value of a name after a statement of a place that may assign it.
  std::optional<Piece> value_after(const Scope& scope, const std::string& name,
                                   const Statement& statement) {
    const Place& place = scope.place;
    Run run{place};
    run.place.declared.resize(scope.count);
    std::set<std::string> names;
    add_assigned(names, statement);
    // An assignment changes these, and not the earlier ones, on which others depend.
    for (const std::string& one : names) {
      const std::string type = type_of(place, one);
      run.place.declared.push_back({.name = one, .type = type, .is_as_before = true});
      for (std::string& member : values_of(one, type == "dim3"))
        if (member != one) run.place.declared.push_back({.name = member, .is_as_before = true});
    }
    if (++values_ > most_values) return {};
    if (carry_out(run, statement) != Flow::goes_on) return {};
    return value_of_name(run.place, name);
  }

  // Declares the parameters of the function whose body begins at `brace`.
  void declare_parameters(Place& place, const Text& text, std::size_t head, std::size_t brace) {
    const Tokens all = Tokens(text.code).subspan(head, brace - head);
    const bool is_template = all.size() >= 2 && all[0].is("template") && all[1].is("<");
    const std::size_t end = is_template ? closing_angle(all, 1) : all.size();
    const auto declare_template = [&](const Token& name) {
      declare_list(place, std::string(name.text), true, parameters_of(all.subspan(2, end - 2)));
    };
    if (end + 2 < all.size() && begins_type(all[end + 1])) {  // unless it is a specialization
      if (end + 3 == all.size() || !all[end + 3].is("<")) declare_template(all[end + 2]);
      return;
    }
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
    if (end < all.size()) declare_template(name);
  }

  static void declare_list(Place& place, const std::string& function, bool is_of_template,
                           const std::vector<Parameter>& parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      std::vector<Token> type(parameters[i].tokens.begin(), parameters[i].tokens.end());
      std::erase_if(type, [&](const Token& token) { return token.is(parameters[i].name); });
      place.declared.push_back({.name = parameters[i].name,
                                .type = text_of(type),
                                .function = function,
                                .is_of_template = is_of_template,
                                .index = i,
                                .default_value = parameters[i].default_value});
    }
  }

  // A loop's variable has many values.
  void declare_loop(Place& place, Tokens header) {
    const std::vector<Tokens> parts = split(header, ";");
    if (parts.empty()) return;
    for (const Statement& one : statements_.emplace_back(parse_statements(parts[0]))) {
      for (const Declarator& declarator : one.declarators) {
        place.declared.push_back({.name = declarator.name, .type = one.type, .is_of_loop = true});
      }
      std::set<std::string> assigned;  // "for (k = 0; …)", declared before
      for (const NodePointer& expression : one.expressions) add_assigned(assigned, *expression);
      for (const std::string& name : assigned) {
        const std::string type = type_of(place, name);
        place.declared.push_back({.name = name, .type = type, .is_of_loop = true});
      }
    }
  }

  // "for (int k = 0; k < K; k += 256) kernel<<<…>>>(…);", without braces.
  void declare_loops_before(Place& place, const Text& text, std::size_t at) {
    while (at > 1 && text.code[at - 1].is(")")) {
      std::size_t open = at - 1;
      while (open > 0 && text.closings[open] != at - 1) --open;
      if (open == 0 || !text.code[open - 1].is("for")) return;
      declare_loop(place, Tokens(text.code).subspan(open + 1, at - open - 2));
      at = open - 1;
    }
  }

  // --- Values

  // Limits recursion.
  struct Depth {
    explicit Depth(int& count) : depth(count) { ++depth; }
    ~Depth() { --depth; }
    int& depth;
  };

  std::optional<Piece> value(const Scope& scope, const Node& node) {
    const Depth depth(depth_);
    if (depth_ > deepest || ++values_ > most_values) return {};
    switch (node.kind) {
      case Kind::number:
        return constant(node.number);
      case Kind::name:
        return value_of_name(scope, node.text);
      case Kind::parentheses:
        return node.operands.size() == 1 ? value(scope, *node.operands[0]) : std::nullopt;
      case Kind::cast:
        return converted(value(scope, *node.operands[0]), node.text);
      case Kind::unary:
        return unary(scope, node);
      case Kind::binary:
        return binary(scope, node);
      case Kind::conditional:
        return conditional(scope, node);
      case Kind::call:
        return call(scope, node);
      case Kind::opaque: {
        const std::string digits = number_text(node);
        char* end = nullptr;
        const double real = std::strtod(digits.c_str(), &end);
        if (!digits.empty() && *end == '\0') return constant(real);
        if (const Node* operand = operand_of_float_cast(node)) {
          return converted(value(scope, *operand), "double");
        }
        return value_of_member(scope.place, node);
      }
      case Kind::subscript:
        return value_of_member(scope.place, node);
      default:
        return not_known(text_of(node.tokens));
    }
  }

  // Remembers the first that has no value, which an error names.
  std::nullopt_t not_known(const std::string& what) {
    if (unknown_.empty()) unknown_ = what;
    return std::nullopt;
  }

  // A value as one of an arithmetic type; as it is for other types.
  static std::optional<Piece> converted(std::optional<Piece> piece, std::string_view type) {
    if (!piece) return {};
    if (is_float_type(type)) {
      if (piece->value) return constant(static_cast<double>(piece->value->value));
      piece->is_floating = true;
    } else if (const auto integer = integer_type(type)) {
      const auto value = piece->real ? truncated(*piece->real) : piece->value;
      if (value) return constant(value->as(*integer));
      if (piece->real) return {};
      piece->is_floating = false;
    }
    return piece;
  }

  // A property of the GPU: "prop.warpSize" and "prop->maxThreadsDim[0]" have a name of their own.
  std::optional<Piece> device_value(std::string_view name) {
    if (name == "multiProcessorCount" || name == "cudaDevAttrMultiProcessorCount")
      return Piece{"SMs"};
    const auto known = device_.find(name);
    if (known == device_.end()) return {};
    is_of_device_ = true;
    return constant(Integer{known->second});
  }

  std::optional<Piece> device_property(std::string_view text) {
    const std::size_t dot = text.find_last_of(".>");
    return dot == text.npos ? std::nullopt : device_value(text.substr(dot + 1));
  }

  std::optional<Piece> passed_piece(const std::string& text) const {
    return size_ ? constant(Integer{*size_, {64, false}}) : Piece{text};
  }

  // True if the function has a parameter that is neither a pointer nor a number.
  bool takes_struct(const std::string& name) const {
    for (const Text& text : texts_) {
      const Function* const function = text.file.find_kernel(name);
      if (!function) continue;
      return std::ranges::any_of(function->parameters, may_be_struct);
    }
    return false;
  }

  // "prop->warpSize", and members that are passed to the kernel.
  std::optional<Piece> value_of_member(const Place& place, const Node& node) {
    const std::string text = text_of(node.tokens);
    if (const auto property = device_property(text)) return property;
    if (const auto known = place.passed.find(text); known != place.passed.end()) {
      return passed_piece(known->second);
    }
    return is_side(text) || is_size_in_struct(text) ? passed_piece(text) : not_known(text);
  }

  const Struct* struct_of(std::string_view name) const {
    for (const Text& text : texts_) {
      const auto found = std::ranges::find(text.structs, name, &Struct::name);
      if (found != text.structs.end()) return &*found;
    }
    return nullptr;
  }

  // "tile.k" of Tile tile = {16, 32, 8}, where struct Tile { int m, n, k; }, if nothing is assigned
  // to it later.
  std::optional<Piece> value_in_list(const Scope& scope, std::string_view text) {
    const Place& place = scope.place;
    const std::size_t dot = text.find('.');
    if (dot == text.npos) return {};
    for (std::size_t i = scope.count; i-- > 0;) {
      const Declared& one = place.declared[i];
      if (one.name == text) return {};
      if (one.name != text.substr(0, dot)) continue;
      const Struct* const type = struct_of(one.type);
      if (!type || !one.value || one.value->kind != Kind::list) return {};
      const auto member = std::ranges::find(type->members, text.substr(dot + 1));
      const auto index = static_cast<std::size_t>(member - type->members.begin());
      const Nodes& values = one.value->operands;
      return index < values.size() ? value({place, i}, *values[index]) : std::nullopt;
    }
    return {};
  }

  // "16, 32, 8" for such a struct; empty if a member has no value.
  std::string members_text(const Place& place, const std::string& name) {
    const Struct* const type = struct_of(type_of(place, name));
    std::string text;
    for (std::size_t i = 0; type && i < type->members.size(); ++i) {
      const auto member = value_in_list(place, name + "." + type->members[i]);
      if (!member || !member->value) return {};
      text += (text.empty() ? "" : ",") + std::to_string(member->value->value);
    }
    return text;
  }

  bool is_size_in_struct(std::string_view text) const {
    return is_in_struct_ &&
           std::ranges::count(names_of_sizes, text.substr(text.find_last_of(".>") + 1));
  }

  // "B.width": a size of one of the host's matrices, under the name that it has there.
  static bool is_side(std::string_view text) {
    const std::size_t dot = text.find_last_of(".>");
    if (dot == text.npos) return false;
    const std::string_view member = text.substr(dot + 1);
    if (member == "x" || member == "y") return text.starts_with("dims") && dot == 5;  // "dimsA.x"
    return member == "width" || member == "height" || member == "rows" || member == "cols" ||
           member == "columns";
  }

  // "Config<64, 32>" of "Config<64, 32>::threads", and of "C::threads" after "using C = …"; empty
  // for a name without one.
  std::string qualifier_of(const std::string& name) {
    const std::size_t colon = name.rfind("::");
    if (colon == name.npos) return "";
    const std::string type = name.substr(0, colon);
    const Node* const alias = alias_of(type, nullptr);
    return alias ? text_of(alias->tokens) : type;
  }

  // The template parameters and constants of the struct that a name is qualified with.
  std::optional<Place> inside_struct(const Scope& scope, const std::string& name) {
    const std::vector<Token> words = tokens_of(names_.emplace_back(qualifier_of(name)));
    const bool is_template = words.size() >= 3 && words[1].is("<");
    if (words.empty() || (words.size() > 1 && !is_template)) return {};
    std::vector<Tokens> given;
    if (is_template) given = split(Tokens(words).subspan(2, words.size() - 3), ",");
    for (const Text& text : texts_) {
      const auto type = std::ranges::find(text.types, words[0].text, &Type::name);
      if (type == text.types.end()) continue;
      Place inside;
      for (const Parameter& parameter : type->of_template) {
        const std::size_t i = inside.declared.size();
        const Node* const node =
            parsed(kept(i < given.size() ? given[i] : parameter.default_value));
        inside.declared.push_back(
            {.name = parameter.name, .piece = node ? value(scope, *node) : std::nullopt});
      }
      for (const Constant& one : constants_in(type->inside))
        inside.declared.push_back({.name = one.name, .value = parsed(one.value)});
      return inside;
    }
    return {};
  }

  static int change_of_depth(const Token& token) {
    return token.is("(") ? 1 : token.is(")") ? -1 : 0;
  }

  // "Config<64", outside of parentheses.
  static bool has_open_angle(Tokens tokens) {
    int parentheses = 0, angles = 0;
    for (const Token& token : tokens) {
      parentheses += change_of_depth(token);
      if (parentheses == 0) angles += token.is("<") ? 1 : token.is(">") ? -1 : 0;
    }
    return angles > 0;
  }

  // The arguments in the < > that begin at `open`, each of which may be an instance itself:
  // "Config<64, 32>".
  std::vector<Tokens> in_angles(Tokens code, std::size_t open) {
    std::vector<Token> inside;
    const std::size_t close = std::min(closing_angle(code, open), code.size() - 1);
    int parentheses = 0;  // in which "<" and ">>" are operators: "(W >> 3)"
    for (Token token : code.subspan(open + 1, close - open)) {
      parentheses += change_of_depth(token);
      if (token.is(">>") && parentheses == 0) {
        token.text = token.text.substr(1);
        inside.push_back(token);
      }
      inside.push_back(token);
    }
    if (!inside.empty()) inside.pop_back();  // the last >
    std::vector<Tokens> arguments;
    for (const Tokens part : split(kept(inside), ",")) {
      const auto last = arguments.empty() ? Tokens() : arguments.back();
      if (has_open_angle(last))
        arguments.back() = Tokens(last.data(), part.data() + part.size());
      else
        arguments.push_back(part);
    }
    return arguments;
  }

  // Tokens that outlive their vector.
  Tokens kept(Tokens tokens) { return bodies_.emplace_back(tokens.begin(), tokens.end()); }

  std::optional<Piece> value_of_name(const Scope& scope, const std::string& name) {
    const Place& place = scope.place;
    if (const auto known = place.passed.find(name); known != place.passed.end()) {
      return passed_piece(known->second);
    }
    if (const auto property = device_property(name)) return property;
    if (name == "argc") return constant(Integer{1});  // a program that is run without arguments
    std::size_t before = scope.count;
    for (std::size_t i = scope.count; i-- > 0;) {
      const Declared& one = place.declared[i];
      if (one.name != name || one.is_as_before) continue;
      // Not what a caller passes: a grid is for any size.
      if (is_in_grid_ && !one.function.empty() && !one.is_of_template &&
          std::ranges::count(names_of_sizes, name) > 0)
        return passed_piece(name);
      if (one.piece) return one.piece;
      if (one.value || one.statement) {
        const auto piece = at_any_size([&] {
          return converted(one.value ? value({place, i}, *one.value)
                                     : value_after({place, i}, name, *one.statement),
                           one.type);
        });
        if (piece) return piece;
        if (one.statement && one.statement->kind != Statement::Kind::expressions) {
          before = i;
          continue;
        }
      }
      if (!one.function.empty()) {
        if (const auto passed = argument_for(place, one)) {
          return value(*passed->place, *passed->node);
        }
      }
      not_known(name);
      const bool is_free = is_in_grid_ && !one.function.empty() && !one.is_of_template;
      return is_free ? std::optional(passed_piece(name)) : std::nullopt;
    }
    if (is_side(name)) return passed_piece(name);
    if (const auto member = value_in_list(scope, name)) return member;
    const bool is_member = name.find_first_of(".>") != name.npos;
    if (is_member && is_size_in_struct(name)) return passed_piece(name);
    // "block.x" of dim3 block(32, 32)
    if (const std::size_t dot = name.rfind('.'); dot != name.npos && dot + 2 == name.size()) {
      const std::size_t axis = std::string_view("xyz").find(name[dot + 1]);
      if (axis < 3) return extent_of_name({place, before}, name.substr(0, dot), axis);
    }
    if (name == "cudaSuccess") return constant(Integer{0});
    if (const auto inside = inside_struct(scope, name)) {
      if (const auto member = value_of_name(*inside, unqualified(name))) return member;
    }
    const auto known = constants_.find(unqualified(name));
    if (known == constants_.end() || !known->second)
      return is_side(name) ? passed_piece(name) : not_known(name);
    return value(scope, *known->second);
  }

  // What no expression says may still be the same for all large sizes: the number that a function
  // finds step by step, which is at most a tile's side.
  template <typename Evaluate>
  std::optional<Piece> at_any_size(const Evaluate& evaluate) {
    auto piece = evaluate();
    if (piece || size_) return piece;
    std::vector<Piece> found;
    for (const std::int64_t size : large_sizes) {
      size_ = size;
      if (const auto one = evaluate(); one && one->number()) found.push_back(*one);
      size_.reset();
    }
    if (found.size() < std::size(large_sizes) || found[0].number() != found[1].number()) return {};
    return found[0];
  }

  std::optional<Piece> unary(const Scope& scope, const Node& node) {
    auto piece = value(scope, *node.operands[0]);
    if (!piece || node.text.size() != 1) return {};
    if (piece->value) return constant(applied(node.text[0], *piece->value));
    if (piece->real) {
      return node.text == "-"   ? std::optional(constant(-*piece->real))
             : node.text == "!" ? std::optional(constant(truth(*piece->real == 0)))
                                : std::nullopt;
    }
    piece->text = node.text + bound(*piece, tightest);
    piece->binding = tightest - 1;
    return piece;
  }

  std::optional<Piece> binary(const Scope& scope, const Node& node) {
    const auto left = value(scope, *node.operands[0]);
    const auto right = value(scope, *node.operands[1]);
    if (!left || !right) return {};
    return combined(*left, *node.operation, *right);
  }

  static std::optional<Piece> combined(const Piece& left, const BinaryOperator& operation,
                                       const Piece& right) {
    const bool is_floating = left.is_floating || right.is_floating;
    if (left.value && right.value) {
      return constant(applied(operation.spelling, *left.value, *right.value));
    }
    if (left.number() && right.number()) {
      const double a = *left.number(), b = *right.number();
      if (const auto real = result_of(operation.spelling, a, b)) return constant(*real);
      if (operation.binding > 7) return {};
      // The order of two numbers is that of two integers.
      const Integer order{a < b ? -1 : a > b ? 1 : 0};
      const bool is_logic = operation.binding < 6;
      return constant(is_logic ? applied(operation.spelling, truth(a != 0), truth(b != 0))
                               : applied(operation.spelling, order, {0}));
    }
    if (left.text.size() + right.text.size() > longest_text) return {};
    if (left.text.empty() || right.text.empty()) return {};
    const bool is_one = right.number() == 1.0;
    if (is_one && (operation.spelling == "*" || operation.spelling == "/")) {
      return Piece{left.text, left.binding, {}, is_floating};
    }
    if (left.number() == 1.0 && operation.spelling == "*") {
      return Piece{right.text, right.binding, {}, is_floating};
    }
    return Piece{fmt::format("{} {} {}", bound(left, operation.binding), operation.spelling,
                             bound(right, operation.binding + 1)),
                 operation.binding,
                 {},
                 is_floating};
  }

  std::optional<Piece> conditional(const Scope& scope, const Node& node) {
    const auto condition = value(scope, *node.operands[0]);
    if (!condition) return {};
    if (condition->number()) {
      return value(scope, *node.operands[*condition->number() != 0 ? 1 : 2]);
    }
    const auto then = value(scope, *node.operands[1]);
    const auto otherwise = value(scope, *node.operands[2]);
    if (!then || !otherwise || then->text.empty() || otherwise->text.empty()) return {};
    return Piece{
        fmt::format("{} ? {} : {}", bound(*condition, 1), bound(*then, 1), bound(*otherwise, 1)),
        0};
  }

  std::optional<Piece> call(const Scope& scope, const Node& node) {
    const std::string name = without_suffix(unqualified(node.text));
    if (const Node* operand = operand_of_float_cast(node)) {
      return converted(value(scope, *operand), "double");
    }
    if (name == "sizeof") return size_of_type(scope.place, node);
    if (name.starts_with("cuda")) return constant(Integer{0});  // cudaSuccess
    const auto function = std::ranges::find(math_functions, name, &MathFunction::name);
    if (function != std::end(math_functions) && node.operands.size() == 1) {
      const auto piece = value(scope, *node.operands[0]);
      if (piece && piece->number()) return constant(function->value(*piece->number()));
      if (name == "ceil") return rounded_up(scope, *node.operands[0]);
      return name == "floor" ? piece : not_known(text_of(node.tokens));
    }
    if (name == "pow" && node.operands.size() == 2) {
      const auto base = value(scope, *node.operands[0]), exponent = value(scope, *node.operands[1]);
      if (!base || !exponent || !base->number() || !exponent->number()) return {};
      return constant(std::pow(*base->number(), *exponent->number()));
    }
    const bool is_macro = name == "MIN" || name == "MAX";  // of a header that is not there
    if (is_macro && node.operands.size() == 2 && !called_function(node))
      return smallest_or_largest(scope, name == "MIN" ? "min" : "max", node.operands);
    if (name == "min" || name == "max" || name == "fmin" || name == "fmax") {
      const bool is_list = node.operands.size() == 1 && node.operands[0]->kind == Kind::list;
      return smallest_or_largest(scope, name.substr(name.size() - 3),
                                 is_list ? node.operands[0]->operands : node.operands);
    }
    return result_of_call(scope, node);
  }

  std::optional<Piece> size_of_type(const Place& place, const Node& node) {
    if (node.tokens.size() < 3) return {};
    std::string type = text_of(node.tokens.subspan(2, node.tokens.size() - 3));  // in "()"
    for (int depth = 0; depth < deepest_calls && !type.empty(); ++depth) {
      const std::vector<Token> words = tokens_of(type);
      if (!std::ranges::all_of(words, &Token::is_name)) break;
      if (const int bytes = bytes_of_type(words)) return constant(Integer{bytes});
      if (is_declared(place, type)) {
        type = type_for(place, type);
      } else {
        const Node* const alias = words.size() == 1 ? alias_of(type, nullptr) : nullptr;
        type = alias ? text_of(alias->tokens) : "";
      }
    }
    return {};
  }

  std::optional<Piece> smallest_or_largest(const Scope& scope, const std::string& name,
                                           const Nodes& operands) {
    std::optional<Piece> best;
    for (const NodePointer& operand : operands) {
      const auto piece = value(scope, *operand);
      if (!piece) return {};
      best = best ? smaller_or_larger(*best, *piece, name) : piece;
      if (!best) return {};
    }
    return best;
  }

  static std::optional<Piece> smaller_or_larger(const Piece& a, const Piece& b,
                                                const std::string& name) {
    if (a.value && b.value) {
      return constant(name == "min" ? smaller_of(*a.value, *b.value)
                                    : larger_of(*a.value, *b.value));
    }
    if (a.number() && b.number()) {
      return constant(name == "min" ? std::min(*a.number(), *b.number())
                                    : std::max(*a.number(), *b.number()));
    }
    if (a.text.empty() || b.text.empty() || a.text.size() + b.text.size() > longest_text) return {};
    return Piece{fmt::format("{}({}, {})", name, a.text, b.text)};
  }

  // The ceil() of a quotient of floats. A quotient of integers is rounded down before.
  std::optional<Piece> rounded_up(const Scope& scope, const Node& operand) {
    const Node& quotient = without_parentheses(operand);
    if (quotient.kind != Kind::binary || quotient.text != "/") return value(scope, quotient);
    const auto a = value(scope, *quotient.operands[0]);
    const auto b = value(scope, *quotient.operands[1]);
    if (!a || !b) return {};
    if (!a->is_floating && !b->is_floating) return value(scope, quotient);
    static const BinaryOperator plus{"+", 9}, minus{"-", 9}, by{"/", 10};
    const auto less = combined(*b, minus, constant(Integer{1}));
    const auto sum = less ? combined(*a, plus, *less) : std::nullopt;
    auto result = sum ? combined(*sum, by, *b) : std::nullopt;
    if (result) result->is_floating = false;
    return result;
  }

  // The value that a function or a lambda returns; of a dim3, along an axis.
  std::optional<Piece> result_of_call(const Scope& scope, const Node& node,
                                      std::optional<std::size_t> axis = std::nullopt) {
    const auto run = carried_out(scope, node, axis);
    return run && run->returned ? run->returned : not_known(text_of(node.tokens));
  }

  // What a function's or a lambda's parameters and its result are when it has returned. Nothing if
  // that is not known.
  std::optional<Run> carried_out(const Scope& scope, const Node& node,
                                 std::optional<std::size_t> axis = std::nullopt) {
    const Place& place = scope.place;
    const Depth depth(depth_);
    if (depth_ > deepest) return {};
    Run run{.place = inside_struct(scope, node.text).value_or(Place{}), .axis = axis};
    Place& inside = run.place;
    inside.calls = place.calls;
    const Statements* body = nullptr;
    std::string type;
    const std::vector<Parameter>*parameters = nullptr, *of_template = nullptr;
    for (std::size_t i = scope.count; i-- > 0 && !parameters;) {
      const Declared& one = place.declared[i];
      if (one.name != node.text || !one.value || one.value->kind != Kind::lambda) continue;
      parameters = &one.value->parameters;
      body = &one.value->body;
      inside.declared.assign(place.declared.begin(), place.declared.begin() + i);
      inside.passed = place.passed;
    }
    if (const Function* const function = parameters ? nullptr : called_function(node)) {
      parameters = &function->parameters;
      of_template = &function->of_template;
      type = function->returned_type;
      const auto [known, is_new] = parsed_bodies_.try_emplace(function, nullptr);
      if (is_new) {
        const Tokens tokens = bodies_.emplace_back(expanded(function->body, macros_));
        known->second = &statements_.emplace_back(parse_statements(tokens));
      }
      body = known->second;
    }
    if (!parameters) return {};
    std::vector<Declared> bound_parameters;
    for (std::size_t i = 0; of_template && i < of_template->size(); ++i) {
      const Parameter& parameter = (*of_template)[i];
      const Node* given = i < node.template_arguments.size() ? node.template_arguments[i].get()
                                                             : parsed(parameter.default_value);
      bound_parameters.push_back(
          {.name = parameter.name, .piece = given ? value(scope, *given) : std::nullopt});
    }
    for (std::size_t i = 0; i < parameters->size(); ++i) {
      const Parameter& parameter = (*parameters)[i];
      const Node* given =
          i < node.operands.size() ? node.operands[i].get() : parsed(parameter.default_value);
      auto piece = given ? value(scope, *given) : std::nullopt;
      for (const Token& token : parameter.tokens) {
        if (is_float_type(token.text)) piece = converted(piece, token.text);
      }
      if (piece && piece->real && parameter.type) piece = constant(truncated(*piece->real));
      const bool of_dim3 = is_dim3(parameter);
      bound_parameters.push_back({.name = parameter.name,
                                  .type = of_dim3 ? "dim3" : "",
                                  .piece = of_dim3 ? std::nullopt : std::move(piece)});
      for (std::size_t axis_of = 0; of_dim3 && given && axis_of < 3; ++axis_of) {
        bound_parameters.push_back({.name = parameter.name + "." + "xyz"[axis_of],
                                    .piece = extent(scope, *given, axis_of)});
      }
      inside.passed.erase(parameter.name);
      if (given && given->kind == Kind::name)
        pass_members(inside, parameter.name, place, given->text);
    }
    std::ranges::move(bound_parameters, std::back_inserter(inside.declared));
    const Flow flow = carry_out(run, *body);
    if (flow == Flow::is_lost) return {};
    run.returned = converted(std::move(run.returned), type);
    return run;
  }

  // Of a struct that a function takes under another name.
  static void pass_members(Place& inside, const std::string& name, const Place& place,
                           const std::string& passed) {
    const std::string begin = passed + ".";
    for (const auto& [member, as] : place.passed) {
      if (member.starts_with(begin))
        inside.passed.emplace(name + "." + member.substr(begin.size()), as);
    }
  }

  // A method of the struct that the name is qualified with, or a function of that name; null if
  // none has enough parameters.
  const Function* called_function(const Node& call) {
    const std::string name = unqualified(call.text), owner = qualifier_of(call.text);
    const std::string method = unqualified(owner.substr(0, owner.find('<'))) + "::" + name;
    for (const bool is_method : {true, false}) {
      for (const Text& text : texts_) {
        for (const Function& one : is_method ? text.methods : text.file.functions) {
          const bool is_called = is_method ? one.name == method : unqualified(one.name) == name;
          if (is_called && one.parameters.size() >= call.operands.size()) return &one;
        }
      }
    }
    return nullptr;
  }

  // --- Arguments of calls, for parameters

  struct Argument {
    std::shared_ptr<const Place> place;
    const Node* node;
  };

  // What a call of its function passes for a parameter. The first call that is found counts, or the
  // one that passes the kernel.
  std::optional<Argument> argument_for(const Place& place, const Declared& parameter) {
    if (place.calls >= deepest_calls) return {};
    std::size_t before = parameter.function == passing_.function ? passing_.call : 0;
    for (const Text& text : texts_) {
      for (std::size_t at = 0; at + 1 < text.code.size(); ++at) {
        const Token& token = text.code[at];
        if (token.text.find(parameter.function) == token.text.npos) continue;
        const Node* node = argument_in_name(token.text, parameter);
        const bool is_named = token.is_name() && unqualified(token.text) == parameter.function;
        if (!node && !is_named) continue;
        if (!node && (is_call(text, at) || (parameter.is_of_template && is_instance(text, at))))
          node = argument_at(text, at, parameter);
        if (!node || before-- > 0) continue;
        if (is_default_of(parameter, *node)) {  // over the parameters before it
          auto callee = std::make_shared<Place>(place);
          ++callee->calls;
          return Argument{std::move(callee), node};
        }
        auto caller = std::make_shared<Place>(place_at(text, at));
        caller->calls = place.calls + 1;
        pass_names(*caller, place, text, at, parameter.function);
        return Argument{std::move(caller), node};
      }
    }
    const bool can_be_called = !parameter.function.empty() && parameter.function != "main";
    if (can_be_called) uncalled_.insert(parameter.function);
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

  // "launch<half>" in a call, an instance or an alias, and not where the template is defined.
  static bool is_instance(const Text& text, std::size_t at) {
    const bool is_defined = at > 0 && begins_type(text.code[at - 1]);
    return !is_defined && text.code[at + 1].is("<") && open_of_call(text, at) < text.code.size();
  }

  // The argument of "Tile<64, 32>::run", which is one name here, for a parameter of its template.
  const Node* argument_in_name(std::string_view name, const Declared& parameter) {
    if (!parameter.is_of_template || !name.starts_with(parameter.function + "<")) return nullptr;
    const std::vector<Token> words = tokens_of(names_.emplace_back(name));
    const std::size_t end = closing_angle(words, 1);
    if (end >= words.size()) return nullptr;
    const std::vector<Tokens> arguments = split(Tokens(words).subspan(2, end - 2), ",");
    if (parameter.index >= arguments.size()) return default_of(parameter);
    return parsed(kept(arguments[parameter.index]));
  }

  const Node* default_of(const Declared& parameter) {
    return parameter.default_value.empty() ? nullptr : parsed(parameter.default_value);
  }

  static bool is_default_of(const Declared& parameter, const Node& node) {
    return node.tokens.data() == parameter.default_value.data();
  }

  const Node* argument_at(const Text& text, std::size_t at, const Declared& parameter) {
    const Tokens code = text.code;
    const std::size_t open = open_of_call(text, at);
    if (!parameter.is_of_template && !code[open].is("(")) return nullptr;
    if (parameter.is_of_template && !code[at + 1].is("<")) return default_of(parameter);
    const std::vector<Tokens> arguments =
        parameter.is_of_template
            ? in_angles(code, at + 1)
            : split(code.subspan(open + 1, text.closings[open] - open - 1), ",");
    return parameter.index < arguments.size() ? parsed(arguments[parameter.index])
                                              : default_of(parameter);
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

  std::optional<Piece> extent(const Scope& scope, const Node& expression, std::size_t axis) {
    const Depth depth(depth_);
    if (depth_ > deepest) return {};
    const Node& node = without_parentheses(expression);
    const bool is_dim3 =
        node.kind == Kind::list || (node.kind == Kind::call && node.text == "dim3");
    if (is_dim3) {
      if (axis >= node.operands.size()) return constant(Integer{1});
      return at_any_size([&] { return value(scope, *node.operands[axis]); });
    }
    if (node.kind == Kind::name) return extent_of_name(scope, node.text, axis);
    const Function* const function = node.kind == Kind::call ? called_function(node) : nullptr;
    if (function && function->returned_type == "dim3")
      return at_any_size([&] { return result_of_call(scope, node, axis); });
    if (axis > 0) return constant(Integer{1});
    return at_any_size([&] { return value(scope, node); });
  }

  std::optional<Piece> extent_of_name(const Scope& scope, const std::string& name,
                                      std::size_t axis) {
    const Place& place = scope.place;
    if (const auto known = place.passed.find(name); known != place.passed.end()) {
      return axis == 0 ? passed_piece(known->second) : constant(Integer{1});
    }
    const std::string member = name + "." + "xyz"[axis];
    for (std::size_t i = scope.count; i-- > 0;) {
      const Declared& one = place.declared[i];
      if (one.is_as_before) continue;
      if (one.name == member) return value_of_name({place, i + 1}, member);
      if (one.name != name) continue;
      if (one.piece) return axis == 0 ? one.piece : constant(Integer{1});
      if (one.value) return extent({place, i}, *one.value, axis);
      if (!one.function.empty()) {
        if (const auto passed = argument_for(place, one)) {
          return extent(*passed->place, *passed->node, axis);
        }
        return {};
      }
      if (one.statement) {
        // "grid = dim3(…)" sets its members.
        const auto of_axis = at_any_size([&] {
          return value_after({place, i}, member, *one.statement);
        });
        if (of_axis) return of_axis;
        const auto piece = at_any_size([&] {
          return value_after({place, i}, name, *one.statement);
        });
        if (piece && axis == 0) return piece;
        continue;
      }
      return one.type == "dim3" ? std::optional(constant(Integer{1})) : not_known(name);
    }
    if (axis > 0) return constant(Integer{1});
    return value_of_name(scope, name);
  }

  // --- Launches

  // The name before "<<<", and its template arguments.
  struct Called {
    std::string name;
    std::vector<Tokens> template_arguments;
    std::size_t begin = 0;
  };

  Called called_before(Tokens code, std::size_t end) {
    Called called;
    std::size_t at = end;
    if (code[at - 1].is(">") || code[at - 1].is(">>")) {
      int depth = 0, parentheses = 0;
      while (at > 0) {
        --at;
        parentheses += change_of_depth(code[at]);
        if (parentheses == 0)
          depth += code[at].is(">>") ? 2 : code[at].is(">") ? 1 : code[at].is("<") ? -1 : 0;
        if (depth <= 0 || code[at].is(";") || code[at].is("{")) break;
      }
      if (!code[at].is("<")) return {};
      called.template_arguments = in_angles(code.first(end), at);
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

  // "auto kernel = v2<32>;" before "kernel<<<", or a function's parameter: the kernel's own name.
  // Returns the place where that is written if it is in a caller.
  std::optional<Place> follow_pointer(Called& called, const Place& launching) {
    std::optional<Place> caller;
    for (int depth = 0; depth < deepest_calls && !is_kernel(called.name); ++depth) {
      const Place& place = caller ? *caller : launching;
      const Declared* const found = last_named(place, called.name);
      if (!found) break;
      const Node* node = found->value;
      const bool is_parameter = !node && !found->function.empty();
      const auto passed = is_parameter ? argument_for(place, *found) : std::nullopt;
      if (passed && passing_.call == 0) passing_.function = found->function;
      passing_.is_found |= passed && found->function == passing_.function;
      if (passed) node = passed->node;
      if (!node) break;
      if (passed) caller = *passed->place;
      const Tokens tokens = without_parentheses(*node).tokens;
      const Tokens after = tokens.empty() || !tokens[0].is("&") ? tokens : tokens.subspan(1);
      if (after.empty()) break;
      called = called_before(after, after.size());
    }
    return caller;
  }

  bool is_kernel(const std::string& name) const {
    return std::ranges::any_of(texts_, [&](const Text& text) {
      return std::ranges::any_of(text.file.functions, [&](const Function& function) {
        return function.is_kernel && unqualified(function.name) == unqualified(name);
      });
    });
  }

  // A launch as its tokens: the kernel, "grid, block, bytes", and the arguments.
  struct Written {
    Called called;
    std::vector<Tokens> configuration, arguments;
  };

  // "kernel<<<grid, block>>>(arguments)", with "<<" at `at`.
  std::optional<Written> launch_at(std::size_t text_index, std::size_t at) {
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
    const std::size_t open = end + 2, close = std::min(text.closings[open], code.size() - 1);
    return Written{called_before(code, at), split(code.subspan(at + 2, end - at - 2), ","),
                   split(code.subspan(open + 1, close - open - 1), ",")};
  }

  // "cudaLaunchKernel((void*)kernel, grid, block, arguments, bytes, stream)", where "arguments" is
  // an array of addresses before it.
  std::optional<Written> call_at(std::size_t text_index, std::size_t at) {
    const Text& text = texts_[text_index];
    const Tokens code = text.code;
    const std::size_t close = std::min(text.closings[at + 1], code.size() - 1);
    const std::vector<Tokens> parts = split(code.subspan(at + 2, close - at - 2), ",");
    constexpr std::size_t most = 6;
    if (parts.size() < 4) return {};
    // Commas of template arguments make more parts.
    const std::size_t after = parts.size() > most ? parts.size() - most + 1 : 1;
    if (parts[after - 1].empty()) return {};
    auto end = static_cast<std::size_t>(&parts[after - 1].back() + 1 - code.data());
    while (end > at + 2 && code[end - 1].is(")")) --end;
    const Tokens array = parts[after + 2];
    if (array.size() != 1) return {};
    Written result{called_before(code, end), {parts[after], parts[after + 1]}, {}};
    result.called.begin = at;
    if (after + 3 < parts.size()) result.configuration.push_back(parts[after + 3]);
    std::size_t begin = at;  // the last "arguments[] = {", or "arguments = {"
    for (std::size_t i = 0; i + 4 < at; ++i) {
      if (!code[i].is(array[0].text)) continue;
      std::size_t next = i + 1;
      if (code[next].is("[")) next = text.closings[next] + 1;
      if (next < at && code[next].is("=")) ++next;
      if (next < at && code[next].is("{")) begin = next;
    }
    if (begin == at) return {};
    for (Tokens one : split(code.subspan(begin + 1, text.closings[begin] - begin - 1), ",")) {
      const auto address = std::ranges::find(one, "&", &Token::text);
      if (address != one.end())
        one = one.subspan(static_cast<std::size_t>(address - one.begin()) + 1);
      result.arguments.push_back(one);
    }
    return result;
  }

  std::optional<HostLaunch> read(std::size_t text_index, std::size_t at, const Written& written,
                                 const std::string& wanted, const std::vector<Tokens>& given) {
    const Text& text = texts_[text_index];
    const Tokens code = text.code;
    Called called = written.called;
    if (called.name.empty()) return {};
    const bool is_other = !wanted.empty() && unqualified(called.name) != wanted;
    if (is_other && is_kernel(called.name)) return {};
    values_ = deduced_ = 0;
    uncalled_.clear();
    Place place = place_at(text, called.begin);
    declare_loops_before(place, text, called.begin);
    std::optional<Place> caller = follow_pointer(called, place);
    if (called.name.empty()) return {};
    if (!wanted.empty() && unqualified(called.name) != wanted) return {};

    HostLaunch launch;
    launch.kernel = called.name;
    launch.text = text_index;
    launch.line = code[at].line;
    std::vector<const Node*> arguments;
    for (const Tokens one : written.arguments) arguments.push_back(parsed(one));
    if (!add_template_arguments(launch, caller ? *caller : place, called, given)) return {};
    for (const Node* argument : arguments) {
      launch.arguments.push_back(passed_argument(place, argument));
      launch.arguments.back().is_zeroed = is_zeroed(text, launch.arguments.back().name);
      PassedArgument& last = launch.arguments.back();
      last.copied = names_of_bytes(text, {"cudaMemcpy", "cudaMemcpyAsync"}, last.name);
      for (const auto& names : names_of_bytes(text, {"cudaMalloc", "cudaMallocManaged"}, last.name))
        last.sizes.insert(names.begin(), names.end());
    }
    // A struct hides which variables are passed.
    is_in_struct_ = takes_struct(called.name);
    for (const std::string_view size : names_of_sizes) {
      const bool is_free = is_in_struct_ || is_left_out(size, launch.arguments);
      if (is_free && is_declared(place, std::string(size))) place.passed.emplace(size, size);
    }
    add_values_at_any_size(launch, place, arguments);
    for (const PassedArgument& one : launch.arguments) {
      if (!one.name.empty()) place.passed.emplace(one.name, one.name);
    }
    const std::vector<Tokens>& configuration = written.configuration;
    if (configuration.size() < 2) return {};
    const Node* grid = parsed(configuration[0]);
    const Node* block = parsed(configuration[1]);
    if (!grid || !block) return {};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      is_in_grid_ = true;
      launch.grid[axis] =
          text_of_part(launch.unknown[0], [&] { return extent(place, *grid, axis); });
      is_in_grid_ = false;
      launch.block[axis] =
          text_of_part(launch.unknown[1], [&] { return extent(place, *block, axis); });
    }
    launch.shared_bytes = "0";
    const Node* bytes = configuration.size() > 2 ? parsed(configuration[2]) : nullptr;
    if (bytes) {
      launch.shared_bytes = text_of_part(
          launch.unknown[2], [&] { return at_any_size([&] { return value(place, *bytes); }); });
    }
    launch.uncalled = uncalled_;
    return launch;
  }

  // A part of the launch as an integer expression; if there is none, what has no value.
  template <typename Evaluate>
  std::string text_of_part(std::string& unknown, const Evaluate& evaluate) {
    unknown_.clear();
    auto piece = evaluate();
    if (piece && piece->real) piece = constant(truncated(*piece->real));
    if (unknown.empty()) unknown = unknown_;
    return piece ? piece->text : "";
  }

  // The operands of each call of these functions.
  static std::vector<std::vector<Tokens>> calls_of(const Text& text, const Words& functions) {
    std::vector<std::vector<Tokens>> calls;
    const Tokens code = text.code;
    for (std::size_t at = 0; at + 1 < code.size(); ++at) {
      if (!functions.contains(code[at].text) || !code[at + 1].is("(")) continue;
      const std::size_t end = std::min(text.closings[at + 1], code.size());
      calls.push_back(split(code.subspan(at + 2, end - at - 2), ","));
    }
    return calls;
  }

  // "cudaMemset(C, 0, bytes)"
  static bool is_zeroed(const Text& text, const std::string& name) {
    return std::ranges::any_of(
        calls_of(text, {"cudaMemset", "cudaMemsetAsync"}), [&](const auto& operands) {
          return operands.size() > 1 && text_of(operands[0]) == name &&
                 (text_of(operands[1]) == "0" || text_of(operands[1]) == "0x0");
        });
  }

  // The names in the bytes of each call of "cudaMalloc(&A, m * k * sizeof(float))", or of
  // "cudaMemcpy(A, from, m * k * sizeof(float), …)" and back, also by way of "size_t bytes = …".
  static std::vector<std::set<std::string>> names_of_bytes(const Text& text, const Words& functions,
                                                           const std::string& name) {
    std::vector<std::set<std::string>> result;
    for (const std::vector<Tokens>& operands : calls_of(text, functions)) {
      const std::size_t bytes = operands.size() >= 4 ? 2 : 1;
      for (std::size_t i = 0; i < bytes && bytes < operands.size(); ++i)
        if (has(operands[i], name)) add_names(result.emplace_back(), text.code, operands[bytes], 0);
    }
    return result;
  }

  static void add_names(std::set<std::string>& names, Tokens code, Tokens expression, int depth) {
    constexpr int deepest_name = 3;
    for (const Token& token : expression) {
      if (!token.is_name() || depth > deepest_name) continue;
      if (!names.insert(std::string(token.text)).second) continue;
      for (std::size_t at = 0; at + 1 < code.size(); ++at) {
        if (!code[at].is(token.text) || !code[at + 1].is("=")) continue;
        std::size_t end = at + 2;
        while (end < code.size() && !code[end].is(";") && !code[end].is(",")) ++end;
        add_names(names, code, code.subspan(at + 2, end - at - 2), depth + 1);
      }
    }
  }

  // If two of the three sizes are passed under their names, the third is left out; an expression of
  // it, such as N / 4, may be passed in its place.
  static bool is_left_out(std::string_view size, const std::vector<PassedArgument>& arguments) {
    const auto letter_of = [](std::string_view name) {
      return name.size() == 1 ? static_cast<char>(name[0] | 0x20) : ' ';
    };
    std::set<char> passed;
    for (const PassedArgument& one : arguments) {
      const bool is_size = std::ranges::count(names_of_sizes, one.name) > 0;
      if (is_size) passed.insert(letter_of(one.name));
    }
    return passed.size() == 2 && !passed.contains(letter_of(size));
  }

  // The values of arguments that depend on others: a tile's side that is at most a size.
  void add_values_at_any_size(HostLaunch& launch, const Place& place,
                              const std::vector<const Node*>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      PassedArgument& argument = launch.arguments[i];
      if (!nodes[i]) continue;
      Place sized = place, named = place;
      for (const PassedArgument& one : launch.arguments) {
        if (one.name.empty() || one.name == argument.name) continue;
        named.passed.emplace(one.name, one.name);
        if (one.value.empty()) sized.passed.emplace(one.name, one.name);
      }
      const auto symbolic = value(named, *nodes[i]);
      if (symbolic && !symbolic->number() && symbolic->text != argument.name)
        argument.expression = symbolic->text;
      const auto is_size = [&](const Token& token) {
        return std::ranges::count(names_of_sizes, token.text) > 0 &&
               place.passed.contains(std::string(token.text));
      };
      if (!is_in_struct_ && std::ranges::any_of(tokens_of(argument.expression), is_size))
        argument.value.clear();  // of one problem
      if (!argument.value.empty()) continue;
      const auto piece = at_any_size([&] {
        const auto one = value(sized, *nodes[i]);
        return one && one->number() ? one : std::nullopt;
      });
      if (!piece) continue;
      argument.value = piece->text;
      argument.is_of_device = is_of_device_;
    }
  }

  // False if the launch has other template arguments than those wanted.
  bool add_template_arguments(HostLaunch& launch, Place& place, const Called& called,
                              const std::vector<Tokens>& given) {
    for (std::size_t i = 0; i < called.template_arguments.size(); ++i) {
      const Tokens argument = called.template_arguments[i];
      const Node* node = parsed(argument);
      const auto piece = node ? value(place, *node) : std::nullopt;
      const bool is_type = !piece && node && node->kind == Kind::name && !argument.empty() &&
                           !is_declared(place, node->text);
      if (is_type) node = alias_of(node->text, node);
      std::string text = piece && piece->value ? piece->text
                         : is_type || (node && node->kind != Kind::name)
                             ? instance_text(place, node->tokens)
                             : "";
      if (text.empty() && node) text = type_for(place, node->text);
      if (i < given.size()) {
        const std::string wanted = text_of(given[i]);
        if (text.empty() && node && node->kind == Kind::name) {
          place.declared.push_back({.name = node->text, .value = parsed(given[i])});
          text = wanted;
        }
        if (piece && piece->value && text != wanted) {
          const Node* wanted_node = parsed(given[i]);
          const auto number = wanted_node ? value(place, *wanted_node) : std::nullopt;
          if (!number || !number->value || number->value->value != piece->value->value)
            return false;
        }
      }
      launch.template_arguments.push_back(std::move(text));
    }
    return true;
  }

  // What a call or an instance of the launching function's template gives for its type; empty if
  // there is none.
  std::string type_for(const Place& place, const std::string& name) {
    for (const Declared& one : place.declared) {
      if (one.name != name || !one.is_of_template) continue;
      const auto passed = argument_for(place, one);
      if (!passed) return deduced_type(place, one);
      if (passed->node->kind != Kind::name)
        return instance_text(*passed->place, passed->node->tokens);
      return resolved_type(*passed->place, passed->node->text);
    }
    return "";
  }

  // What a function's parameters "T* a" say of its template parameter T.
  std::string deduced_type(const Place& place, const Declared& of_template) {
    constexpr int most_deduced = 100;
    if (++deduced_ > most_deduced) return "";
    for (const Declared& one : place.declared) {
      if (one.function != of_template.function || one.is_of_template) continue;
      if (named_type(one.type) != of_template.name) continue;
      const auto passed = argument_for(place, one);
      const std::string type = passed ? element_type(*passed->place, *passed->node) : "";
      if (!type.empty()) return type;
    }
    return "";
  }

  // "half" of "const half *"; empty if it has several words.
  static std::string named_type(const std::string& type) {
    static const std::set<std::string_view> others = {"const",      "volatile", "__restrict__",
                                                      "__restrict", "*",        "&"};
    std::string name;
    int words = 0;
    for (const Token& token : tokens_of(type)) {
      if (others.contains(token.text)) continue;
      words += token.is_name() && !name.ends_with("::");
      name += token.text;
    }
    return words == 1 ? name : "";
  }

  // The type that an alias or a parameter of a template stands for.
  std::string resolved_type(const Place& place, const std::string& type) {
    const Depth depth(depth_);
    const std::string name = depth_ > deepest ? "" : named_type(type);
    if (name.empty()) return "";
    if (is_declared(place, name)) return type_for(place, name);
    const Node* const alias = alias_of(name, nullptr);
    if (alias && has(alias->tokens, "<")) return instance_text(place, alias->tokens);
    return alias ? resolved_type(place, text_of(alias->tokens)) : name;
  }

  // "Config<64, float>" for "Config<BM, T>", as it is outside of the function that has BM and T.
  std::string instance_text(const Place& place, Tokens type) {
    const std::size_t open = find(type, "<");
    if (open == type.size() || closing_angle(type, open) + 1 != type.size()) return text_of(type);
    std::vector<std::string> arguments;
    for (const Tokens one : in_angles(type, open)) {
      const Node* const node = parsed(one);
      const auto piece = node ? value(place, *node) : std::nullopt;
      const bool is_declared_type =
          !piece && node && node->kind == Kind::name && is_declared(place, node->text);
      arguments.push_back(piece && piece->value ? piece->text
                          : is_declared_type    ? type_for(place, node->text)
                                                : text_of(one));
    }
    return fmt::format("{}<{}>", text_of(type.first(open)), join(arguments));
  }

  // The type of what an argument points to.
  std::string element_type(const Place& place, const Node& argument) {
    const Node& node = without_parentheses(argument);
    const Tokens tokens = node.tokens;
    if (tokens.size() > 3 && tokens[0].text.ends_with("_cast") && tokens[1].is("<"))
      return resolved_type(place, text_of(tokens.subspan(2, closing_angle(tokens, 1) - 2)));
    if (tokens.size() > 3 && tokens[0].is("(")) {  // (half*)x
      const std::size_t close = closing(tokens, 0);
      if (close < tokens.size() && tokens[close - 1].is("*"))
        return resolved_type(place, text_of(tokens.subspan(1, close - 1)));
    }
    return node.kind == Kind::name ? resolved_type(place, type_of(place, node.text)) : "";
  }

  // The type of "using G = Gemm<64>;" in a function, which no kernel knows.
  const Node* alias_of(const std::string& name, const Node* node) {
    const auto [known, is_new] = aliases_.try_emplace(name, nullptr);
    for (std::size_t t = 0; is_new && t < texts_.size() && !known->second; ++t) {
      const Tokens code = texts_[t].code;
      for (std::size_t at = 0; at + 3 < code.size() && !known->second; ++at) {
        const bool is_old = code[at].is("typedef");  // typedef TYPE NAME;
        if (!is_old && !(code[at].is("using") && code[at + 1].is(name) && code[at + 2].is("=")))
          continue;
        const std::size_t begin = is_old ? at + 1 : at + 3;
        std::size_t end = begin;
        while (end < code.size() && !code[end].is(";") && !code[end].is("{")) ++end;
        if (is_old && (end <= begin + 1 || !code[--end].is(name))) continue;
        known->second = parsed(code.subspan(begin, end - begin));
      }
    }
    return known->second ? known->second : node;
  }

  // "A" of "A.view()", "A.data().get()", "thrust::raw_pointer_cast(A.data())" and
  // "reinterpret_cast<const float4*>(A)"; else empty.
  static std::string owner_in(Tokens tokens) {
    const auto cast = std::ranges::find(tokens, "raw_pointer_cast", &Token::text);
    if (tokens.end() - cast > 3 && tokens.back().is(")"))
      tokens = Tokens(cast + 2, tokens.end() - 1);
    if (tokens.size() > 4 && tokens[0].text.ends_with("_cast") && tokens[1].is("<")) {
      const std::size_t open = closing_angle(tokens, 1) + 1;
      if (open < tokens.size() && tokens[open].is("(") && tokens.back().is(")"))
        tokens = tokens.subspan(open + 1, tokens.size() - open - 2);
    }
    if (tokens.empty() || !tokens[0].is_name() || tokens.size() % 4 != 1) return {};
    for (std::size_t at = 1; at < tokens.size(); at += 4) {
      const bool is_dot = tokens[at].is(".") || tokens[at].is("->");
      if (!is_dot || !tokens[at + 2].is("(") || !tokens[at + 3].is(")")) return {};
    }
    return std::string(tokens[0].text);
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
    if (!is_name && !is_member) result.name = owner_in(node->tokens);
    if (is_name) result.type = type_of(place, node->text);
    if (is_name) result.members = members_text(place, result.name);
    result.element = element_type(place, *argument);
    for (const Declared& one : place.declared) {
      if (is_name && one.name == node->text) result.is_of_loop = one.is_of_loop;
      const bool is_used = !is_name && has(node->tokens, one.name);
      result.moves_in_loop = result.moves_in_loop || (is_used && one.is_of_loop);
    }
    const bool is_made = node->tokens.size() > 2 && node->tokens[0].is_name() &&
                         (node->tokens[1].is("{") || node->tokens[1].is("("));
    if (is_made) result.type = node->tokens[0].text;
    if (!is_struct(result.type)) result.type.clear();
    is_of_device_ = false;
    const auto piece = value(place, *node);
    if (piece && piece->value) result.is_of_device = is_of_device_;
    if (piece && piece->value) {
      result.value = std::to_string(piece->value->value);  // 1 for true
    } else {
      result.value = float_text(place, *node);
    }
    return result;
  }

  bool is_struct(const std::string& type) const {
    return !type.empty() && std::ranges::any_of(texts_, [&](const Text& text) {
      return std::ranges::adjacent_find(text.code, [&](const Token& a, const Token& b) {
               return begins_type(a) && b.is(type);
             }) != text.code.end();
    });
  }

  // "0.5" for 0.5f, or for a variable with that value; empty for others.
  std::string float_text(const Scope& scope, const Node& node) {
    if (node.kind == Kind::name) {
      for (std::size_t i = scope.count; i-- > 0;) {
        const Declared& one = scope.place.declared[i];
        if (one.name != node.text) continue;
        return one.value ? float_text({scope.place, i}, without_parentheses(*one.value)) : "";
      }
      return "";
    }
    return number_text(node);
  }

  std::deque<Text> texts_;
  std::vector<Macro> macros_;                     // of all texts
  std::deque<std::vector<Token>> bodies_;         // with macros expanded
  std::map<std::string, const Node*> constants_;  // of all texts
  std::map<std::string, const Node*> aliases_;    // as far as they were asked for; null for none
  std::deque<std::string> names_;                 // that are several tokens in the text
  std::deque<NodePointer> expressions_;
  std::deque<Statements> statements_;
  std::map<const Function*, const Statements*> parsed_bodies_;  // of those that were called
  // The function that takes the kernel of the launch that is read, and which of its calls counts.
  // Of several that pass it on, the outermost.
  struct {
    std::string function;
    std::size_t call = 0;
    bool is_found = false;
  } passing_;
  const DeviceValues& device_;
  std::string wanted_;                // the kernel's name
  std::string unknown_;               // the first that had no value
  std::set<std::string> uncalled_;    // as HostLaunch::uncalled
  std::optional<std::int64_t> size_;  // what is passed has this value
  bool is_of_device_ = false;         // a property of the GPU was read
  bool is_in_struct_ = false;         // the kernel takes a struct, which may hold sizes
  bool is_in_grid_ = false;           // of which a parameter of host code may be a size: "hA"
  int depth_ = 0, values_ = 0, deduced_ = 0;
};

// The index of the token that ends "tile<<<grid, block>>>(A, B, C)", whose name is the first token.
// Nothing if there is no whole launch.
std::optional<std::size_t> end_of_launch(Tokens code) {
  constexpr std::size_t longest = 500;
  code = code.first(std::min(code.size(), longest));
  std::size_t next = 1;
  const auto are = [&](const char* first, const char* second) {
    return next + 1 < code.size() && code[next].is(first) && code[next + 1].is(second);
  };
  if (next < code.size() && code[next].is("<")) next = closing_angle(code, next) + 1;
  if (!are("<<", "<")) return {};
  const std::vector<std::size_t> closings = closings_of(code);
  while (next < code.size() && !are(">>", ">"))
    next = (closings[next] < code.size() ? closings[next] : next) + 1;
  next += 2;
  if (next >= code.size() || !code[next].is("(") || closings[next] == code.size()) return {};
  return closings[next];
}

}  // namespace

std::vector<HostLaunch> launches_in(const std::vector<std::string_view>& all_texts,
                                    std::string_view name_expression, const DeviceValues& device) {
  const std::vector<std::string> taken = without_untaken_branches(all_texts);
  const std::vector<std::string_view> texts(taken.begin(), taken.end());
  std::vector<HostLaunch> launches;
  const std::string kernel = unqualified(without_template_arguments(name_expression));
  for (const std::vector<std::string>& variant : with_one_branch(texts, kernel)) {
    const std::vector<std::string_view> views(variant.begin(), variant.end());
    for (HostLaunch& one : HostCode(views, device).launches(name_expression)) {
      if (std::ranges::find(launches, one) == launches.end()) launches.push_back(std::move(one));
    }
  }
  return launches.empty() ? HostCode(texts, device).launches(name_expression) : launches;
}

std::string with_commented_launches(std::string_view text, std::string_view kernel) {
  std::string result(text);
  std::vector<std::size_t> marks;  // of comments in lines one after another
  std::vector<Token> code;         // in these; each token's line is the index of its mark
  const auto read = [&] {
    std::size_t first = 0;  // after earlier launches
    for (std::size_t at = 0; at < code.size(); ++at) {
      if (!code[at].is_name() || (!kernel.empty() && !code[at].is(kernel))) continue;
      const auto length = end_of_launch(Tokens(code).subspan(at));
      if (!length) continue;
      const auto begin_line = static_cast<std::size_t>(code[at].line);
      const auto end_line = static_cast<std::size_t>(code[at + *length].line);
      for (std::size_t i = first; i <= end_line; ++i) {
        const std::string_view line = text.substr(marks[i], text.find('\n', marks[i]) - marks[i]);
        if (i >= begin_line || line.find("dim3 ") != line.npos) result.replace(marks[i], 2, "  ");
      }
      first = std::max(first, end_line + 1);
      at += *length;
    }
    marks.clear();
    code.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (trimmed(text.substr(at, end - at)).starts_with("//")) {
      const std::size_t mark = text.find("//", at);
      // Line by line, because words may have an apostrophe.
      for (Token token : tokens_of(text.substr(mark + 2, end - mark - 2))) {
        token.line = static_cast<int>(marks.size());
        if (token.kind != Token::Kind::comment) code.push_back(token);
      }
      marks.push_back(mark);
    } else {
      read();
    }
    at = end + 1;
  }
  read();
  return result;
}

}  // namespace gemm_tutor::source
