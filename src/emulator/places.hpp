// Which threads and which elements of which arrays findings and traces are about.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/machine.hpp"
#include "emulator/worker.hpp"

namespace gemm_tutor::emulator {

Dim3 thread_of(const Warp& warp, int lane);

// The element at an address that a kernel has accessed, in whatever array it is or is nearest to.
Element element_at(const RunContext& context, std::uint64_t address, ptx::Space space);

// The arrays of the block's shared memory, with their extents where Options::arrays has them.
std::vector<SharedArray> shared_arrays(const RunContext& context);

}  // namespace gemm_tutor::emulator
