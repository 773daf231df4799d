// Finds what a statement accesses: elements of matrices and shared arrays, and calls with a matrix
// as an argument.
#pragma once

#include <string>
#include <vector>

#include "source/syntax.hpp"
#include "trace/thread_values.hpp"
#include "trace/thread_walk.hpp"
#include "trace/walk_record.hpp"

namespace gemm_tutor {

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
