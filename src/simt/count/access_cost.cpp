#include "simt/count/access_cost.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "simt/emulator.hpp"
#include "simt/exec/program.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr int banks = 32;

// True if each active lane has the same address as the lane `apart` (by XOR), or that lane is not
// active.
bool pairs_share(const std::uint32_t* addresses, std::uint32_t active, int apart) {
  for (int lane = 0; lane < lanes; ++lane) {
    const int other = lane ^ apart;
    const bool both = (active >> lane & 1) && (active >> other & 1);
    if (both && addresses[lane] != addresses[other]) return false;
  }
  return true;
}

// Returns the number of lanes that are served as one group. A group's first lane is a multiple of
// this number.
int lanes_served_together(const std::uint32_t* addresses, std::uint32_t active, int bytes,
                          bool store) {
  // A pass delivers 128 bytes: to a warp of 4-byte accesses, half a warp of 8, a quarter of 16.
  // Where all lanes of the warp pair off, two halves or two quarters share it.
  const bool paired = !store && bytes > 4 &&
                      (pairs_share(addresses, active, 1) || pairs_share(addresses, active, 2));
  return lanes * 4 / std::max(bytes, 4) * (paired ? 2 : 1);
}

// A word (address / 4, in the bank word % 32) and the pass of its group that serves it, from 0.
struct ServedWord {
  std::uint32_t word, pass;
};

// The distinct words that the lanes [begin, end) access, in the lanes' order.
struct ServedLanes {
  std::array<ServedWord, 128> words;  // only the first `count` are valid
  int count = 0;
  std::uint32_t passes = 0;
};

ServedLanes serve(const std::uint32_t* addresses, std::uint32_t active, int bytes, int begin,
                  int end) {
  const int words = std::max(1, bytes / 4);
  ServedLanes group;
  std::array<std::uint32_t, banks> in_bank{};
  for (int lane = begin; lane < end; ++lane) {
    if (!(active >> lane & 1)) continue;
    for (int w = 0; w < words; ++w) {
      const std::uint32_t word = addresses[lane] / 4 + static_cast<std::uint32_t>(w);
      ServedWord* const last = group.words.data() + group.count;
      const bool is_known = std::any_of(
          group.words.data(), last, [&](const ServedWord& served) { return served.word == word; });
      if (is_known) continue;
      *last = {word, in_bank[word % banks]++};
      ++group.count;
    }
  }
  group.passes = *std::max_element(in_bank.begin(), in_bank.end());
  return group;
}

}  // namespace

int distinct_sectors(const std::uint64_t* addresses, std::uint32_t active, std::uint64_t* sectors) {
  int count = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (active >> lane & 1) sectors[count++] = addresses[lane] / 32;
  }
  std::sort(sectors, sectors + count);
  return static_cast<int>(std::unique(sectors, sectors + count) - sectors);
}

std::uint32_t global_sectors(const std::uint64_t* addresses, std::uint32_t active, int) {
  std::array<std::uint64_t, lanes> sectors{};
  return static_cast<std::uint32_t>(distinct_sectors(addresses, active, sectors.data()));
}

std::uint32_t distinct_addresses(const std::uint64_t* addresses, std::uint32_t active) {
  std::array<std::uint64_t, lanes> distinct{};
  int count = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    if (active >> lane & 1) distinct[static_cast<std::size_t>(count++)] = addresses[lane];
  }
  std::sort(distinct.begin(), distinct.begin() + count);
  return static_cast<std::uint32_t>(std::unique(distinct.begin(), distinct.begin() + count) -
                                    distinct.begin());
}

SharedCost shared_cost(const std::uint32_t* addresses, std::uint32_t active, int bytes,
                       bool store) {
  const int together = lanes_served_together(addresses, active, bytes, store);
  SharedCost cost;
  for (int begin = 0; begin < lanes; begin += together) {
    const std::uint32_t passes = serve(addresses, active, bytes, begin, begin + together).passes;
    cost.wavefronts += passes;
    if (passes > 1) cost.conflicts += passes - 1;
  }
  return cost;
}

std::vector<ServedGroup> served_groups(const std::array<std::uint32_t, 32>& addresses,
                                       std::uint32_t active, int bytes, bool store) {
  const int together = lanes_served_together(addresses.data(), active, bytes, store);
  std::vector<ServedGroup> groups;
  for (int begin = 0; begin < lanes; begin += together) {
    const ServedLanes served = serve(addresses.data(), active, bytes, begin, begin + together);
    ServedGroup& group = groups.emplace_back(ServedGroup{begin, begin + together - 1, {}});
    group.passes.resize(served.passes);
    for (int i = 0; i < served.count; ++i) {
      const ServedWord& word = served.words[static_cast<std::size_t>(i)];
      group.passes[word.pass].push_back(word.word);
    }
  }
  return groups;
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

}  // namespace gemm_tutor::simt
