#include "simt/estimate/estimator.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <mutex>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "simt/count/access_cost.hpp"
#include "simt/exec/program.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "support/numbers.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr std::uint64_t sector_bytes = 32, line_bytes = 128;

using Place = std::uint64_t;  // a sector's buffer and its number in the buffer

// The distinct sectors of a request, ascending.
std::vector<Place> sectors_of(const Access& access) {
  std::vector<Place> sectors(access.offsets.size());
  sectors.resize(static_cast<std::size_t>(
      simt::distinct_sectors(access.offsets.data(), access.active, sectors.data())));
  const Place buffer = static_cast<Place>(access.buffer.value_or(0) + 1) << 48;
  for (Place& sector : sectors) sector |= buffer;
  return sectors;
}

double wavefronts_of(const Access& access) {
  std::array<std::uint32_t, 32> addresses = {};
  std::ranges::transform(access.offsets, addresses.begin(),
                         [](std::uint64_t offset) { return static_cast<std::uint32_t>(offset); });
  return simt::shared_cost(addresses.data(), access.active, access.bytes, access.store).wavefronts;
}

Place line_of(Place sector) { return sector / (line_bytes / sector_bytes); }

// An LRU cache. A line has those of its sectors that were requested.
class Cache {
 public:
  explicit Cache(std::int64_t bytes) : most_lines_(static_cast<std::size_t>(bytes) / line_bytes) {}

  // Returns true if it had the sector.
  bool access(Place sector) {
    const Place line = line_of(sector);
    const unsigned bit = 1u << sector % (line_bytes / sector_bytes);
    const auto found = lines_.find(line);
    if (found != lines_.end()) {
      order_.splice(order_.begin(), order_, found->second.place);
      const bool hit = (found->second.sectors & bit) != 0;
      found->second.sectors |= bit;
      return hit;
    }
    order_.push_front(line);
    lines_[line] = {order_.begin(), bit};
    if (lines_.size() > most_lines_) {
      lines_.erase(order_.back());
      order_.pop_back();
    }
    return false;
  }

 private:
  struct Line {
    std::list<Place>::iterator place;
    unsigned sectors = 0;
  };
  std::size_t most_lines_;
  std::list<Place> order_;  // the last used first
  std::unordered_map<Place, Line> lines_;
};

// A copy of 16 bytes per lane does not go through the L1 cache (docs/emulator.md).
bool passes_l1(const Access& access) { return access.asynchronous && access.bytes == 16; }

// The sectors that the blocks of a wave load.
class WaveSectors {
 public:
  void add(const std::vector<Access>& requests) {
    std::unordered_set<Place> own;
    const std::lock_guard lock(mutex_);
    for_each_loaded(requests, [&](const Access& access, Place sector) {
      if (!own.insert(sector).second) return;
      auto& [first, all] = counts_[access.ptx_line];
      ++all;
      first += seen_.insert(sector).second ? 1 : 0;
    });
  }

  // By PTX line, the share of a block's sectors that no other block of the wave loads, with each
  // block counting its first load of a sector.
  std::map<int, double> shares() const { return shares_of(counts_); }

  // Compares with the wave a block of the next one.
  void compare(const std::vector<Access>& requests) {
    const std::lock_guard lock(mutex_);
    for_each_loaded(requests, [&](const Access& access, Place sector) {
      const int is_new = seen_.contains(sector) ? 0 : 1;
      for (auto* counts : {&new_of_line_[access.ptx_line],
                           &new_of_buffer_[static_cast<int>(access.buffer.value_or(0))]}) {
        counts->first += is_new;
        ++counts->second;
      }
    });
  }

  // By PTX line and by buffer, the share of those blocks' sectors that the wave does not load.
  std::map<int, double> new_shares() const { return shares_of(new_of_line_); }
  std::map<int, double> new_shares_of_buffers() const { return shares_of(new_of_buffer_); }

 private:
  using Counts = std::map<int, std::pair<int, int>>;

  template <typename Visit>
  static void for_each_loaded(const std::vector<Access>& requests, Visit visit) {
    for (const Access& access : requests) {
      if (access.store) continue;
      for (const Place sector : sectors_of(access)) visit(access, sector);
    }
  }

  static std::map<int, double> shares_of(const Counts& counts) {
    std::map<int, double> result;
    for (const auto& [key, of] : counts) {
      if (of.second > 0) result[key] = static_cast<double>(of.first) / of.second;
    }
    return result;
  }

  std::mutex mutex_;
  std::unordered_set<Place> seen_;
  Counts counts_, new_of_line_, new_of_buffer_;
};

