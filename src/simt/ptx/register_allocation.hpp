// PTX uses a new register for nearly every value. Few of them are live at the same time, so values
// share slots. Then a warp's registers stay in the CPU's cache.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/ptx/control_flow.hpp"
#include "simt/ptx/ptx.hpp"

namespace gemm_tutor::simt {

struct RegisterAllocation {
  // The offset of each PTX register in a warp's registers, in 32-bit words. A value has one word
  // per lane, or two if it has 64 bits. A predicate uses only the first word of its slot.
  std::vector<std::uint32_t> offset;
  std::uint32_t words = 0;  // of all slots together
  // The words of registers that may be read before they are written. No other register uses their
  // slots before that.
  std::vector<std::uint32_t> unset;
};

// Returns the registers that a statement writes.
std::vector<int> written_registers(const ptx::Statement& statement);

// Returns the registers that a statement reads.
std::vector<int> read_registers(const ptx::Statement& statement);

// Returns for each register the statements that read it.
std::vector<std::vector<std::size_t>> reading_statements(const ptx::Function& function);

// The first slot is at `first_word`.
RegisterAllocation allocate_registers(const ptx::Function& function,
                                      const std::vector<BasicBlock>& blocks,
                                      std::uint32_t first_word);

// The values that a kernel brings from global to shared memory through registers, and the fragments
// of matrices that it reads from there.

// Returns for each register a number from `first` on if it may hold such a value as it was loaded,
// which a move does not change. -1 for all other registers, as for those of values of which nothing
// is stored in shared memory.
std::vector<int> loaded_registers(const ptx::Function& function, int first);

// True if the statement copies registers, and does nothing else: it need not wait for their values.
bool is_move(const ptx::Statement& statement);

// True for a load from global memory, and for one of fragments (ldmatrix).
bool is_global_load(const ptx::Statement& statement);
bool is_fragment_load(const ptx::Statement& statement);

}  // namespace gemm_tutor::simt
