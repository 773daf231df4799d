// Reads little-endian numbers from ELF and DWARF data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gemm_tutor::simt::machine {

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
