// The values of one thread's variables, as far as they follow from the source: integers, and
// pointers into matrices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/evaluator.hpp"
#include "source/integer.hpp"
#include "source/kernel.hpp"
#include "source/syntax.hpp"
#include "trace/thread_walk.hpp"

namespace gemm_tutor {

// --- The variables in a kernel's body and their scopes

struct Variable {
  std::optional<source::Integer> value = {};  // for a pointer, the offset in its matrix
  bool along_k = false;                       // it depends on K
  std::string matrix = {};                    // a pointer's matrix; empty if it is not a pointer
  std::optional<source::IntegerType> type = {};
  bool is_without_initializer = false;

  bool is_pointer() const { return !matrix.empty(); }
};

using Scope = std::map<std::string, Variable, std::less<>>;

class Environment {
 public:
  // The reference is valid until another scope is opened.
  Scope& file_scope() { return scopes_.front(); }
  std::size_t depth() const { return scopes_.size(); }

  void open(Scope scope = {}) { scopes_.push_back(std::move(scope)); }
  void close() { scopes_.pop_back(); }

  const Variable* find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) return &found->second;
    }
    return nullptr;
  }
  Variable* find(std::string_view name) {
    return const_cast<Variable*>(std::as_const(*this).find(name));
  }

  // True if it is in another scope than the file's.
  bool is_local(std::string_view name) const {
    return std::any_of(scopes_.begin() + 1, scopes_.end(),
                       [&](const Scope& scope) { return scope.contains(name); });
  }

  Variable& declare(const std::string& name, Variable variable) {
    return scopes_.back()[name] = std::move(variable);
  }

  // Marks their values as unknown.
  void forget(const std::set<std::string_view>& names) {
    for (const std::string_view name : names) {
      if (Variable* variable = find(name)) variable->value.reset();
    }
  }

  // Removes all but the first `depth` scopes, because a function sees only these, and returns the
  // others for put_back(). There may be fewer than `depth` scopes if a lambda of an inner block has
  // the name of a function.
  std::vector<Scope> hide_beyond(std::size_t depth) {
    const auto seen =
        scopes_.begin() + static_cast<std::ptrdiff_t>(std::min(depth, scopes_.size()));
    std::vector<Scope> hidden(std::make_move_iterator(seen),
                              std::make_move_iterator(scopes_.end()));
    scopes_.erase(seen, scopes_.end());
    return hidden;
  }
  void put_back(std::vector<Scope> hidden) {
    std::ranges::move(hidden, std::back_inserter(scopes_));
  }

 private:
  std::vector<Scope> scopes_{1};  // the first has the file's names and the parameters
};

// A pointer's value, the pointer that it was computed from, and whether it is equal to that one.
struct Pointed {
  std::string matrix, filled, base;
  bool is_base = false;
  source::Integer place;
};

// A lambda, or one of the file's functions.
struct Callable {
  const std::vector<source::Parameter>* parameters = nullptr;
  source::Tokens tokens;
  const source::Statements* body = nullptr;
  std::size_t scopes = 1;  // number of scopes that it sees
};

constexpr source::IntegerType place_type{64, false};

class ThreadValues {
 public:
  using Names = std::set<std::string_view>;

  // `calls` evaluates calls in expressions.
  explicit ThreadValues(source::IntegersByCall calls) : calls_(std::move(calls)) {}

  // Defines what is known before the kernel's body.
  void define(const source::Kernel& kernel, const ThreadWalkOptions& options);

  Environment environment;
  std::map<std::string, Callable, std::less<>> lambdas;

  std::string filled(const source::Node& expression) const;

  // Returns nothing for null, for expressions with side effects, and for unknown values.
  std::optional<source::Integer> value_of(const source::Node* expression) const;

  // Returns null if the name is not a pointer into a matrix.
  const Variable* pointer_called(std::string_view name) const;

  // Evaluates a pointer: "from", "A + row * K", "&from[4]", "pieces++". Nothing if it is not a
  // pointer into a matrix, or if its offset is not known.
  std::optional<Pointed> pointed(const source::Node& expression) const;
  // The same, and applies the side effects of "++".
  std::optional<Pointed> pointed_with_effects(const source::Node& expression);

