// Random numbers that depend only on their index, so that any thread can compute any of them.
#pragma once

#include <cstdint>

namespace gemm_tutor {

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
