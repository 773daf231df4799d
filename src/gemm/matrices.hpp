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

// Which of A and B a kernel has stored transposed: A as K×M, B as N×K.
struct Transposed {
  bool a = false, b = false;

  bool operator==(const Transposed&) const = default;
};

// A and B row by row, M×K and K×N, of matrices of which some may be stored transposed. Refers to
// those that are not.
class RowMajorOperands {
 public:
  RowMajorOperands(const Matrices& stored, const Transposed& transposed);
  RowMajorOperands(const RowMajorOperands&) = delete;
  RowMajorOperands& operator=(const RowMajorOperands&) = delete;

  std::span<const float> a() const { return a_; }
  std::span<const float> b() const { return b_; }

 private:
  std::vector<float> new_a_, new_b_;
  std::span<const float> a_, b_;
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
