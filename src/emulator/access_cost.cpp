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

// Whether each pair of neighbours, or of next but one, among the lanes shares an address.
bool pairs_share(const std::uint32_t* addresses, std::uint32_t active, int begin, int end,
                 int apart) {
  for (int lane = begin; lane < end; ++lane) {
    const int other = lane ^ apart;
    const bool both = (active >> lane & 1) && (active >> other & 1);
    if (both && addresses[lane] != addresses[other]) return false;
  }
  return true;
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

std::uint32_t shared_wavefronts(const std::uint32_t* addresses, std::uint32_t active, int bytes,
                                bool store) {
  // A pass delivers 128 bytes: to a warp of 4-byte accesses, half a warp of 8, a quarter of 16.
  const int group = lanes * 4 / std::max(bytes, 4);
  if (group == lanes) return passes(addresses, active, bytes, 0, lanes);
  std::uint32_t total = 0;
  for (int begin = 0; begin < lanes; begin += 2 * group) {
    const int middle = begin + group, end = begin + 2 * group;
    const bool together = !store && (pairs_share(addresses, active, begin, end, 1) ||
                                     pairs_share(addresses, active, begin, end, 2));
    total += together ? passes(addresses, active, bytes, begin, end)
                      : passes(addresses, active, bytes, begin, middle) +
                            passes(addresses, active, bytes, middle, end);
  }
  return total;
}

}  // namespace gemm_tutor::emulator
