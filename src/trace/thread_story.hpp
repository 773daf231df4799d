// One thread's own story: its indices, worked out from the kernel's text with the kernel's own
// names, and what it then did to memory, as the emulator recorded it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/launch.hpp"
#include "trace/limits.hpp"
#include "trace/picture.hpp"
#include "trace/thread_walk.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor {

// Neighbouring elements of a matrix or of a shared array: from `first` to `last` in every index,
// both included. "a_tile[9][0…3]".
struct ElementBlock {
  std::string array;
  std::vector<std::int64_t> first, last;

  std::int64_t elements() const;
  std::string text() const;
  bool operator==(const ElementBlock&) const = default;
};

// What one line of the source made the thread do.
struct LineAccess {
  int line = 0;
  emulator::MemorySpace space = emulator::MemorySpace::global;
  bool store = false;
  std::optional<std::int64_t> step;  // along K; none where it belongs to no step, or is not known
  std::int64_t requests = 0;         // that the thread took part in
  std::vector<ElementBlock> elements;
};

struct ThreadStory {
  std::string kernel;  // "shared_memory_tile<32, 32, 32>"
  std::string source_file, source;
  std::vector<CompilerWarning> warnings;
  Dim3 block, thread;
  int number = 0;  // of the thread in its block: along x first
  int warp = 0, lane = 0;
  std::int64_t step = 0, steps = 1;  // along K: the one shown, and how many there are
  std::int64_t step_depth = 1;       // columns of A that a step takes
  std::vector<WorkedLine> lines;     // of elements only those that the thread did access
  bool returned = false;             // it leaves the kernel early
  std::vector<LineAccess> accesses;  // of that step, and those of no step
  std::vector<ElementBlock> owns;    // of C: that it stores
  Failure failure;                   // with what its warp had done
  std::string not_recorded;          // what it may do besides; empty for nothing
  std::string tile = {};             // what tile_of_several() says: the lines are of that tile
  bool all_accesses = true;          // else later ones are missing: too many, or the kernel failed
};

struct ThreadChoice {
  int number = 0;         // of the thread in its block, along x first
  std::int64_t step = 0;  // along K, from 0
  int iterations = 1;     // of every other loop that are shown
};

// Throws Error (usage) for a thread that the block does not have, and for a step that K does not
// have.
ThreadStory thread_story(const Trace& trace, const ThreadChoice& choice);

// The number of the thread at `at`. Throws Error (usage) for one that the block does not have.
int thread_number(const Trace& trace, const Dim3& at);

// Neighbours joined to as few blocks as rows and columns allow; each element once.
std::vector<ElementBlock> joined(const std::vector<Element>& elements);

}  // namespace gemm_tutor
