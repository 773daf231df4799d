// The line table of an ELF section such as .debug_line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/cubin.hpp"

namespace gemm_tutor::machine {

// The rows of one kernel. Where its address is a number that the linker fills in, which is 0 in a
// cubin: what the relocations name.
struct LineSequence {
  std::uint64_t address_at = 0;  // in the section
  std::vector<LineRow> rows;     // ascending
};

// DWARF 2 to 4. Throws Error (unavailable) where it is cut off.
std::vector<LineSequence> read_line_table(std::span<const char> section);

}  // namespace gemm_tutor::machine
