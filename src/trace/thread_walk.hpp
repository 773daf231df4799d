// Walks through a kernel's source for one thread and evaluates its indices, line by line, with the
// kernel's names. It evaluates only the text and runs nothing. What cannot be evaluated, and what
// depends on it, is left as it is written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "source/kernel.hpp"

namespace gemm_tutor {

// An item with a value in a line.
struct Worked {
  enum class Kind {
    variable,   // const int row = …
    loop,       // the variable of a for, in this iteration
    condition,  // of an if
    element,    // A[…] or a_tile[…][…], or a pointer passed to a function: f(from + 4)
    call,       // of a function with a matrix as an argument: load4(A, …)
    pointer     // into a matrix: const float* from = A + …
  };
  Kind kind = Kind::variable;
  std::string name;    // row; A; a_tile; load4; from; empty for a condition
  std::string filled;  // "2·128 + 9", "A[(256 + 9)·512 + 0]", "load4(A, 256 + 9 = 265)", "from + 4"
  std::vector<std::int64_t> values;  // one; for an element its indices, for a call its arguments
  std::vector<std::string> results = {};  // for a call: its arguments' texts
  std::string matrix = {};                // a pointer's matrix
  bool operator==(const Worked&) const = default;
};

struct WorkedLine {
  int line = 0;  // in the file
  std::vector<Worked> worked;
  bool operator==(const WorkedLine&) const = default;
};

struct ThreadWalk {
  std::vector<WorkedLine> lines;  // in the order of the walk; no line twice
  bool returned = false;          // the thread leaves the kernel early
  // The iterations of the loop along K, and its variable's change per iteration; 0 if not known.
  std::int64_t iterations = 0, change = 0;
};

struct ThreadWalkOptions {
  std::map<std::string, source::Integer, std::less<>>
      names;                          // threadIdx.x, …, M, N, K, by the kernel's names
  std::string depth_name;             // the name of K: a loop that depends on it is a loop along K
  std::vector<std::string> matrices;  // the kernel's names of A, B and C
  std::vector<std::string> arrays;    // names of shared arrays
  std::int64_t step = 0;              // along K; each has `step_depth` columns of A
  std::int64_t step_depth = 1;
  // The shown iterations of every other loop. The first later iteration that reaches another line
  // with an element is also shown.
  int iterations = 1;
  // Returns the step along K of the matrix element at that offset; nothing for C, or if it is not
  // known. An element at a pointer that moves along K is shown only in its step.
  std::function<std::optional<std::int64_t>(const std::string& matrix, std::int64_t place)>
      step_of_place = {};
};

ThreadWalk walk_of_thread(const source::Kernel& kernel, const ThreadWalkOptions& options);

}  // namespace gemm_tutor
