// The operands of a problem in host memory.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/update.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

// Uniform in [-1, 1), multiples of 2^-23, the same values for the same seed and stream on every
// machine, whatever the number of threads.
void fill_random(std::span<float> values, std::uint64_t seed, std::uint64_t stream);

// A NaN of one bit pattern that no arithmetic on numbers produces: what C holds before a kernel
// runs, so that an element no thread wrote is known from one that was written wrong.
inline constexpr std::uint32_t poison_bits = 0x7fdeadc0;
void poison(std::span<float> values);
inline bool is_poison(float value) { return std::bit_cast<std::uint32_t>(value) == poison_bits; }

struct Matrices {
  Problem problem;
  std::vector<float> a, b, c;
  std::vector<float> c_before = {};  // what C held before the kernel; empty where it was poisoned
};

// A and B random from `seed`, and so is C where it is to be. Throws what check_size() throws, and
// Interrupted.
Matrices make_matrices(const Problem& problem, std::uint64_t seed, Activity* activity = nullptr,
                       InitialC c = InitialC::poison);

// Bytes of memory that this process can still have: MemAvailable and a container's limit on Linux,
// elsewhere the memory there is.
std::int64_t available_memory();

// Throws Error (unavailable), saying how much is needed and how much there is, when the matrices do
// not fit in `available` bytes; and (usage) when one has more than 2^31 - 1 elements, which the
// kernels' int indices cannot reach.
void check_size(const Problem& problem, std::int64_t available = available_memory());

}  // namespace gemm_tutor
