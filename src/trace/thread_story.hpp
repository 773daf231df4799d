// The story of one thread: its indices, computed from the kernel's source, and its recorded memory
// accesses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson_run.hpp"
#include "simt/gpu_spec.hpp"
#include "trace/picture.hpp"
#include "trace/selection.hpp"
#include "trace/thread_walk.hpp"

namespace gemm_tutor {

// A block of elements of a matrix or a shared array, from `first` to `last` (inclusive) in every
// index: "a_tile[9][0…3]".
struct ElementBlock {
  std::string array;
  std::vector<std::int64_t> first, last;

  std::int64_t elements() const;
  std::string text() const;
  bool operator==(const ElementBlock&) const = default;
};

// The thread's accesses of one source line.
struct LineAccess {
  int line = 0;
  simt::MemorySpace space = simt::MemorySpace::global;
  bool store = false;
  std::optional<std::int64_t> step;  // along K; nothing if it has no step, or if it is not known
  std::int64_t requests = 0;         // requests in which the thread was active
  std::vector<ElementBlock> elements;
};

struct ThreadStory {
  std::string kernel;  // "shared_memory_tile<32, 32, 32>"
  std::string source_file, source;
  std::vector<simt::CompilerWarning> warnings;
  simt::Dim3 block, thread;
  int number = 0;  // of the thread in its block; x varies fastest
  int warp = 0, lane = 0;
  std::int64_t step = 0, steps = 1;  // along K: the shown step, and the number of steps
  std::int64_t step_depth = 1;       // columns of A per step
  std::vector<WorkedLine> lines;     // with only those elements that the thread has accessed
  bool returned = false;             // it leaves the kernel early
  std::vector<LineAccess> accesses;  // of that step, and those without a step
  std::vector<ElementBlock> owns;    // the elements of C that it stores
  Failure failure;                   // of its warp
  std::string not_recorded;          // accesses that are not recorded; may be empty
  std::string tile = {};             // tile_of_several(): the lines are of that tile
  bool all_accesses = true;          // false if later ones are missing: too many, or a failure
};

struct ThreadChoice {
  int number = 0;         // of the thread in its block; x varies fastest
  std::int64_t step = 0;  // along K, from 0
  int iterations = 1;     // shown iterations of every other loop
};

// Throws Error (usage) if the block has no such thread, or K no such step.
ThreadStory thread_story(const Trace& trace, const ThreadChoice& choice);

// Returns the number of the thread at `at`. Throws Error (usage) if the block has no such thread.
int thread_number(const Trace& trace, const simt::Dim3& at);

// Joins neighbouring elements to as few blocks as possible. Each element is in one block.
std::vector<ElementBlock> joined(const std::vector<Element>& elements);

}  // namespace gemm_tutor
