// The emulator's address space. Each buffer and each variable has its own address range, which is
// far larger than it and reaches as far below it as above. So an address that is out of bounds does
// not lie in another buffer, and the emulator knows which buffer it belongs to.
#pragma once

#include <cstdint>

namespace gemm_tutor::simt {

// Global memory: buffer i (from 0) begins at global_address(i).
inline constexpr int global_range_bits = 52;
constexpr std::uint64_t global_address(std::uint64_t buffer) {
  return ((buffer + 1) << global_range_bits) + (std::uint64_t{1} << (global_range_bits - 1));
}
constexpr std::int64_t global_buffer(std::uint64_t address) {
  return static_cast<std::int64_t>(address >> global_range_bits) - 1;
}

// Shared and local memory have 32-bit addresses. Variable i (from 0) of a block's shared memory,
// at `offset` in that memory, begins at window_address(i, offset). The low bits are the address
// that the hardware gives, so that a kernel may compute with them and the bank follows without a
// table.
inline constexpr int window_range_bits = 24;
inline constexpr std::uint32_t window_reach = 1u << (window_range_bits - 1);
inline constexpr std::uint32_t window_offset_mask = (1u << window_range_bits) - 1;
constexpr std::uint32_t window_address(std::uint32_t variable, std::uint32_t offset) {
  return (variable << window_range_bits) + offset;
}
constexpr std::int32_t window_variable(std::uint32_t address) {
  return static_cast<std::int32_t>((address + window_reach) >> window_range_bits);
}
constexpr std::int32_t window_offset(std::uint32_t address) {
  return static_cast<std::int32_t>((address + window_reach) & window_offset_mask) -
         static_cast<std::int32_t>(window_reach);
}

// Where a block's shared memory begins. The system keeps the first bytes for itself from compute
// capability 9.0 on, where it keeps them at the end on older GPUs (docs/emulator.md).
constexpr std::uint32_t first_shared_address(int architecture) {
  return architecture >= 90 ? 1024 : 0;
}

// The windows of shared and local memory in generic addresses.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 60;
inline constexpr std::uint64_t local_window = std::uint64_t{2} << 60;
inline constexpr std::uint64_t function_window = std::uint64_t{3} << 60;  // + the function's number
inline constexpr std::uint64_t window_mask = std::uint64_t{15} << 60;

}  // namespace gemm_tutor::simt
