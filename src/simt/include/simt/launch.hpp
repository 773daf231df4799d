// A kernel's launch parameters, as in CUDA's <<<grid, block, shared>>>.
#pragma once

#include <cstdint>

namespace gemm_tutor {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

// Returns the index of a thread in a block, or of a block in a grid, from its number. x varies
// fastest.
inline Dim3 place_in(const Dim3& all, std::uint64_t number) {
  return {static_cast<std::uint32_t>(number % all.x),
          static_cast<std::uint32_t>(number / all.x % all.y),
          static_cast<std::uint32_t>(number / all.x / all.y)};
}

struct Launch {
  Dim3 grid{};
  Dim3 block{};
  std::uint32_t dynamic_shared_bytes = 0;

  bool operator==(const Launch&) const = default;
};

}  // namespace gemm_tutor
