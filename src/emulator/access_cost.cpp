#include "emulator/access_cost.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

// Whether all active lanes pair off, each with the one `apart` (by XOR), to share an address; a
// lane whose other is not active does not stand in the way.
bool pairs_share(const std::uint32_t* addresses, std::uint32_t active, int apart) {
  for (int lane = 0; lane < lanes; ++lane) {
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

SharedCost shared_cost(const std::uint32_t* addresses, std::uint32_t active, int bytes,
                       bool store) {
  // A pass delivers 128 bytes: to a warp of 4-byte accesses, half a warp of 8, a quarter of 16.
  // Where all lanes of the warp pair off, two halves or two quarters share it.
  const bool paired = !store && bytes > 4 &&
                      (pairs_share(addresses, active, 1) || pairs_share(addresses, active, 2));
  const int group = lanes * 4 / std::max(bytes, 4) * (paired ? 2 : 1);
  SharedCost cost;
  for (int begin = 0; begin < lanes; begin += group) {
    const std::uint32_t of_group = passes(addresses, active, bytes, begin, begin + group);
    cost.wavefronts += of_group;
    if (of_group > 1) cost.conflicts += of_group - 1;
  }
  return cost;
}

std::uint32_t copied_sectors(const std::uint64_t* sources, const std::uint32_t* targets,
                             std::uint32_t active) {
  std::array<std::pair<std::uint32_t, std::uint64_t>, lanes> pieces{};
  int count = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(active >> lane & 1)) continue;
    bool overwritten = false;
    for (int later = lane + 1; later < lanes; ++later) {
      overwritten = overwritten || ((active >> later & 1) && targets[later] == targets[lane]);
    }
    if (!overwritten)
      pieces[static_cast<std::size_t>(count++)] = {targets[lane] / 32, sources[lane] / 128};
  }
  std::sort(pieces.begin(), pieces.begin() + count);
  return static_cast<std::uint32_t>(std::unique(pieces.begin(), pieces.begin() + count) -
                                    pieces.begin());
}

}  // namespace gemm_tutor::emulator
