#include "trace/thread_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "source/declarations.hpp"
#include "trace/thread_values.hpp"

namespace gemm_tutor {
namespace {

using source::Integer;
using source::Node;
using source::Statement;
using source::Statements;
using source::Token;
using source::Tokens;
using Words = std::set<std::string_view>;

constexpr std::int64_t most_iterations = 1 << 20;  // in which a loop along K is followed
constexpr std::int64_t most_statements = 1 << 19;  // that are followed, shown or not
constexpr int deepest_calls = 8;

// How a statement ends.
enum class Flow { goes_on, continues, breaks, returns };

// What a function returned: one value, or a struct's members.
using Returned = std::vector<std::optional<Integer>>;
using Arguments = std::vector<std::optional<Integer>>;

class Walker {
 public:
  Walker(const source::Kernel& kernel, const ThreadWalkOptions& options)
      : kernel_(kernel),
        options_(options),
        values_([this](const Node& call, const Arguments& arguments) {
          const auto returned = result_of(call, arguments);
          const bool is_one = returned && returned->size() == 1;
          return is_one ? returned->front() : std::nullopt;
        }) {
    values_.define(kernel, options);
  }

  ThreadWalk walk() {
    const Flow flow = in_scope(kernel_.body);
    return {std::move(record_).lines(), flow == Flow::returns, iterations_, change_};
  }

 private:
  std::optional<Integer> condition_of(const Statement& statement) const {
    return statement.expressions.empty() ? std::nullopt
                                         : values_.value_of(statement.expressions.front().get());
  }

  // --- Statements

  Flow in_scope(const Statements& statements) {
    values_.environment.open();
    Flow flow = Flow::goes_on;
    for (const Statement& one : statements) {
      flow = follow(one);
      if (flow != Flow::goes_on) break;
    }
    values_.environment.close();
    return flow;
  }

  Flow follow(const Statement& statement) {
    ++statements_;
    switch (statement.kind) {
      case Statement::Kind::block:
        return in_scope(statement.body);
      case Statement::Kind::if_else:
        return if_else(statement);
      case Statement::Kind::for_loop:
        return for_loop(statement);
      case Statement::Kind::unknown:
        unknown_iterations(statement);
        return Flow::goes_on;
      case Statement::Kind::return_value:
        if (calls_ > 0) returned_ = returned_value(statement);
        return Flow::returns;
      case Statement::Kind::break_loop:
        return Flow::breaks;
      case Statement::Kind::continue_loop:
        return Flow::continues;
      case Statement::Kind::nothing:
        return Flow::goes_on;
      default:
        simple(statement);
        record_.drop_repeated();
        return Flow::goes_on;
    }
  }

  // For example a while loop: walks through its body with unknown values of all names that it
  // assigns.
  void unknown_iterations(const Statement& statement) {
    values_.forget_assigned(statement.tokens);
    perhaps(statement.body);
    may_leave_loop_ = false;  // but this one, or a switch
    values_.forget_assigned(statement.tokens);
  }

  // Statements that may not be executed. Then it is not known whether they leave the loop or
  // return.
  void perhaps(const Statements& statements) {
    const Flow flow = in_scope(statements);
    if (flow == Flow::returns) may_return_ = true;
    if (flow == Flow::breaks || flow == Flow::continues) may_leave_loop_ = true;
  }

  Flow if_else(const Statement& statement) {
    const auto value = condition_of(statement);
    if (value) {
      record_.add(statement.line, Worked::Kind::condition, "",
                  values_.filled(*statement.expressions.front()), {value->value != 0});
      return in_scope(value->value != 0 ? statement.body : statement.otherwise);
    }
    perhaps(statement.body);
    perhaps(statement.otherwise);
    values_.forget_assigned(statement.tokens);
    return Flow::goes_on;
  }

  // --- Loops

  static std::string variable_of(const Statement& loop) {
    return loop.advances.empty() ? "" : changed_name(*loop.advances.front());
  }

