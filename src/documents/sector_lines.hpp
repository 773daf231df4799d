// A request of global memory as the lines of 128 bytes that it touches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/picture.hpp"

namespace gemm_tutor {

inline constexpr std::size_t sectors_of_line = 4;

struct LineOfSectors {
  std::uint64_t number = 0;                                        // of the buffer's lines
  std::array<const SectorPicture*, sectors_of_line> sectors = {};  // null: not touched
};

// In the order of the picture's sectors, which it must outlive.
std::vector<LineOfSectors> by_line(const GlobalPicture& picture);

}  // namespace gemm_tutor
