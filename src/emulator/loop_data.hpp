// Loops that end by what is in memory: how often they are repeated differs from block to block, and
// the counts of some blocks do not say it of the others.
#pragma once

#include "emulator/ptx.hpp"

namespace gemm_tutor::emulator {

// Whether a jump out of some loop, or back to its beginning, depends on a value that was loaded
// from global or shared memory.
bool has_loop_by_data(const ptx::Function& function);

}  // namespace gemm_tutor::emulator