  std::optional<std::int64_t> value_of_variable(const Statement& loop) const {
    const Variable* variable = values_.environment.find(variable_of(loop));
    if (!variable || !variable->value) return {};
    return variable->value->value;
  }

  void advance(const Statement& loop) {
    for (const auto& one : loop.advances) values_.assign(*one);
  }

  Flow for_loop(const Statement& loop) {
    values_.environment.open();
    record_.silently([&] {
      for (const Statement& one : loop.first) simple(one);
    });
    const bool depends_on_k =
        !loop.expressions.empty() && values_.goes_along_k(loop.expressions.front()->tokens);
    // Code after a loop with pointers that move along K handles the last step.
    const bool is_along_k = depends_on_k && !inside_k_ && !pointers_went_ && !evaluates_;
    ++loops_;
    const Flow flow = is_along_k ? loop_along_k(loop) : other_loop(loop);
    --loops_;
    values_.environment.close();
    return flow == Flow::returns ? flow : Flow::goes_on;
  }

  // True if the loop's body changes a known value that its next iteration uses.
  bool carries(const Statement& loop) {
    const std::string own = variable_of(loop);
    return std::ranges::any_of(values_.assigned_in(loop.body_tokens), [&](std::string_view name) {
      const Variable* variable = values_.environment.find(name);
      return variable && name != own && variable->value;
    });
  }

  // Its changes may be used after the loop.
  bool matters_after(const Statement& loop) {
    if (calls_ > 0 || loops_ > 1) return true;
    const Token* end = loop.tokens.data() + loop.tokens.size();
    const Token* last = kernel_.tokens.data() + kernel_.tokens.size();
    const Words names = values_.names_in({end, last});
    return std::ranges::any_of(values_.assigned_in(loop.body_tokens),
                               [&](std::string_view name) { return names.contains(name); });
  }

  Flow other_loop(const Statement& loop) {
    const bool goes_on = carries(loop) && matters_after(loop);
    for (int i = 0; goes_on || i < options_.iterations; ++i) {
      const auto holds = condition_of(loop);
      if (holds && holds->value == 0) return Flow::goes_on;
      if ((!holds && i > 0) || statements_ > most_statements) break;
      const Flow flow = i < options_.iterations ? iteration(loop) : further_iteration(loop);
      if (flow == Flow::returns) return flow;
      const bool may_be_left = std::exchange(may_leave_loop_, false);
      if (flow == Flow::breaks) return Flow::goes_on;
      if (may_be_left) break;
      advance(loop);
    }
    values_.forget_assigned(loop.tokens);
    return Flow::goes_on;
  }

  Flow iteration(const Statement& loop, const std::string& filled_text = "") {
    const WalkRecord::Mark before = record_.mark();
    if (const auto value = value_of_variable(loop)) {
      record_.add(loop.line, Worked::Kind::loop, variable_of(loop), filled_text, {*value});
    }
    const Flow flow = in_scope(loop.body);
    record_.take_back_single(before);
    return flow;
  }

  // One after those that are shown: it is shown if it reaches a line with an element that none
  // before it reached.
  Flow further_iteration(const Statement& loop) {
    const WalkRecord::Mark before = record_.mark();
    const std::size_t lines = record_.element_lines();
    const Flow flow = iteration(loop);
    if (!record_.is_silent() && record_.element_lines() == lines) record_.take_back(before);
    return flow;
  }

  // --- The loop along K

  // Of the loop's variable, in each iteration. 0 where that, or its opposite, has more than 64
  // bits.
  std::int64_t change_of(const Statement& loop) {
    const auto first = value_of_variable(loop);
    if (!first) return 0;
    const Environment before = values_.environment;
    advance(loop);
    const auto next = value_of_variable(loop);
    values_.environment = before;
    const std::int64_t change = next ? source::difference_of(*next, *first).value_or(0) : 0;
    return source::difference_of(0, change) ? change : 0;
  }

