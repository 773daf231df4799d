// Classes of similar problems, for which the same tiles are best.
#pragma once

#include <cstdint>
#include <string>

#include "gemm/problem.hpp"

namespace gemm_tutor {

struct SizeClass {
  // The power of two that is nearest, by ratio, to the cube root of M·N·K.
  std::int64_t size = 1;
  bool aligned = true;  // N is a multiple of 4: rows of B and C are aligned to 16 bytes

  bool operator==(const SizeClass&) const = default;
};

SizeClass size_class(const Problem& problem);

// The name in a file: "2048", "2048-unaligned".
std::string key_of(const SizeClass& size);

// "sizes near 2,048 with N a multiple of 4".
std::string words_for(const SizeClass& size);

}  // namespace gemm_tutor
