#include "emulator/access_cost.hpp"

#include <algorithm>
#include <array>

namespace gemm_tutor::emulator {
namespace {

constexpr int lanes = 32;
constexpr int banks = 32;

// The most distinct words that any one bank must deliver to the lanes [begin, end).
std::uint32_t passes(const std::uint32_t* addresses, std::uint32_t active, int bytes, int begin,
                     int end) {
  const int words = std::max(1, bytes / 4);
  std::array<std::uint32_t, lanes * 4> seen{};
  int seen_count = 0;
  std::array<std::uint32_t, banks> in_bank{};
  for (int lane = begin; lane < end; ++lane) {
    if (!(active >> lane & 1)) continue;
    for (int w = 0; w < words; ++w) {
      const std::uint32_t word = addresses[lane] / 4 + static_cast<std::uint32_t>(w);
      if (std::find(seen.begin(), seen.begin() + seen_count, word) != seen.begin() + seen_count)
        continue;
      seen[static_cast<std::size_t>(seen_count++)] = word;
      ++in_bank[word % banks];
    }
  }
  return *std::max_element(in_bank.begin(), in_bank.end());
}

}  // namespace

std::uint32_t global_sectors(const std::uint64_t* addresses, std::uint32_t active, int) {
  std::array<std::uint64_t, lanes> sectors{};
  int count = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (active >> lane & 1) sectors[static_cast<std::size_t>(count++)] = addresses[lane] / 32;
  }
  std::sort(sectors.begin(), sectors.begin() + count);
  return static_cast<std::uint32_t>(std::unique(sectors.begin(), sectors.begin() + count) -
                                    sectors.begin());
}

std::uint32_t shared_wavefronts(const std::uint32_t* addresses, std::uint32_t active, int bytes) {
  const int group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 16;
  std::uint32_t total = 0;
  for (int begin = 0; begin < lanes; begin += group) {
    total += passes(addresses, active, bytes, begin, begin + group);
  }
  return std::max(total, active ? 1u : 0u);
}

}  // namespace gemm_tutor::emulator
