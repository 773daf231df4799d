// Finds the threads and array elements that findings and traces name.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/exec/machine.hpp"
#include "simt/exec/worker.hpp"

namespace gemm_tutor::simt {

Dim3 thread_of(const Warp& warp, int lane);

// Returns the element at an address that a kernel has accessed. If it is in no array, the element
// is relative to the nearest one.
Element element_at(const RunContext& context, std::uint64_t address, ptx::Space space);

// Returns the arrays in the block's shared memory, with their extents if Options::arrays has them.
std::vector<SharedArray> shared_arrays(const RunContext& context);

}  // namespace gemm_tutor::simt
