#include "trace/padding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "simt/emulator.hpp"
#include "simt/gpu_spec.hpp"
#include "trace/picture.hpp"
#include "trace/steps_along_k.hpp"
#include "trace/who_loads.hpp"

namespace gemm_tutor {
namespace {

using simt::Access;
using simt::SharedArray;

constexpr std::int64_t most_padding_bytes = 64;  // half of the banks

// The most elements of padding per row, so that all arrays together fit into the shared memory that
// a block may declare on any GPU.
std::int64_t padding_that_fits(const std::vector<SharedArray>& arrays, const SharedArray& padded) {
  std::int64_t free = simt::GpuSpec().shared_bytes_per_block;
  for (const SharedArray& array : arrays) free -= static_cast<std::int64_t>(array.bytes);
  const std::int64_t row_bytes = padded.element_bytes * padded.extents.back();
  const std::int64_t rows = static_cast<std::int64_t>(padded.bytes) / row_bytes;
  return rows == 0 ? 0 : free / (padded.element_bytes * rows);
}

std::uint32_t conflicts_with(const Access& access, const SharedArray& array, std::int64_t padding) {
  const std::int64_t columns = array.extents.back(), each = array.element_bytes;
  LaneAddresses addresses{};
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
    const auto byte = static_cast<std::int64_t>(access.offsets[lane] - array.offset);
    const std::int64_t place = byte / each;
    const std::int64_t padded = place / columns * (columns + padding) + place % columns;
    addresses[lane] = shared_origin + static_cast<std::uint32_t>(each * padded + byte % each);
  }
  std::uint32_t conflicts = 0;
  for (const auto& group :
       simt::served_groups(addresses, access.active, access.bytes, access.store)) {
    if (!group.passes.empty()) conflicts += static_cast<std::uint32_t>(group.passes.size()) - 1;
  }
  return conflicts;
}

// By what a request costs.
auto parts_of(const Access& access) {
  return std::tuple(access.store, access.bytes, access.active, access.offsets);
}

}  // namespace

bool lies_in(const Access& access, const SharedArray& array) {
  if (access.space != simt::MemorySpace::shared) return false;
  return std::ranges::all_of(lanes_of(access.active), [&](int lane) {
    return access.offsets[static_cast<std::size_t>(lane)] - array.offset < array.bytes;
  });
}

Paddings::Use& Paddings::use_of(const Access& access, const SharedArray& array) {
  const auto [place, is_new] = uses_.try_emplace({access.warp, array.offset, access.asynchronous});
  Use& use = place->second;
  if (!is_new) return use;
  if (step_count_ == 0) {
    const StepsAlongK steps = steps_along_k(trace_);
    steps_ = steps_of_shared(trace_, steps);
    step_count_ = steps.count;
  }
  std::map<decltype(parts_of(access)), std::size_t> known;
  for (std::size_t i = 0; i < trace_.result.accesses.size(); ++i) {
    const Access& other = trace_.result.accesses[i];
    if (other.warp != access.warp || other.active == 0 || !lies_in(other, array)) continue;
    use.widest = std::max(use.widest, other.bytes);
    if (other.asynchronous != access.asynchronous) continue;
    const auto [number, is_first] = known.try_emplace(parts_of(other), use.requests.size());
    if (is_first) use.requests.push_back({&other, {}});
    ++use.requests[number->second].times[steps_[i]];
  }
  return use;
}

std::uint64_t Paddings::sum(Use& use, const SharedArray& array, std::int64_t padding) {
  const auto [place, is_new] = use.sums.try_emplace(padding, 0);
  if (!is_new) return place->second;
  for (const Request& request : use.requests) {
    const std::uint64_t conflicts = conflicts_with(*request.access, array, padding);
    for (const auto& [step, times] : request.times) place->second += conflicts * times;
  }
  return place->second;
}

bool Paddings::is_same_in_each_step(const Use& use, const SharedArray& array,
                                    std::int64_t padding) const {
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(step_count_));
  for (const Request& request : use.requests) {
    const std::uint64_t conflicts = conflicts_with(*request.access, array, padding);
    for (const auto& [step, times] : request.times) {
      if (!step) return false;
      sums[static_cast<std::size_t>(*step)] += conflicts * times;
    }
  }
  return std::ranges::adjacent_find(sums, std::ranges::not_equal_to()) == sums.end();
}

std::optional<Padding> Paddings::best(const Access& access, const SharedArray& array) {
  Use& use = use_of(access, array);
  const std::int64_t each = array.element_bytes;
  const std::int64_t unit = std::max<std::int64_t>(use.widest, sizeof(float)) / each;
  const std::uint32_t here = conflicts_with(access, array, 0);
  const std::uint64_t before = sum(use, array, 0);
  Padding best;
  std::uint64_t after = before;
  const std::int64_t most =
      std::min(most_padding_bytes / each, padding_that_fits(trace_.result.shared_arrays, array));
  for (std::int64_t more = unit; more <= most; more += unit) {
    const std::uint32_t left = conflicts_with(access, array, more);
    if (left >= here || sum(use, array, more) >= after) continue;
    best = {more, left, {}};
    after = sum(use, array, more);
  }
  if (best.elements == 0) return std::nullopt;
  const bool all_known = trace_.result.all_accesses && !trace_.result.stopped;
  if (access.asynchronous || !all_known) return best;
  const auto steps = static_cast<std::uint64_t>(step_count_);
  if (steps > 1 && is_same_in_each_step(use, array, 0) &&
      is_same_in_each_step(use, array, best.elements)) {
    best.in_all = {before / steps, after / steps, true};
  } else {
    best.in_all = {before, after, false};
  }
  return best;
}

}  // namespace gemm_tutor
