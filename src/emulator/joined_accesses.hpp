// The assembler joins accesses to shared memory: neighbours of 4 bytes, of one block and one base,
// become an access of 8 or 16. Which, the machine code says.
#pragma once

#include <vector>

#include "emulator/control_flow.hpp"
#include "emulator/ptx.hpp"
#include "machine/code.hpp"

namespace gemm_tutor::emulator {

// What became of an access in the PTX.
struct MachineAccess {
  // Of each lane, by the machine instruction that it is in: the access is its first part where its
  // address is a multiple of these and `first_at` bytes, else a later part. 0 where the machine
  // code does not say, or where its copies of the access differ.
  int bytes = 0;
  int first_at = 0;  // not 0 where the instruction loads more than is asked for
  int ptx_line = 0;
  // Accesses that may have been joined with one another have the same; -1 for none.
  int group = -1;
  bool may_be_joined = false;  // some of the group were
};

// Of each statement of the function.
std::vector<MachineAccess> machine_accesses(const ptx::Function& function,
                                            const std::vector<BasicBlock>& blocks,
                                            const machine::Code& code);

}  // namespace gemm_tutor::emulator
