// The operands of a problem in host memory.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/scalar.hpp"
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

// Random numbers that depend only on their index, so that any thread can compute any of them.

// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014), with the constants of Vigna's splitmix64.c.
constexpr std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// A sequence of 64-bit random numbers for each pair of seed and stream.
class RandomSequence {
 public:
  constexpr RandomSequence(std::uint64_t seed, std::uint64_t stream)
      : key_(mix_bits(mix_bits(seed + golden_ratio) + stream)) {}

  constexpr std::uint64_t operator[](std::uint64_t index) const {
    return mix_bits(key_ + index * golden_ratio);
  }

 private:
  static constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // times 2^64, made odd

  std::uint64_t key_;
};

}  // namespace gemm_tutor
