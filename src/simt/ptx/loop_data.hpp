// Finds loops whose number of iterations depends on data in memory. It may differ from block to
// block, so that counts of sampled blocks cannot be scaled to others.
#pragma once

#include "simt/ptx/ptx.hpp"

namespace gemm_tutor::emulator {

// Returns true if a jump out of a loop, or back to its start, depends on a value loaded from global
// or shared memory.
bool has_loop_by_data(const ptx::Function& function);

}  // namespace gemm_tutor::emulator
