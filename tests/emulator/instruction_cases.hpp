// Lane-wise instructions with operands and results worked out by hand from NVIDIA's "PTX ISA".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::simt {

using Bits = std::uint64_t;

struct InstructionCase {
  std::string names;     // those that all do this: "add.s32 add.u32"
  std::string operands;  // registers of the destination, then of the sources: "rd r r"
  std::vector<std::vector<Bits>> rows;  // the sources, then the result
};

const std::vector<InstructionCase>& instruction_cases();

std::vector<std::string> words_of(std::string_view text);

// How the lanes that are not to execute the instruction are kept from it.
enum class Masking { branch, guard };

// What destinations hold before the instruction.
Bits old_value(std::size_t thread);

// Runs one instruction with a thread's sources from each row (which may have the result as well),
// in the lanes of `mask` of every warp. The destination's bits of each row's thread.
std::vector<Bits> execute(const std::string& name, const std::string& operands,
                          const std::vector<std::vector<Bits>>& rows, std::uint32_t mask,
                          Masking masking);

// The same in all lanes of one warp, with a row's sources as immediates.
Bits execute_immediate(const std::string& name, const std::string& operands,
                       const std::vector<Bits>& row);

// Only the bits that a register of this class has.
Bits truncate(Bits value, std::string_view register_class);

}  // namespace gemm_tutor::simt
