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

// Fills with uniform random numbers in [-1, 1), all multiples of 2^-23. The values depend only on
// seed and stream, not on the machine or the number of threads.
void fill_random(std::span<float> values, std::uint64_t seed, std::uint64_t stream);

// A NaN with a bit pattern that no arithmetic on numbers produces. C is filled with it before a
// kernel runs. It tells elements that no thread has written from wrong ones.
inline constexpr std::uint32_t poison_bits = 0x7fdeadc0;
void poison(std::span<float> values);
inline bool is_poison(float value) { return std::bit_cast<std::uint32_t>(value) == poison_bits; }

struct Matrices {
  Problem problem;
  Types types;
  std::vector<float> a, b, c;
  std::vector<float> c_before = {};  // C before the kernel; empty if it was poisoned
};

// Which of A and B are stored transposed: A as K×M, B as N×K.
struct Transposed {
  bool a = false, b = false;

  bool operator==(const Transposed&) const = default;
};

// A and B as row-major matrices, M×K and K×N, from matrices that may be stored transposed. It
// copies transposed matrices and refers to the others, which must outlive it.
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

// Makes A and B with random values from `seed`, and C as the update says, all of its types: the
// numbers of fill_random() rounded to the type, or whole numbers, if its precision wants a result
// that is exact. Throws what check_size() throws, and Interrupted.
Matrices make_matrices(const Problem& problem, std::uint64_t seed, Activity* activity = nullptr,
                       const Update& update = {});

// Returns the bytes of memory that this process can still allocate. On Linux this is MemAvailable
// or a container's limit, elsewhere the machine's memory.
std::int64_t available_memory();

// Throws Error (unavailable), with the needed and the available bytes, if the matrices do not fit
// into `available` bytes. Throws Error (usage) if a matrix has more than 2^31 - 1 elements, because
// the kernels' indices are int.
void check_size(const Problem& problem, std::int64_t available = available_memory());

}  // namespace gemm_tutor
