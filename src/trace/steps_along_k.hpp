// Finds the step along K of a thread's access.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "course/lesson_run.hpp"
#include "trace/picture.hpp"
#include "trace/thread_walk.hpp"

namespace gemm_tutor {

struct StepsAlongK {
  std::int64_t depth = 1;  // columns of A, and rows of B
  std::int64_t count = 1;  // step 0 has column 0 of A, also if the kernel begins with another step
  bool downward = false;   // the kernel begins with the last step
};

// Returns the steps as the lesson declares them. For a user's kernel they follow from its loop
// along K. If they are not known, all of K is one step.
StepsAlongK steps_along_k(const Trace& trace);

// Returns the step of an element of A or B; nothing for C.
std::optional<std::int64_t> step_of_element(const Element& element, const StepsAlongK& steps);

// Returns the step of each of the trace's accesses to shared memory, in order, if it is known. It
// is known for a line that a warp executes equally often in each step, or for each column of A. An
// asynchronous copy is of the step of the data that it loads.
std::vector<std::optional<std::int64_t>> steps_of_shared(const Trace& trace,
                                                         const StepsAlongK& steps);

// The kernel's name for A, B or C.
struct NamedMatrix {
  std::string name;    // "a"
  std::string matrix;  // "A"
};
std::vector<NamedMatrix> named_matrices(const Trace& trace, const source::Kernel& text);

// Returns the element at an offset of the matrix with the kernel's name. Works also beyond the end.
// Nothing for a negative offset.
std::optional<Element> element_of_place(const Trace& trace,
                                        const std::vector<NamedMatrix>& matrices,
                                        const std::string& name, std::int64_t place);

// Returns the values of thread `number` that are known before the kernel begins: threadIdx.x, …, M,
// N, K.
ThreadWalkOptions options_of_thread(const Trace& trace, const source::Kernel& text, int number);
// The same, with the step that the walk shows.
ThreadWalkOptions options_of_step(const Trace& trace, const source::Kernel& text, int number,
                                  const StepsAlongK& steps, std::int64_t step);

// Returns all elements of a lane's access, which may have several floats.
std::vector<Element> elements_of(const Trace& trace, const simt::Access& access, int lane);

}  // namespace gemm_tutor
