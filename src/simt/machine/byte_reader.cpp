#include "simt/machine/byte_reader.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace gemm_tutor::simt::machine {
namespace {

[[noreturn]] void cut_off() {
  throw Error(ExitStatus::unavailable, "the compiled kernel is cut off",
              "Remove the kernel cache, and run the command again.");
}

}  // namespace

void ByteReader::seek(std::uint64_t position) {
  if (position > bytes_.size()) cut_off();
  at_ = position;
}

void ByteReader::skip(std::uint64_t count) {
  if (count > bytes_.size() - at_) cut_off();
  at_ += count;
}

std::uint64_t ByteReader::integer(int bytes) {
  std::uint64_t result = 0;
  for (int byte = 0; byte < bytes; ++byte) {
    if (at_end()) cut_off();
    result |= std::uint64_t{static_cast<std::uint8_t>(bytes_[at_++])} << 8 * byte;
  }
  return result;
}

// Seven bits per byte, lowest first. The highest bit is set if another byte follows.
std::uint64_t ByteReader::unsigned_leb() {
  std::uint64_t result = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint64_t byte = integer(1);
    if (shift < 64) result |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) return result;
  }
}

std::int64_t ByteReader::signed_leb() {
  std::uint64_t result = 0;
  for (int shift = 0;;) {
    const std::uint64_t byte = integer(1);
    if (shift < 64) result |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if ((byte & 0x40) && shift < 64) result |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(result);
  }
}

std::string_view ByteReader::text() {
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(at_);
  const auto end = std::find(begin, bytes_.end(), '\0');
  if (end == bytes_.end()) cut_off();
  at_ = static_cast<std::size_t>(end - bytes_.begin()) + 1;
  return {begin, end};
}

std::span<const char> ByteReader::bytes(std::uint64_t begin, std::uint64_t count) const {
  if (begin > bytes_.size() || count > bytes_.size() - begin) cut_off();
  return bytes_.subspan(begin, count);
}

}  // namespace gemm_tutor::simt::machine
