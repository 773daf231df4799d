// The assembler joins accesses to shared memory: neighbouring accesses of 4 bytes, in one basic
// block and with the same base address, become one of 8 or 16 bytes. This finds them in the machine
// code.
#pragma once

#include <vector>

#include "simt/machine/code.hpp"
#include "simt/ptx/control_flow.hpp"
#include "simt/ptx/ptx.hpp"

namespace gemm_tutor::simt {

// The machine access that a PTX access has become.
struct MachineAccess {
  // Bytes per lane of the machine instruction. The PTX access is its first part if its address is a
  // multiple of `bytes` plus `first_at`, otherwise a later part. 0 if it is not known from the
  // machine code, or if its copies of the access differ.
  int bytes = 0;
  int first_at = 0;  // not 0 if the instruction loads more than the PTX needs
  int ptx_line = 0;
  // Accesses that may have been joined have the same number; -1 for none.
  int group = -1;
  bool may_be_joined = false;  // some accesses of the group were joined
};

// Returns one element per statement of the function.
std::vector<MachineAccess> machine_accesses(const ptx::Function& function,
                                            const std::vector<BasicBlock>& blocks,
                                            const machine::Code& code);

}  // namespace gemm_tutor::simt
