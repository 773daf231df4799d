// How long a tiled kernel may take on a GPU, by arithmetic alone: nothing is compiled or run. It is
// there to say which tiles are worth measuring first, and why; its times are estimates, and where
// they are shown they are called so.
//
// A multiprocessor works through its tiles of C in steps along K. For each step the model asks four
// questions, each answered in clock cycles, and the longest answer is the step's time, because the
// hardware does the four things at once:
//
//   arithmetic     How long do the multiply-adds take? Tile · BK of them, as many lanes at a time
//                  as the multiprocessor has.
//   instructions   How long does it take to start all instructions? Four a cycle, and every one
//                  that is not a multiply-add takes a slot: a thread loads TM + TN floats from
//                  shared memory, four at a time, for TM·TN multiply-adds.
//   shared memory  How long do the wavefronts take, one a cycle? A warp reads its own rows of A and
//                  columns of B at each k; the closer to a square its tile, the fewer.
//   waiting        A step's copies from global memory were started one step before, or with a ring
//                  of STAGES buffers STAGES - 1 steps before; they take some 480 cycles. Other
//                  blocks on the same multiprocessor compute meanwhile. At each barrier a block
//                  waits for its slowest warp, and again others fill in.
//
// Then, of the whole problem:
//
//   idle           The multiprocessor with the most tiles decides. Where blocks share the
//                  tiles that are left over, all have as much to do, but what they share is added
//                  up by a second launch, which costs memory traffic.
//   memory         How long does global memory take to bring the rows of A and columns of B that
//                  the tiles computed at the same time need? Tiles near to each other need the
//                  same ones, and the L2 cache brings them once: that is what walking them in
//                  groups of rows is for.
#pragma once

#include <string_view>

#include "course/lesson.hpp"
#include "model/gpu_spec.hpp"

namespace gemm_tutor {

enum class Limit { arithmetic, instructions, shared_memory, waiting, idle, memory };

// "arithmetic", "instructions", "shared memory", "waiting", "idle SMs", "memory".
std::string_view words_for(Limit limit);

struct Estimate {
  double milliseconds = 0;
  Limit limited_by = Limit::arithmetic;

  // What led to it. Each of these times is what the problem would take if nothing else were slow.
  double arithmetic_ms = 0, instructions_ms = 0, shared_ms = 0, waiting_ms = 0, memory_ms = 0;
  double second_launch_ms = 0;        // of what blocks share; 0 where they share nothing
  double balance = 1;                 // work of the average multiprocessor over the busiest one's
  double ffma_share = 0;              // of all instructions, 0 to 1
  double wavefronts_per_ffma = 0;     // of shared memory, for each FFMA instruction of a warp
  double waves = 0;                   // tiles over the blocks that run at the same time
  int blocks_per_multiprocessor = 0;  // by the occupancy model, with the registers it assumes
  double occupancy = 0;               // 0 to 1
  int registers_per_thread = 0;       // assumed: the compiler decides later
};

// Of a kernel with settings BK, TM and TN (and, where it has them, WM, WN and STAGES); the block's
// tile and how blocks share tiles are its shape's. Throws what the kernel's `shape`, launch_for()
// and occupancy() throw: Error (usage) for settings that cannot run there.
Estimate estimate(const Kernel& kernel, const Settings& settings, const GpuSpec& gpu,
                  const Problem& problem);

}  // namespace gemm_tutor
