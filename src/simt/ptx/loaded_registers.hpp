// The values that a kernel brings from global to shared memory through registers, and the fragments
// of matrices that it reads from there.
#pragma once

#include <vector>

#include "simt/ptx/ptx.hpp"

namespace gemm_tutor::simt {

// Returns for each register a number from `first` on if it may hold such a value as it was loaded,
// which a move does not change. -1 for all other registers, as for those of values of which nothing
// is stored in shared memory.
std::vector<int> loaded_registers(const ptx::Function& function, int first);

// True if the statement copies registers, and does nothing else: it need not wait for their values.
bool is_move(const ptx::Statement& statement);

// True for a load from global memory, and for one of fragments (ldmatrix).
bool is_global_load(const ptx::Statement& statement);
bool is_fragment_load(const ptx::Statement& statement);

}  // namespace gemm_tutor::simt
