// Findings: errors of a kernel as facts, and the sentence that describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simt/launch.hpp"

namespace gemm_tutor::emulator {

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
  endless,             // stays in a loop
  end_of_body,         // reaches the end of the code without a return
  no_function,         // calls an address that is not a function's
  deep_calls,          // recursion is too deep
  assertion,           // an assertion fails
  trap,                // calls __trap()
  unwritten,           // no thread has written some elements of an output
};

// The order is that in which the findings of one line are reported.
enum class FindingKind {
  alignment,
  barrier,
  bounds,
  endless,
  assertion,
  trap,
  race,
  uninitialised,
  unreachable,
  unwritten,
  equal_stores,      // a note
  barriers_apart,    // a note
  array_alignment,   // a note
  order_by_matrices  // a note
};

inline constexpr std::size_t finding_kinds =
    static_cast<std::size_t>(FindingKind::order_by_matrices) + 1;

constexpr bool is_note(FindingKind kind) { return kind >= FindingKind::equal_stores; }

const char* name_of(FindingKind kind);  // "bounds": in text and in JSON
FindingKind kind_of(Fault fault);

enum class MemorySpace { global, shared, local };

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

std::string text_of(const Element& element);  // "A[16][0]", "sums[12]"

std::string text_of(const Gap& gap, const Element& of);  // "rows 4 to 7 of Bs"

enum class AccessKind { load, store, atomic, copy_from, copy_to };

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
struct Finding {
  Fault fault = Fault::outside;
  int line = 0;  // in the kernel's source file; 0 for none
  std::uint64_t count = 1;
  // If the line is in another function than the kernel: the lines of the calls, the innermost call
  // first. Empty with clang, because its PTX does not have the calls.
  std::vector<int> calls = {};

  Dim3 thread = {0, 0, 0}, block = {0, 0, 0};  // the first thread with this fault
  MemoryAccess access = {};                    // for faults of memory accesses
  OtherAccess other = {};                      // for races; also the lane that has returned
  std::optional<Separation> separation = {};   // for races in a block, if it is known
  // Threads that are missing at a barrier or in a mask, or that have returned.
  std::vector<Dim3> threads = {};
  std::optional<Gap> gap = {};  // Fault::uninitialised in shared memory, if it has that form
  std::uint32_t mask = 0;       // Fault::not_in_mask
  // For named barriers: the number, the expected threads, and the threads that arrived or that
  // others wait for.
  std::uint32_t barrier = 0, expected = 0, arrived = 0;
  std::int64_t instructions = 0;             // Fault::endless: the limit
  std::uint32_t warp = 0, other_warp = 0;    // Fault::different_barriers
  int other_line = 0;                        // Fault::different_barriers
  std::int64_t unwritten = 0, elements = 0;  // Fault::unwritten; `elements` were checked
  std::string assertion = {};                // Fault::assertion: the text of the condition
  // If the finding comes from the edge of the problem: what the edge is, as a sentence. Findings
  // with the same one have one cause.
  std::string edge = {};
  // The lines of all findings of this cause, if it stands for them (one_per_cause).
  std::vector<int> lines = {};

  FindingKind kind() const { return kind_of(fault); }
};

bool has_kind(const std::vector<Finding>& findings, FindingKind kind);

// Returns one sentence without a full stop, for a cause that has an edge with that before it:
// "thread (1, 0, 0) of block (0, 0, 0) reads A[16][0], outside A, which is 16×16".
std::string message(const Finding& finding);

// Returns one finding for each cause: the first one, with the lines and the counts of all. These
// have one cause: the findings of one edge; races that one barrier would order; and faults of the
// same kind with the same array, or at barriers.
std::vector<Finding> one_per_cause(const std::vector<Finding>& findings);

}  // namespace gemm_tutor::emulator
