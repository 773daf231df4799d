// The addresses of a request's lanes, for the rules of its cost.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "simt/emulator.hpp"

namespace gemm_tutor {

// Of global memory, and of shared memory.
inline constexpr int sector_bytes = 32, banks = 32;

// The address of the start of shared memory. It is a multiple of the banks' total width, so that an
// offset and its address have the same bank. It is large enough for negative offsets.
inline constexpr std::uint32_t shared_origin = 1u << 23;

using LaneAddresses = std::array<std::uint32_t, 32>;
LaneAddresses shared_addresses(const simt::Access& access);

// Returns the first active lane's offset; 0 if there is none.
std::uint64_t first_offset(const simt::Access& access);

// Returns the bytes from each active lane to the next; nothing if they differ, or for one lane.
std::optional<std::int64_t> stride_of(const simt::Access& access);

}  // namespace gemm_tutor
