// How findings name threads and memory: as the learner knows them.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/machine.hpp"
#include "emulator/worker.hpp"

namespace gemm_tutor::emulator {

std::string coordinates(const Dim3& at);  // "(3, 0, 0)"

// Of the thread counted along x first.
Dim3 thread_index(const Dim3& block, std::uint32_t thread);

std::string thread_name(const Warp& warp, int lane);  // "thread (3, 0, 0) of block (1, 0, 0)"

std::string thread_coordinates(const Warp& warp, int lane);

// "a, b, c and 61 more".
std::string first_few(const std::vector<std::string>& names);

struct Place {
  std::string element;  // "A[256][0]"
  std::string whole;    // "A, which is 256×256"
};

// The arrays of the block's shared memory, with their extents where Options::arrays has them.
std::vector<SharedArray> shared_arrays(const RunContext& context);

Place place_of(const RunContext& context, std::uint64_t address, ptx::Space space);

}  // namespace gemm_tutor::emulator
