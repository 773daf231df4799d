// PTX names a new register for nearly every value. Few are alive at once, so values share slots,
// and a warp's registers stay in the cache of the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/control_flow.hpp"
#include "emulator/ptx.hpp"

namespace gemm_tutor::emulator {

struct RegisterAllocation {
  // Of each PTX register: its place in a warp's registers, in 32-bit words. A value has one word
  // (or, of 64 bits, two) for each of 32 lanes; a predicate has a slot of which the first word is
  // used.
  std::vector<std::uint32_t> offset;
  std::uint32_t words = 0;  // of all slots together
  // The words of registers that may be read before anything has written them: nobody else's slot
  // until then.
  std::vector<std::uint32_t> unset;
};

// The registers that a statement writes.
std::vector<int> written_registers(const ptx::Statement& statement);

// Of each register, the statements that read it.
std::vector<std::vector<std::size_t>> reading_statements(const ptx::Function& function);

// Slots begin at `first_word`.
RegisterAllocation allocate_registers(const ptx::Function& function,
                                      const std::vector<BasicBlock>& blocks,
                                      std::uint32_t first_word);

}  // namespace gemm_tutor::emulator
