#include "support/zip.hpp"

#include <cstdint>
#include <string_view>

namespace gemm_tutor {
namespace {

// CRC-32 of IEEE 802.3.
std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum & 1 ? 0xedb88320U : 0U);
  }
  return ~sum;
}

// Little-endian numbers of 2 or 4 bytes.
std::string numbers(std::initializer_list<std::pair<int, std::uint64_t>> fields) {
  std::string text;
  for (auto [bytes, value] : fields) {
    for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value & 0xff);
  }
  return text;
}

// What a local header and the directory have in common: from the version to the lengths.
std::string description(const ZipEntry& entry) {
  constexpr int version = 20, utf8 = 0x800, stored = 0, first_day = 0x21;  // 1980-01-01
  const std::size_t size = entry.contents.size();
  return numbers({{2, version},
                  {2, utf8},
                  {2, stored},
                  {2, 0},
                  {2, first_day},
                  {4, checksum(entry.contents)},
                  {4, size},
                  {4, size},
                  {2, entry.name.size()},
                  {2, 0}});
}

}  // namespace

std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string zip, directory;
  for (const ZipEntry& entry : entries) {
    const std::string about = description(entry);
    constexpr int made_by_unix = 3 << 8 | 20;
    const std::uint64_t mode = entry.is_executable ? 0100755 : 0100644;
    directory += numbers({{4, 0x02014b50}, {2, made_by_unix}}) + about +
                 numbers({{2, 0}, {2, 0}, {2, 0}, {4, mode << 16}, {4, zip.size()}}) + entry.name;
    zip += numbers({{4, 0x04034b50}}) + about + entry.name + entry.contents;
  }
  const std::size_t count = entries.size();
  return zip + directory +
         numbers({{4, 0x06054b50},
                  {2, 0},
                  {2, 0},
                  {2, count},
                  {2, count},
                  {4, directory.size()},
                  {4, zip.size()},
                  {2, 0}});
}

}  // namespace gemm_tutor
