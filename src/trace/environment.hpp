// What the names in a kernel's body mean, from one statement to the next.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/integer.hpp"

namespace gemm_tutor {

struct Variable {
  std::optional<source::Integer> value = {};  // of a pointer: where in its matrix it points
  bool along_k = false;                       // it depends on K
  std::string matrix = {};                    // that a pointer points into; empty for no pointer
  std::optional<source::IntegerType> type = {};
  bool is_without_initializer = false;

  bool is_pointer() const { return !matrix.empty(); }
};

using Scope = std::map<std::string, Variable, std::less<>>;

class Environment {
 public:
  // Until another scope is opened.
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

  // In another scope than the file's.
  bool is_local(std::string_view name) const {
    return std::any_of(scopes_.begin() + 1, scopes_.end(),
                       [&](const Scope& scope) { return scope.contains(name); });
  }

  Variable& declare(const std::string& name, Variable variable) {
    return scopes_.back()[name] = std::move(variable);
  }

  // Their values are not known any more.
  void forget(const std::set<std::string_view>& names) {
    for (const std::string_view name : names) {
      if (Variable* variable = find(name)) variable->value.reset();
    }
  }

  // For a function, which sees the first `depth` scopes alone: the others, to be put back later.
  // There may be fewer, where a lambda of an inner block has the name of a function.
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
  std::vector<Scope> scopes_{1};  // the first is the file's and the parameters'
};

}  // namespace gemm_tutor