  // Applies an assignment: the variable then has the new value, or an unknown one. Returns the
  // place if it is a pointer.
  std::optional<Pointed> assign(const source::Node& expression);

  bool goes_along_k(source::Tokens tokens) const;

  // Returns the names that the tokens, and lambdas called in them, assign to.
  const Names& assigned_in(source::Tokens tokens);
  void forget_assigned(source::Tokens tokens) { environment.forget(assigned_in(tokens)); }
  // Returns all names in the tokens, and in lambdas called in them.
  Names names_in(source::Tokens tokens) const;

 private:
  source::IntegersByName names() const;
  std::optional<source::Integer> value_before_effects(const source::Node& expression) const;
  std::optional<Pointed> moved(const source::Node& whole, const source::Node& from,
                               std::string_view sign, const source::Node& by) const;
  void apply_increments(const source::Node& expression);
  std::optional<Pointed> moved_by_assignment(const source::Node& expression) const;
  std::vector<source::Tokens> with_lambdas(source::Tokens tokens) const;

  source::IntegersByCall calls_;
  std::map<std::pair<const source::Token*, std::size_t>, Names> assigned_;  // in tokens
};

// Records what a walk shows of the kernel's lines, in the order of the walk.
class WalkRecord {
 public:
  // A point of the record, to remove later additions.
  struct Mark {
    std::size_t lines = 0, worked_in_last = 0;
  };

  // Calls `work` without recording anything.
  template <typename Work>
  void silently(const Work& work) {
    const bool was_silent = std::exchange(silent_, true);
    work();
    silent_ = was_silent;
  }
  bool is_silent() const { return silent_; }

  // A loop iteration begins a new line.
  void add(int line, Worked worked);
  void add(int line, Worked::Kind kind, std::string name, std::string filled,
           std::vector<std::int64_t> values) {
    add(line, {kind, std::move(name), std::move(filled), std::move(values), {}, {}});
  }

  // Adds an element of a matrix. If its step is known, it is shown only in that step.
  void add_of_step(int line, Worked worked, std::optional<std::int64_t> step,
                   std::int64_t shown_step);

  // Removes a statement that is equal to an earlier one.
  void drop_repeated();

  Mark mark() const;
  void take_back(const Mark& mark);
  // Removes the additions if they are at most one value.
  void take_back_single(const Mark& mark);

  // Number of matrix elements: shown, left out because of other steps; and the number of lines.
  std::int64_t elements() const { return elements_; }
  std::int64_t of_other_steps() const { return of_other_steps_; }
  std::size_t element_lines() const { return element_lines_.size(); }
  void forget_other_steps(std::int64_t before) { of_other_steps_ = before; }

  std::vector<WorkedLine> lines() && { return std::move(lines_); }

 private:
  std::vector<WorkedLine> lines_;
  bool silent_ = false;
  std::int64_t elements_ = 0, of_other_steps_ = 0;
  std::set<int> element_lines_;
};

// Finds what a statement accesses: elements of matrices and shared arrays, and calls with a matrix
// as an argument.

// Adds the accesses to the record, in the order of the text.
class AccessedElements {
 public:
  AccessedElements(const ThreadWalkOptions& options, const ThreadValues& values, WalkRecord& record)
      : options_(options), values_(values), record_(record) {}

  void add(const source::Node& expression);
  void add(const source::Declarator& declarator);

 private:
  void add(const source::Statements& statements);
  void add_argument(const source::Node& argument);
  void add_subscripts(const source::Node& expression);
  void add_element(const source::Node& base, const std::vector<const source::Node*>& indices);
  void add_element_of(int line, const Variable& pointer, Worked worked);
  void add_call(const source::Node& expression);
  bool is_matrix(const source::Node& expression) const;
  std::string with_value(const source::Node& expression, const source::Integer& value) const;

  const ThreadWalkOptions& options_;
  const ThreadValues& values_;
  WalkRecord& record_;
};

}  // namespace gemm_tutor
