// Predicts from the PTX which accesses to shared memory the assembler joins, for compilers that
// make no machine code. The rule was found by assembling small pieces of PTX with ptxas 13.0. Tests
// compare it with the machine code of whole kernels.
//
// - Loads join with loads, and stores with stores. Their elements have the same size, and their
//   addresses are the sum of the same value and a constant. The value's low bits must be known to
//   be 0 in every lane.
// - Accesses to all four words of aligned 16 bytes become one access. For loads, three of the words
//   are enough. Accesses to both words of aligned 8 bytes become one access if they are not part of
//   such 16 bytes.
// - Loads also join across a branch that may skip the later ones. They do not join across a store
//   that may be to shared memory, a barrier, a fence, an atomic operation or an asynchronous copy.
//   Between two stores there may only be accesses to other memory, and no store to other 16 bytes.
// - A loop of one basic block with a known number of iterations is unrolled first, unless the
//   source forbids it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simt/ptx/joined_accesses.hpp"

namespace gemm_tutor::simt {

// Returns one element per statement of the function. `addresses` has the addresses of its shared
// variables, by name. Their low bits give the alignment of accesses to them.
std::vector<MachineAccess> predicted_accesses(
    const ptx::Function& function, const std::vector<BasicBlock>& blocks,
    const std::map<std::string, std::uint64_t>& addresses);

}  // namespace gemm_tutor::simt
