// Faults of threads and all facts of each, from which a Finding is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simt/finding.hpp"

namespace gemm_tutor::simt {

// The faults of a thread.
enum class Fault {
  outside,         // accesses memory outside of every array
  beyond_array,    // a loop leaves an array of a thread, as the source says
  read_only,       // writes an input
  wrong_space,     // accesses other memory by an instruction that is for shared memory alone
  misaligned,      // accesses several bytes at an address that is not a multiple of their number
  uninitialised,   // reads memory that no thread has written
  race,            // accesses shared memory after another thread, without a barrier between
  race_with_copy,  // accesses shared memory that an asynchronous copy is still filling
  simultaneous_write,  // two lanes write the same element of shared memory in one instruction
  equal_stores,        // the same with equal values: only a note, because it is not an error
  same_value,          // writes the value that another thread has written there: only a note
  array_alignment,     // a shared array's alignment that the GPU does not keep: only a note
  order_by_matrices,   // a race but for a matrix instruction at which a warp's lanes wait for each
                       // other: only a note
  written_twice,       // writes an element of an output that another thread has written
  race_of_blocks,      // accesses the same global memory as another block, without synchronisation
  stale_read,          // a read-only load of data that the kernel has written
  divergent_barrier,   // some threads of a warp do not reach a barrier where the others wait
  different_barriers,  // all warps wait, but at different barriers: only a note
  missing_warps,       // a barrier waits for threads that have returned
  bad_barrier,         // an invalid barrier number or thread count
  barrier_counts,      // waits at a barrier for another number of threads than others do
  incomplete_barrier,  // waits at a barrier that too few threads reach
  shared_barrier,      // uses a barrier that other warps have used, without synchronisation between
  not_in_mask,         // executes a .sync instruction with a mask that does not contain its lane
  missing_lane,        // executes a .sync instruction, and a lane of its mask is elsewhere
  returned_lane,       // shuffles a value from a lane that has returned
  part_of_a_warp,      // executes an instruction of a whole warp, and some of its lanes do not
  unset_fragment,      // multiplies matrices of which nothing has set a register
  endless,             // stays in a loop
  end_of_body,         // reaches the end of the code without a return
  no_function,         // calls an address that is not a function's
  deep_calls,          // recursion is too deep
  assertion,           // an assertion fails
  trap,                // calls __trap()
  unwritten,           // no thread has written some elements of an output
};

inline constexpr std::size_t finding_kinds =
    static_cast<std::size_t>(FindingKind::order_by_matrices) + 1;

constexpr bool is_note(FindingKind kind) { return kind >= FindingKind::equal_stores; }

FindingKind kind_of(Fault fault);

// An element of a buffer, or of an array in shared or local memory.
struct Element {
  MemorySpace space = MemorySpace::global;
  std::string array = {};     // its name; empty if the address is not in an array
  std::int64_t index = 0;     // from the array's first element; may be out of bounds
  std::int64_t elements = 0;  // of the whole array
  int element_bytes = 4;      // of its declared type; 4 if that is not known
  // The array's declared extents, or the rows and columns of a matrix; empty if not known.
  std::vector<std::int64_t> extents = {};
  std::uint64_t address = 0;  // in the emulated address space
};

// Elements of an array that a block never writes: `first` to `last` of each group of `of`.
struct Gap {
  std::int64_t first = 0, last = 0, of = 0;
};

struct MemoryAccess {
  AccessKind kind = AccessKind::load;
  Element element = {};
  int bytes = 4;  // per thread; for Fault::array_alignment the alignment that the array asks for
};

// The other access of a race.
struct OtherAccess {
  enum class By {
    thread,
    threads_of_the_warp,
    threads_of_several_warps,
    threads_of_several_blocks
  } by = By::thread;
  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};  // By::thread
  bool store = true;
  int line = 0;            // 0 if not known
  bool same_warp = false;  // as the finding's thread, so that __syncwarp() would order the accesses
};

// Where a barrier would order two accesses: between their lines, or at the end of the loop that has
// both, after the second one.
struct Separation {
  int first_line = 0, second_line = 0;
  bool between = false, around = false;
};

// Each fault sets the members that describe it. The others keep their defaults.
struct FoundFault {
  Fault fault = Fault::outside;
  int line = 0;  // as the members of Finding
  std::uint64_t count = 1;
  std::vector<int> calls = {};

  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};  // the first thread with this fault
  MemoryAccess access = {};                    // for faults of memory accesses
  OtherAccess other = {};                      // for races; also the lane that has returned
  std::optional<Separation> separation = {};   // for races in a block, if it is known
  // Threads that are missing at a barrier or in a mask, or that have returned.
  std::vector<Dim3> threads = {};
  std::optional<Gap> gap = {};  // Fault::uninitialised in shared memory, if it has that form
  std::uint32_t mask = 0;       // Fault::not_in_mask
  char matrix = 'A';            // Fault::unset_fragment: of D = A·B + C
  // For named barriers: the number, the expected threads, and the threads that arrived or that
  // others wait for.
  std::uint32_t barrier = 0, expected = 0, arrived = 0;
  std::int64_t instructions = 0;             // Fault::endless: the limit
  std::uint32_t warp = 0, other_warp = 0;    // Fault::different_barriers
  int other_line = 0;                        // Fault::different_barriers
  std::int64_t unwritten = 0, elements = 0;  // Fault::unwritten; `elements` were checked
  std::string assertion = {};                // Fault::assertion: the text of the condition
};

Finding finding_of(FoundFault fault);

// Returns the sentence: message() of a finding without an edge.
std::string sentence(const FoundFault& fault);

}  // namespace gemm_tutor::simt
