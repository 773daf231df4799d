// Which step along K a thread's access belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/picture.hpp"
#include "trace/thread_walk.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor {

struct StepsAlongK {
  std::int64_t depth = 1;  // columns of A, and rows of B
  std::int64_t count = 1;  // step 0 has column 0 of A, whichever the kernel begins with
  bool downward = false;   // the kernel begins with the last one
};

// As the lesson says; for a kernel of the user's own, as the loop along K in its text does. All of
// K is one step where that is not known.
StepsAlongK steps_along_k(const Trace& trace);

// Of an element of A or B; none of C.
std::optional<std::int64_t> step_of_element(const Element& element, const StepsAlongK& steps);

// The step of each of the trace's accesses to shared memory, in their order, where it is known: of
// a line that a warp executes equally often in each step, or for each column of A; and of an
// asynchronous copy, which is of the step of what it loads.
std::vector<std::optional<std::int64_t>> steps_of_shared(const Trace& trace,
                                                         const StepsAlongK& steps);

// A name that the kernel gives to A, B or C, and that matrix.
struct NamedMatrix {
  std::string name;    // "a"
  std::string matrix;  // "A"
};
std::vector<NamedMatrix> named_matrices(const Trace& trace, const source::Kernel& text);

// The element at a place of the matrix that the kernel gives that name; beyond its end, the one
// that would be there. Nothing before its beginning.
std::optional<Element> element_of_place(const Trace& trace,
                                        const std::vector<NamedMatrix>& matrices,
                                        const std::string& name, std::int64_t place);

// What is known of `number`'s names before the kernel begins: threadIdx.x, …, M, N, K.
ThreadWalkOptions options_of_thread(const Trace& trace, const source::Kernel& text, int number);
// The same, and the step that the walk is to show.
ThreadWalkOptions options_of_step(const Trace& trace, const source::Kernel& text, int number,
                                  const StepsAlongK& steps, std::int64_t step);

// All places of an access's lane, which may be several floats.
std::vector<Element> elements_of(const Trace& trace, const emulator::Access& access, int lane);

}  // namespace gemm_tutor
