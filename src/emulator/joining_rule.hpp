// Which accesses to shared memory the assembler joins, found from the PTX alone: for compilers that
// make no machine code. The rule was found by giving ptxas 13.0 small pieces of PTX, and the tests
// compare it with the machine code of whole kernels.
//
// - Loads join with loads, and stores with stores, of elements of the same size, whose addresses
//   are the same value and a constant. The address's low bits must be known: those of the value
//   that are 0 in every lane.
// - Aligned 16 bytes of which all words, or for loads three, are accessed become one access. So do
//   aligned 8 bytes of which both words are, where they are no part of such 16.
// - Loads also join over a branch that may skip the later ones, and neither over a store that may
//   be of shared memory nor over a barrier, fence, atomic or asynchronous copy. Only accesses to
//   other memory may come between two stores, and no store to other 16 bytes.
// - A loop of one block whose number of iterations is known is written out first, unless the source
//   forbids it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/joined_accesses.hpp"

namespace gemm_tutor::emulator {

// Of each statement of the function. `addresses` are those of its shared variables: of an access
// to one of them, and of the alignment of what is in it, their low bits say.
std::vector<MachineAccess> predicted_accesses(
    const ptx::Function& function, const std::vector<BasicBlock>& blocks,
    const std::map<std::string, std::uint64_t>& addresses);

}  // namespace gemm_tutor::emulator
