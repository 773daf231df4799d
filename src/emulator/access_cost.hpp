// What a warp's memory request costs the hardware, from the addresses of its lanes alone.
// docs/emulator.md says how the rules were found.
#pragma once

#include <cstdint>

namespace gemm_tutor::emulator {

// Distinct 32-byte sectors of global memory. Bit l of `active` says that lane l takes part; each
// lane accesses `bytes` (1, 2, 4, 8 or 16) at its address, aligned to them.
std::uint32_t global_sectors(const std::uint64_t* addresses, std::uint32_t active, int bytes);

// Passes of the shared-memory pipe, which has 32 banks of 4 bytes.
std::uint32_t shared_wavefronts(const std::uint32_t* addresses, std::uint32_t active, int bytes,
                                bool store);

}  // namespace gemm_tutor::emulator
