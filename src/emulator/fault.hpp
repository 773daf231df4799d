// What a thread can do wrong.
#pragma once

namespace gemm_tutor::emulator {

enum class Fault {
  outside,             // accesses memory outside of every array
  read_only,           // writes an input
  misaligned,          // accesses several bytes at an address that is no multiple of their number
  uninitialised,       // reads what nothing has written
  race,                // accesses shared memory with no barrier after another thread's access
  race_with_copy,      // likewise while an asynchronous copy is still filling it
  simultaneous_write,  // writes one element of shared memory as another lane does, in one
                       // instruction
  equal_stores,        // likewise, and the same value: a note, for it is no fault
  written_twice,       // writes an element of an output that another thread has written
  race_of_blocks,      // accesses global memory as another block does
  stale_read,          // loads as read-only what the kernel has written
  divergent_barrier,   // some threads of a warp do not reach a barrier that others of it wait at
  different_barriers,  // warps wait at different barriers
  missing_warps,       // a barrier waits for threads that have returned
  bad_barrier,         // gives a barrier a number or a count of threads that it cannot have
  barrier_counts,      // waits at a barrier for another number of threads than others do
  incomplete_barrier,  // waits at a barrier that too few threads come to
  shared_barrier,      // uses a barrier that other warps use, with nothing between
  not_in_mask,         // executes a .sync instruction whose mask does not name it
  missing_lane,        // executes one whose mask names a lane that is elsewhere
  returned_lane,       // takes by a shuffle the value of a lane that has returned
  endless,             // stays in a loop
  end_of_body,         // gets to the end of the code without a return
  no_function,         // calls by an address that is no function's
  deep_calls,          // calls functions that call themselves, too deep
  assertion,           // finds that what it asserts is not so
  trap,                // calls __trap()
  unwritten,           // nobody: elements of an output that no thread has written
};

}  // namespace gemm_tutor::emulator