  // Without its body, until its condition says that it ends; nothing where it does not say so.
  std::optional<std::int64_t> count_of(const Statement& loop) {
    const Environment before = values_.environment;
    std::optional<std::int64_t> count;
    for (std::int64_t i = 0; i < most_iterations && !count; ++i) {
      const auto holds = condition_of(loop);
      if (!holds) break;
      if (holds->value == 0) count = i;
      if (i == 0) values_.forget_assigned(loop.body_tokens);
      advance(loop);
    }
    values_.environment = before;
    return count;
  }

  // Returns the place of the first known pointer that the loop's body moves, into a matrix whose
  // step is known there (A).
  std::optional<std::int64_t> step_of_pointers(const Statement& loop) {
    if (!options_.step_of_place) return {};
    for (const std::string_view name : values_.assigned_in(loop.body_tokens)) {
      const Variable* pointer = values_.pointer_called(name);
      if (!pointer || !pointer->value) continue;
      if (const auto step = options_.step_of_place(pointer->matrix, pointer->value->value)) {
        return step;
      }
    }
    return {};
  }

  // The iteration that computes or loads the requested step.
  std::int64_t iteration_of_step(const Statement& loop) {
    // Step 0 has column 0 of A, which a loop that goes downward reaches last.
    if (change_ < 0) return count_of(loop).value_or(0) - 1 - options_.step;
    const std::int64_t depth = options_.step_depth;
    if (change_ < depth || change_ % depth != 0) return options_.step;
    const auto way =
        source::difference_of(options_.step * depth, value_of_variable(loop).value_or(0));
    return way ? std::max<std::int64_t>(0, *way) / change_ : options_.step;
  }

  Flow loop_along_k(const Statement& loop) {
    const bool was_inside = std::exchange(inside_k_, true);
    change_ = change_of(loop);
    const Flow flow = carries(loop) ? follow_along_k(loop) : jump_along_k(loop);
    inside_k_ = was_inside;
    return flow;
  }

  // The iterations are independent, so only the requested one is followed.
  Flow jump_along_k(const Statement& loop) {
    static const Words leaving = {"break", "return", "goto"};
    const bool starts_at_zero = value_of_variable(loop) == 0;
    const auto count = count_of(loop);
    std::int64_t wanted = condition_of(loop) ? iteration_of_step(loop)
                                             : std::min<std::int64_t>(0, iteration_of_step(loop));
    if (count) wanted = std::min(wanted, *count - 1);
    const std::int64_t end =
        count.value_or(std::clamp<std::int64_t>(wanted + 1, 0, most_iterations));
    for (std::int64_t i = 0; i < end; ++i) {
      if (i == wanted) {
        const bool is_product = starts_at_zero && change_ > 1 && i > 0;
        const Flow flow = iteration(loop, is_product ? fmt::format("{}·{}", i, change_) : "");
        may_leave_loop_ = false;
        if (flow == Flow::returns) return flow;
      }
      if (i == 0 || i == wanted) values_.forget_assigned(loop.body_tokens);
      advance(loop);
    }
    const bool is_whole = count && !has_any(loop.body_tokens, leaving);
    if (is_whole) iterations_ = *count;
    if (!is_whole) values_.forget_assigned(loop.tokens);
    return Flow::goes_on;
  }

  // The body changes values that the next iteration uses, such as pointers. So all iterations are
  // followed, and the one of the requested step is shown, with the loads of that step in the
  // previous iteration.
  Flow follow_along_k(const Statement& loop) {
    const auto first_step = step_of_pointers(loop);
    const std::int64_t wanted = first_step ? options_.step - *first_step : iteration_of_step(loop);
    if (first_step) change_ = std::abs(change_);
    pointers_went_ = pointers_went_ || first_step.has_value();
    for (std::int64_t i = 0; i < most_iterations && statements_ <= most_statements; ++i) {
      const auto holds = condition_of(loop);
      if (holds && holds->value == 0) {
        iterations_ = i;
        return Flow::goes_on;
      }
      if (!holds && i > wanted) break;
      const Flow flow = followed_iteration(loop, i, wanted);
      if (flow == Flow::returns) return flow;
      if (flow == Flow::breaks || std::exchange(may_leave_loop_, false)) break;
      advance(loop);
    }
    values_.forget_assigned(loop.tokens);
    return Flow::goes_on;
  }

