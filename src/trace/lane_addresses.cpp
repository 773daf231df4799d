#include "trace/lane_addresses.hpp"

#include <bit>
#include <cstddef>

namespace gemm_tutor {

LaneAddresses shared_addresses(const simt::Access& access) {
  LaneAddresses addresses{};
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
    addresses[lane] = shared_origin + static_cast<std::uint32_t>(access.offsets[lane]);
  }
  return addresses;
}

std::uint64_t first_offset(const simt::Access& access) {
  const auto lane = static_cast<std::size_t>(std::countr_zero(access.active));
  return access.active == 0 ? 0 : access.offsets[lane];
}

std::optional<std::int64_t> stride_of(const simt::Access& access) {
  std::optional<std::int64_t> stride;
  std::optional<std::uint64_t> last;
  for (std::size_t lane = 0; lane < access.offsets.size(); ++lane) {
    if (!(access.active >> lane & 1)) continue;
    if (last) {
      const auto step = static_cast<std::int64_t>(access.offsets[lane] - *last);
      if (stride && *stride != step) return std::nullopt;
      stride = step;
    }
    last = access.offsets[lane];
  }
  return stride;
}

}  // namespace gemm_tutor
