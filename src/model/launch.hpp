// How a kernel is launched: the words of CUDA's <<<grid, block, shared>>>.
#pragma once

#include <cstdint>

namespace gemm_tutor {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

struct Launch {
  Dim3 grid{};
  Dim3 block{};
  std::uint32_t dynamic_shared_bytes = 0;

  bool operator==(const Launch&) const = default;
};

}  // namespace gemm_tutor
