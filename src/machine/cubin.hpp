// The parts of a cubin that say what a kernel's machine code is and which line each instruction
// comes from. A cubin is an ELF file; its line tables are programs of DWARF 2.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gemm_tutor::machine {

// From this address of the code on, up to the next row's.
struct LineRow {
  std::uint64_t address = 0;
  int line = 0;  // 0 where it is not known
};

struct KernelImage {
  int architecture = 0;              // 90 of sm_90
  std::vector<std::uint64_t> words;  // two for each instruction
  std::vector<LineRow> ptx_lines;    // of the PTX text; empty without -lineinfo
};

// `kernel` is a mangled name. Throws Error (unavailable) where the file is no cubin, is cut off, or
// has no such kernel.
KernelImage read_cubin(std::span<const char> cubin, std::string_view kernel);

}  // namespace gemm_tutor::machine
