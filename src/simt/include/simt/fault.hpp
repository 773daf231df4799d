// The faults of a thread.
#pragma once

namespace gemm_tutor::emulator {

enum class Fault {
  outside,         // accesses memory outside of every array
  beyond_array,    // a loop leaves an array of a thread, as the source says
  read_only,       // writes an input
  misaligned,      // accesses several bytes at an address that is not a multiple of their number
  uninitialised,   // reads memory that no thread has written
  race,            // accesses shared memory after another thread, without a barrier between
  race_with_copy,  // accesses shared memory that an asynchronous copy is still filling
  simultaneous_write,  // two lanes write the same element of shared memory in one instruction
  equal_stores,        // the same with equal values: only a note, because it is not an error
  same_value,          // writes the value that another thread has written there: only a note
  array_alignment,     // a shared array's alignment that the GPU does not keep: only a note
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
  endless,             // stays in a loop
  end_of_body,         // reaches the end of the code without a return
  no_function,         // calls an address that is not a function's
  deep_calls,          // recursion is too deep
  assertion,           // an assertion fails
  trap,                // calls __trap()
  unwritten,           // no thread has written some elements of an output
};

}  // namespace gemm_tutor::emulator
