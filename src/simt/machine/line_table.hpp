// Reads the line table of an ELF section such as .debug_line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simt/machine/cubin.hpp"

namespace gemm_tutor::machine {

// The rows of one kernel. The kernel's address is 0 in a cubin, because the linker sets it. The
// relocation at `address_at` names the kernel.
struct LineSequence {
  std::uint64_t address_at = 0;  // offset in the section
  std::vector<LineRow> rows;     // ascending
};

// Reads DWARF 2 to 4. Throws Error (unavailable) if it is truncated.
std::vector<LineSequence> read_line_table(std::span<const char> section);

}  // namespace gemm_tutor::machine