  Flow followed_iteration(const Statement& loop, std::int64_t number, std::int64_t wanted) {
    if (number + 1 == wanted) return further_iteration(loop);
    Flow flow = Flow::goes_on;
    if (number == wanted) {
      in_own_iteration_ = true;
      flow = iteration(loop);
      in_own_iteration_ = false;
    } else {
      record_.silently([&] { flow = iteration(loop); });
    }
    return flow;
  }

  // --- Declarations

  void simple(const Statement& statement) {
    if (statement.kind == Statement::Kind::declaration) {
      if (statement.is_shared) return;
      for (const source::Declarator& one : statement.declarators) declare(statement, one);
    } else {
      for (const auto& one : statement.expressions) expression_statement(*one);
    }
  }

  const source::Struct* struct_called(const std::string& name) const {
    const auto found = std::ranges::find(kernel_.structs, name, &source::Struct::name);
    return found == kernel_.structs.end() ? nullptr : &*found;
  }

  void declare(const Statement& statement, const source::Declarator& declarator) {
    if (declarator.name.empty()) return accesses_.add(declarator);
    const Node* value = declarator.value.get();
    const bool along_k = value && values_.goes_along_k(value->tokens);
    if (declarator.is_array) {
      values_.environment.declare(declarator.name, {});
      accesses_.add(declarator);
    } else if (value && value->kind == Node::Kind::lambda) {
      values_.lambdas[declarator.name] = {&value->parameters, value->body_tokens, &value->body,
                                          values_.environment.depth()};
      values_.environment.declare(declarator.name, {});
    } else if (const source::Struct* structure = struct_called(statement.type)) {
      declare_struct(*structure, declarator, along_k);
    } else if (declarator.is_pointer || !declare_integer(statement, declarator, along_k)) {
      declare_other(statement, declarator, along_k);
    }
  }

  // False for another type, or a value that is not known.
  bool declare_integer(const Statement& statement, const source::Declarator& declarator,
                       bool along_k) {
    const bool may_be = statement.integer || statement.is_auto;
    auto number = may_be ? values_.value_of(declarator.value.get()) : std::nullopt;
    if (!number) return false;
    if (statement.integer) number = number->as(*statement.integer);
    show_variable(declarator.line, declarator.name, *declarator.value, *number);
    values_.environment.declare(declarator.name,
                                {.value = number, .along_k = along_k, .type = number->type});
    return true;
  }

  void show_variable(int line, const std::string& name, const Node& value, Integer number) {
    record_.add(line, Worked::Kind::variable, name, value.is_plain() ? "" : values_.filled(value),
                {number.value});
  }

  // A pointer, or what is not known.
  void declare_other(const Statement& statement, const source::Declarator& declarator,
                     bool along_k) {
    const Node* value = declarator.value.get();
    const bool may_point = value && (declarator.is_pointer || statement.is_auto);
    const auto place = may_point ? values_.pointed_with_effects(*value) : std::nullopt;
    if (!place) {
      accesses_.add(declarator);
      if (value) values_.forget_assigned(value->tokens);
    }
    Variable& variable = values_.environment.declare(
        declarator.name,
        {.along_k = along_k, .type = statement.integer, .is_without_initializer = !value});
    if (declarator.is_pointer) variable.type = place_type;
    if (place) point(declarator.line, declarator.name, variable, *place);
  }

  // const Tile tile = tile_with<BM, BN>(number, M, N);
  void declare_struct(const source::Struct& structure, const source::Declarator& declarator,
                      bool along_k) {
    const auto values = declarator.value ? struct_of(*declarator.value) : std::nullopt;
    values_.environment.declare(declarator.name, {.along_k = along_k});
    for (std::size_t i = 0; i < structure.members.size(); ++i) {
      const std::string member = declarator.name + "." + structure.members[i];
      const auto value = values && i < values->size() ? (*values)[i] : std::nullopt;
      values_.environment.declare(member, {.value = value, .along_k = along_k});
      if (value) {
        record_.add(declarator.line, Worked::Kind::variable, member, "", {value->value});
      }
    }
  }

