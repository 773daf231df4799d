// A thread's way through its kernel's text: what its indices are, one line after the other, with
// the kernel's own names. The text alone is evaluated, nothing is run; what cannot be evaluated is
// left as it stands, and so is what depends on it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/index_expression.hpp"
#include "trace/kernel_text.hpp"

namespace gemm_tutor {

// One thing in a line that has a value.
struct Worked {
  enum class Kind {
    variable,   // const int row = …
    loop,       // the variable of a for, at this turn
    condition,  // of an if
    element,    // A[…] or a_tile[…][…], or what a function is given a pointer to: f(from + 4)
    call,       // of a function that is given a matrix: load4(A, …)
    pointer     // into a matrix: const float* from = A + …
  };
  Kind kind = Kind::variable;
  std::string name;    // row; A; a_tile; load4; from; empty for a condition
  std::string filled;  // "2·128 + 9", "A[(256 + 9)·512 + 0]", "load4(A, 256 + 9 = 265)", "from + 4"
  std::vector<std::int64_t> values;  // one; of an element its indices, of a call its arguments'
  std::vector<std::string> results = {};  // of a call: its arguments as they are passed
  std::string matrix = {};                // that a pointer points into
  bool operator==(const Worked&) const = default;
};

struct WorkedLine {
  int line = 0;  // in the file
  std::vector<Worked> worked;
  bool operator==(const WorkedLine&) const = default;
};

struct IndexWalk {
  std::vector<WorkedLine> lines;  // in the order of the walk; none twice
  bool returned = false;          // the thread leaves the kernel early
  // How often the loop along K turns, and by how much its variable changes; 0 where that is not
  // known.
  std::int64_t turns = 0, change = 0;
};

struct IndexWalkOptions {
  std::map<std::string, Integer, std::less<>>
      names;               // threadIdx.x, …, M, N, K as the kernel calls them
  std::string depth_name;  // that of K among them: a loop that depends on it goes along K
  std::vector<std::string> matrices;  // names that are A, B or C, as the kernel calls them
  std::vector<std::string> arrays;    // in shared memory
  std::int64_t step = 0;              // along K, of which each takes `step_depth` columns of A
  std::int64_t step_depth = 1;
  int turns = 1;  // of every other loop, and the first that comes to a further line with an element
  // Which step along K takes a matrix' element at that place; nothing where that is not known, and
  // for C. What a pointer that moves along K points to is told in its own step alone.
  std::function<std::optional<std::int64_t>(const std::string& matrix, std::int64_t place)>
      step_of_place = {};
};

IndexWalk walk_indices(const KernelText& kernel, const IndexWalkOptions& options);

}  // namespace gemm_tutor