// Counts the iterations of a request's line that miss the L1 cache, and the block's warps that
// request a missing sector.
class Misses {
 public:
  void add(std::ptrdiff_t block, const Access& access, const std::vector<Place>& sectors,
           const std::set<Place>& missing) {
    const int line = access.ptx_line;
    const int iteration = iterations_[{line, block, access.warp}]++;
    std::map<Place, int>& of = missing_[{line, block, iteration}];
    for (const Place sector : missing) of.emplace(sector, 0);
    for (const Place sector : sectors) {
      const auto found = of.find(sector);
      if (found != of.end()) ++found->second;
    }
  }

  void complete(MemoryTraffic& traffic) const {
    struct Sums {
      double iterations = 0, missing = 0, sectors = 0, warps = 0;
    };
    std::map<int, Sums> sums;
    for (const auto& [of, sectors] : missing_) {
      Sums& sum = sums[std::get<0>(of)];
      sum.iterations += 1;
      sum.missing += sectors.empty() ? 0 : 1;
      for (const auto& [sector, warps] : sectors) {
        sum.sectors += 1;
        sum.warps += warps;
      }
    }
    for (auto& [line, of] : traffic) {
      const Sums& sum = sums[line];
      of.missing = sum.missing / sum.iterations;
      if (sum.sectors > 0) of.sharing_warps = sum.warps / sum.sectors;
    }
  }

 private:
  std::map<std::tuple<int, std::ptrdiff_t, std::uint64_t>, int> iterations_;  // line, block, warp
  std::map<std::tuple<int, std::ptrdiff_t, int>, std::map<Place, int>> missing_;
};

// The bytes that every SM finds in the L2 cache without a way to another partition.
double near_bytes(const GpuSpec& gpu) {
  return static_cast<double>(details_of(gpu).l2_bytes) /
         (details_of(gpu).l2_far_latency == 0 ? 1 : 2);
}

// The share of the buffers that the L2 cache does not keep near from one launch to the next. With
// two partitions, each keeps copies of the other's data, and between half of the cache size and all
// of it more and more bytes have none (measured: docs/measuring.md).
double lost_share(const GpuSpec& gpu, double bytes) {
  if (details_of(gpu).l2_far_latency == 0) return bytes > near_bytes(gpu) ? 1 : 0;
  return std::clamp(bytes / near_bytes(gpu) - 1, 0.0, 1.0);
}

// True if what a wave of blocks has loaded is still near when the next wave loads it again. A wave
// loads all of a buffer that the next one loads again, and its part of the others.
bool fits_between_waves(const GpuSpec& gpu, const std::vector<double>& bytes,
                        const std::map<int, double>& new_shares, double waves) {
  double of_a_wave = 0;
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    const auto found = new_shares.find(static_cast<int>(b));
    const double again = found == new_shares.end() ? 0 : 1 - found->second;
    of_a_wave += bytes[b] * std::max(again, 1 / waves);
  }
  return of_a_wave <= near_bytes(gpu);
}

}  // namespace

std::vector<Access> interleaved(std::vector<Access> requests) {
  std::map<int, std::uint64_t> made;  // by each warp
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    order.emplace_back(made[requests[r].warp]++, r);
  }
  std::ranges::stable_sort(order, {}, &std::pair<std::uint64_t, std::size_t>::first);
  std::vector<Access> result;
  result.reserve(requests.size());
  for (const auto& [number, r] : order) result.push_back(requests[r]);
  return result;
}

MemoryTraffic traffic_of(const std::vector<std::vector<Access>>& blocks, std::int64_t l1_bytes,
                         const std::map<int, double>& dram_share) {
  Cache l1(l1_bytes);
  MemoryTraffic traffic;
  std::map<int, int> requests;
  Misses misses;
  std::size_t most = 0;
  for (const auto& block : blocks) most = std::max(most, block.size());
  for (std::size_t r = 0; r < most; ++r) {
    for (const auto& block : blocks) {
      if (r >= block.size()) continue;
      const Access& access = block[r];
      RequestTraffic& of = traffic[access.ptx_line];
      ++requests[access.ptx_line];
      const std::vector<Place> sectors = sectors_of(access);
      std::set<Place> lines, missing;
      for (const Place sector : sectors) {
        lines.insert(line_of(sector));
        const bool hit = !access.store && !passes_l1(access) && l1.access(sector);
        if (!hit) missing.insert(sector);
      }
      of.from_l2 += static_cast<double>(missing.size());
      misses.add(&block - blocks.data(), access, sectors, missing);
      of.sectors += static_cast<double>(sectors.size());
      of.lines += static_cast<double>(lines.size());
      of.wavefronts += wavefronts_of(access);
    }
  }
  for (auto& [line, of] : traffic) {
    const double count = requests[line];
    of.lines /= count;
    of.sectors /= count;
    of.wavefronts /= count;
    of.from_l2 /= count;
    const auto share = dram_share.find(line);
    if (share != dram_share.end()) of.from_dram = of.from_l2 * share->second;
  }
  misses.complete(traffic);
  return traffic;
}