  void point(int line, const std::string& name, Variable& variable, const Pointed& place) {
    variable.matrix = place.matrix;
    variable.value = place.place;
    record_.add(line, {.kind = Worked::Kind::pointer,
                       .name = name,
                       .filled = place.filled,
                       .values = {place.place.value},
                       .matrix = place.matrix});
  }

  // --- Assignments and calls

  void expression_statement(const Node& expression) {
    if (call_of_lambda(expression)) return;
    const std::string name = changed_name(expression);
    if (!values_.pointer_called(name)) accesses_.add(expression);
    const int line = expression.line();
    const auto place = values_.assign(expression);
    Variable* variable = name.empty() ? nullptr : values_.environment.find(name);
    if (!variable) return values_.forget_assigned(expression.tokens);
    if (place) {
      point(line, name, *variable, *place);
    } else if (variable->is_without_initializer && variable->value) {
      // Of an increment, its name.
      show_variable(line, name, *expression.operands.back(), *variable->value);
    }
  }

  // One that is a statement, and shown.
  bool call_of_lambda(const Node& expression) {
    if (expression.kind != Node::Kind::call) return false;
    const auto found = values_.lambdas.find(expression.text);
    if (found == values_.lambdas.end() || calls_ >= deepest_calls ||
        statements_ > most_statements) {
      return false;
    }
    const Callable lambda = found->second;
    Scope scope;
    for (std::size_t i = 0; i < lambda.parameters->size(); ++i) {
      const source::Parameter& parameter = (*lambda.parameters)[i];
      if (i < expression.operands.size()) {
        add_argument(scope, parameter, *expression.operands[i]);
      } else {
        add_parameter(scope, parameter, {});
      }
    }
    const WalkRecord::Mark before = record_.mark();
    const std::int64_t elements = record_.elements();
    const std::int64_t of_other_steps = record_.of_other_steps();
    call(lambda, std::move(scope));
    if (record_.elements() > elements || record_.of_other_steps() == of_other_steps) return true;
    record_.take_back(before);
    // Of the step's own iteration all else is shown that the caller does.
    if (in_own_iteration_) record_.forget_other_steps(of_other_steps);
    return true;
  }

  // A number, a pointer or a struct.
  void add_argument(Scope& scope, const source::Parameter& parameter, const Node& argument) {
    const std::string& name = parameter.name;
    if (const auto place = values_.pointed_with_effects(argument)) {
      scope[name] = {.value = place->place, .matrix = place->matrix, .type = place_type};
    } else {
      add_parameter(scope, parameter, values_.value_of(&argument));
      if (argument.has_effects) values_.forget_assigned(argument.tokens);
    }
    scope[name].along_k = values_.goes_along_k(argument.tokens);
    for (const source::Struct& structure : kernel_.structs) {
      if (!has_any(parameter.tokens, {structure.name})) continue;
      for (const std::string& member : structure.members) {
        if (const Variable* variable = values_.environment.find(argument.text + "." + member)) {
          scope[name + "." + member] = *variable;
        }
      }
    }
  }

  static void add_parameter(Scope& scope, const source::Parameter& parameter,
                            std::optional<Integer> value) {
    if (value && parameter.type) value = value->as(*parameter.type);
    scope[parameter.name] = {.value = value, .type = parameter.type};
  }

  // Follows its body; what it returns, if that is known.
  std::optional<Returned> call(const Callable& callable, Scope scope) {
    std::vector<Scope> hidden = values_.environment.hide_beyond(callable.scopes);
    values_.environment.open(std::move(scope));
    ++calls_;
    returned_.reset();
    const bool may_have_returned = std::exchange(may_return_, false);
    in_scope(*callable.body);
    --calls_;
    values_.environment.close();
    values_.environment.put_back(std::move(hidden));
    const bool is_known = !std::exchange(may_return_, may_have_returned);
    const auto returned = std::exchange(returned_, {});
    return is_known ? returned : std::nullopt;
  }

