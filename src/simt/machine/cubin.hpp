// Reads a kernel's machine code and its instructions' source lines from a cubin. A cubin is an ELF
// file. Its line tables are DWARF 2 programs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gemm_tutor::machine {

// A row of the line table. It is for the addresses up to the next row's address.
struct LineRow {
  std::uint64_t address = 0;
  int line = 0;  // 0 if not known
};

struct KernelImage {
  int architecture = 0;              // 90 for sm_90
  std::vector<std::uint64_t> words;  // two per instruction
  std::vector<LineRow> ptx_lines;    // lines of the PTX text; empty without -lineinfo
};

// `kernel` is a mangled name. Throws Error (unavailable) if the file is not a cubin, is truncated,
// or has no such kernel.
KernelImage read_cubin(std::span<const char> cubin, std::string_view kernel);

}  // namespace gemm_tutor::machine