MemoryTraffic observe_traffic(const DecodedProgram& program, const Launch& launch,
                              const std::vector<Buffer>& buffers,
                              const std::vector<Argument>& arguments, const GpuSpec& gpu,
                              int resident, std::int64_t shared_bytes) {
  constexpr std::uint64_t steps_of_an_sm = 16;
  const auto multiprocessors = static_cast<std::uint64_t>(gpu.multiprocessors);
  const std::uint64_t grid = launch.grid.count();
  const auto observe = [&](const std::vector<std::uint64_t>& numbers, std::uint64_t steps,
                           const auto& visit) {
    std::vector<Dim3> blocks;
    for (const std::uint64_t number : numbers) blocks.push_back(place_in(launch.grid, number));
    simt::observe(program, launch, buffers, arguments, blocks, steps, visit);
  };

  std::map<int, double> dram_share, far_share;
  std::vector<double> bytes;
  for (const Buffer& buffer : buffers) {
    bytes.push_back(static_cast<double>(buffer.bytes));
  }
  const double all_bytes = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  const bool fits_l2 = all_bytes <= static_cast<double>(details_of(gpu).l2_bytes);
  const double lost = lost_share(gpu, all_bytes);
  if (lost > 0) {
    constexpr std::uint64_t steps = 2, compared = 32;
    const std::uint64_t wave = multiprocessors * static_cast<std::uint64_t>(resident);
    std::vector<std::uint64_t> first, next;
    for (std::uint64_t b = 0; b < std::min(grid, wave); ++b) first.push_back(b);
    for (std::uint64_t b = wave; b < std::min(grid, 2 * wave); b += ceil_divide(wave, compared)) {
      next.push_back(b);
    }
    WaveSectors sectors;
    observe(first, steps, [&](std::size_t, const auto& requests) { sectors.add(requests); });
    observe(next, steps, [&](std::size_t, const auto& requests) { sectors.compare(requests); });
    const double waves = std::max(1.0, static_cast<double>(grid) / static_cast<double>(wave));
    const bool is_kept = fits_between_waves(gpu, bytes, sectors.new_shares_of_buffers(), waves);
    const std::map<int, double> new_to_next = sectors.new_shares();
    for (const auto& [line, share] : sectors.shares()) {
      const auto found = new_to_next.find(line);
      const double is_new = found == new_to_next.end() || !is_kept ? 1 : found->second;
      const double new_share = lost * (1 + is_new * (waves - 1)) / waves;
      // In each partition the first block that loads a sector makes its copy. Others come while it
      // is on its way, and wait for half of that on average.
      constexpr double partitions = 2, on_its_way = 0.5;
      far_share[line] = new_share * std::max(on_its_way, std::min(1.0, partitions * share));
      if (!fits_l2) {
        dram_share[line] = new_share * share;
        far_share[line] = new_share;
      }
    }
  }

  std::vector<std::uint64_t> of_an_sm;
  for (int b = 0; b < resident; ++b) {
    const std::uint64_t number = static_cast<std::uint64_t>(b) * multiprocessors;
    if (number < grid) of_an_sm.push_back(number);
  }
  constexpr std::uint64_t least_blocks = 4, most_threads = 1024;
  const std::uint64_t most_blocks = std::max(least_blocks, most_threads / launch.block.count());
  if (of_an_sm.size() > most_blocks) of_an_sm.resize(most_blocks);
  std::vector<std::vector<Access>> blocks(of_an_sm.size());
  observe(of_an_sm, steps_of_an_sm, [&](std::size_t block, std::vector<Access> requests) {
    blocks[block] = interleaved(std::move(requests));
  });
  const std::int64_t l1_bytes = details_of(gpu).l1_bytes - shared_bytes * resident;
  MemoryTraffic traffic = traffic_of(blocks, std::max<std::int64_t>(l1_bytes, 4096), dram_share);
  for (auto& [line, of] : traffic) {
    const auto found = far_share.find(line);
    if (found != far_share.end()) of.far = found->second;
  }
  return traffic;
}

}  // namespace gemm_tutor::simt
