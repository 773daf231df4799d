// The operands of a problem in host memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gemm/problem.hpp"

namespace gemm_tutor {

// Uniform in [-1, 1), the same values for the same seed and stream on every machine, whatever the
// number of threads.
void fill_random(std::span<float> values, std::uint64_t seed, std::uint64_t stream);

// A NaN of one bit pattern that no arithmetic produces: what C holds before a kernel runs, so that an
// element no thread wrote is known from one that was written wrong.
inline constexpr std::uint32_t poison_bits = 0x7fdeadc0;
void poison(std::span<float> values);
bool is_poison(float value);

struct Matrices {
  Problem problem;
  std::vector<float> a, b, c;
};

// A and B random from `seed`, C poisoned. Throws Error (unavailable), saying how much is needed and
// how much there is, when they do not fit in this machine's memory; and (usage) when a matrix has more
// than 2^31 - 1 elements, which the kernels' int indices cannot reach.
Matrices make_matrices(const Problem& problem, std::uint64_t seed);

// Just those checks, before anything else is done.
void check_size(const Problem& problem);

// Bytes of memory available to this process now (MemAvailable where there is such a thing).
std::int64_t available_memory();

}  // namespace gemm_tutor
