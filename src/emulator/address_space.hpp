// The emulator's address space. Each buffer and each variable is in the middle of its own address
// range, which is far larger than it. So an address that is out of bounds does not lie in another
// buffer, and the emulator knows which buffer it belongs to.
#pragma once

#include <cstdint>

namespace gemm_tutor::emulator {

// Global memory: buffer i (from 0) begins at global_address(i).
inline constexpr int global_range_bits = 52;
constexpr std::uint64_t global_address(std::uint64_t buffer) {
  return ((buffer + 1) << global_range_bits) + (std::uint64_t{1} << (global_range_bits - 1));
}
constexpr std::int64_t global_buffer(std::uint64_t address) {
  return static_cast<std::int64_t>(address >> global_range_bits) - 1;
}

// Shared and local memory have 32-bit addresses. Variable i (from 0) of a block's shared memory,
// at `offset` in that memory, begins at window_address(i, offset). The low bits hold the offset, so
// that the bank follows from the address without a table.
inline constexpr int window_range_bits = 24;
inline constexpr std::uint32_t window_middle = 1u << (window_range_bits - 1);
constexpr std::uint32_t window_address(std::uint32_t variable, std::uint32_t offset) {
  return ((variable + 1) << window_range_bits) + window_middle + offset;
}
constexpr std::int32_t window_variable(std::uint32_t address) {
  return static_cast<std::int32_t>(address >> window_range_bits) - 1;
}
constexpr std::int32_t window_offset(std::uint32_t address) {
  return static_cast<std::int32_t>(address & ((1u << window_range_bits) - 1)) -
         static_cast<std::int32_t>(window_middle);
}

// The windows of shared and local memory in generic addresses.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 60;
inline constexpr std::uint64_t local_window = std::uint64_t{2} << 60;
inline constexpr std::uint64_t function_window = std::uint64_t{3} << 60;  // + the function's number
inline constexpr std::uint64_t window_mask = std::uint64_t{15} << 60;

}  // namespace gemm_tutor::emulator
