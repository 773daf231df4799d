// The places of a request's lanes, as the rules for its cost take them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emulator/trace.hpp"

namespace gemm_tutor {

// Where shared memory begins among the addresses: a multiple of all banks, so that an offset's bank
// is its address's, far enough from 0 for offsets before the beginning.
inline constexpr std::uint32_t shared_origin = 1u << 23;

using LaneAddresses = std::array<std::uint32_t, 32>;
LaneAddresses shared_addresses(const emulator::Access& access);

// Bytes from each active lane to the next, where that is the same for all; none for one lane.
std::optional<std::int64_t> stride_of(const emulator::Access& access);

}  // namespace gemm_tutor
