// A thread's way through its kernel's text: what its indices are, one line after the other, with
// the kernel's own names. The text alone is evaluated, nothing is run; what cannot be evaluated is
// left as it is written, and so is what depends on it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "source/kernel.hpp"

namespace gemm_tutor {

// One thing in a line that has a value.
struct Worked {
  enum class Kind {
    variable,   // const int row = …
    loop,       // the variable of a for, in this iteration
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

struct ThreadWalk {
  std::vector<WorkedLine> lines;  // in the order of the walk; none twice
  bool returned = false;          // the thread leaves the kernel early
  // Of the loop along K, and by how much its variable changes in each; 0 where that is not known.
  std::int64_t iterations = 0, change = 0;
};

struct ThreadWalkOptions {
  std::map<std::string, source::Integer, std::less<>>
      names;               // threadIdx.x, …, M, N, K as the kernel calls them
  std::string depth_name;  // that of K among them: a loop that depends on it goes along K
  std::vector<std::string> matrices;  // names that are A, B or C, as the kernel calls them
  std::vector<std::string> arrays;    // in shared memory
  std::int64_t step = 0;              // along K, of which each takes `step_depth` columns of A
  std::int64_t step_depth = 1;
  // Of every other loop: those that are shown, and then the first that reaches a further line with
  // an element.
  int iterations = 1;
  // Which step along K takes the element of a matrix at that place; nothing where that is not
  // known, and for C. What a pointer that moves along K points to is shown in its own step alone.
  std::function<std::optional<std::int64_t>(const std::string& matrix, std::int64_t place)>
      step_of_place = {};
};

ThreadWalk walk_of_thread(const source::Kernel& kernel, const ThreadWalkOptions& options);

}  // namespace gemm_tutor