  const source::DeviceFunction* function_of(const std::string& name, std::size_t arguments) const {
    const auto is_it = [&](const source::DeviceFunction& function) {
      return function.name == name && function.parameters.size() == arguments;
    };
    const auto found = std::ranges::find_if(kernel_.functions, is_it);
    if (found == kernel_.functions.end()) return nullptr;
    return std::any_of(found + 1, kernel_.functions.end(), is_it) ? nullptr : &*found;
  }

  // Of a lambda, or of one of the file's functions.
  std::optional<Returned> result_of(const Node& expression, const Arguments& arguments) {
    if (calls_ >= deepest_calls || statements_ > most_statements) return {};
    Callable callable;
    Scope scope;
    if (const auto lambda = values_.lambdas.find(expression.text);
        lambda != values_.lambdas.end()) {
      callable = lambda->second;
    } else if (const auto* function = function_of(expression.text, arguments.size())) {
      callable = {&function->parameters, function->tokens, &function->body};
      add_template(scope, *function, expression);
    }
    if (!callable.body || callable.parameters->size() != arguments.size()) return {};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      add_parameter(scope, (*callable.parameters)[i], arguments[i]);
    }
    const bool evaluated = std::exchange(evaluates_, true);
    std::optional<Returned> result;
    record_.silently([&] { result = call(callable, std::move(scope)); });
    evaluates_ = evaluated;
    return result;
  }

  void add_template(Scope& scope, const source::DeviceFunction& function, const Node& call) {
    for (std::size_t i = 0; i < function.of_template.size(); ++i) {
      const source::Definition& parameter = function.of_template[i];
      const bool is_given = i < call.template_arguments.size();
      scope[parameter.name] = {.value = values_.value_of(is_given ? call.template_arguments[i].get()
                                                                  : parameter.value.get())};
    }
  }

  // Of "return 1" and "return {1, 2}".
  Returned returned_value(const Statement& statement) {
    if (statement.expressions.empty()) return {std::nullopt};
    const Node& value = *statement.expressions.front();
    if (value.kind != Node::Kind::list) return {values_.value_of(&value)};
    return values_of_list(value);
  }

  Returned values_of_list(const Node& list) {
    Returned values;
    for (const auto& one : list.operands) values.push_back(values_.value_of(one.get()));
    return values;
  }

  // Of "{1, 2}", or of a call of one of the file's functions.
  std::optional<Returned> struct_of(const Node& value) {
    if (value.kind == Node::Kind::list) return values_of_list(value);
    if (value.kind != Node::Kind::call) return {};
    Arguments arguments;
    for (const auto& one : value.operands) arguments.push_back(values_.value_of(one.get()));
    return result_of(value, arguments);
  }

  const source::Kernel& kernel_;
  const ThreadWalkOptions& options_;
  ThreadValues values_;
  WalkRecord record_;
  AccessedElements accesses_{options_, values_, record_};
  std::int64_t statements_ = 0;
  int loops_ = 0;  // that the current statement is in

  // Of the loop along K.
  std::int64_t iterations_ = 0, change_ = 0;
  bool inside_k_ = false;
  bool pointers_went_ = false;     // in one before
  bool in_own_iteration_ = false;  // that of the step asked for

  // Of calls.
  int calls_ = 0;
  bool evaluates_ = false;            // a call in an expression
  std::optional<Returned> returned_;  // by the one that was followed last

  // What is not known of the statements before.
  bool may_leave_loop_ = false, may_return_ = false;
};

}  // namespace

ThreadWalk walk_of_thread(const source::Kernel& kernel, const ThreadWalkOptions& options) {
  return Walker(kernel, options).walk();
}

}  // namespace gemm_tutor
