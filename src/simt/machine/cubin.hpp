// Reads a kernel's machine code and its instructions' source lines from a cubin. A cubin is an ELF
// file. Its line tables are DWARF 2 programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gemm_tutor::simt::machine {

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

// The rows of one kernel in a line table, an ELF section such as .debug_line. The kernel's address
// is 0 in a cubin, because the linker sets it. The relocation at `address_at` names the kernel.
struct LineSequence {
  std::uint64_t address_at = 0;  // offset in the section
  std::vector<LineRow> rows;     // ascending
};

// Reads DWARF 2 to 4. Throws Error (unavailable) if it is truncated.
std::vector<LineSequence> read_line_table(std::span<const char> section);

// Reads little-endian numbers from ELF and DWARF data.

// Each read throws Error (unavailable) if the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const char> bytes) : bytes_(bytes) {}

  std::size_t position() const { return at_; }
  bool at_end() const { return at_ >= bytes_.size(); }
  void seek(std::uint64_t position);
  void skip(std::uint64_t count);

  std::uint64_t integer(int bytes);
  std::uint64_t unsigned_leb();
  std::int64_t signed_leb();
  std::string_view text();  // zero-terminated; the zero is skipped
  std::span<const char> bytes(std::uint64_t begin, std::uint64_t count) const;

 private:
  std::span<const char> bytes_;
  std::size_t at_ = 0;
};

}  // namespace gemm_tutor::simt::machine
