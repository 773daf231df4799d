// PTX instructions that the interpreter executes as several steps: conversions through wider types,
// comparisons of every kind, additions with a carry, flushed or clamped arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simt/ptx/ptx.hpp"

namespace gemm_tutor::simt {

// An operand of a step.
struct StepOperand {
  enum class Kind {
    statement,  // an operand of the PTX statement, or an element of one
    temporary,  // a register that exists only during the statement
    immediate,
    carry  // the carry from add.cc to addc: one predicate for the whole kernel
  } kind = Kind::immediate;
  const ptx::Operand* operand = nullptr;
  int number = 0;  // the temporary's number
  std::uint64_t immediate = 0;
};

struct Step {
  std::string key;                    // its key in the interpreter's table
  std::vector<StepOperand> operands;  // the result, then the sources
  std::int32_t setting = 0;           // Instruction::setting
};

// Returns the steps in order. Results are written after all operands have been read. Empty if the
// statement cannot be split into steps.
std::vector<Step> steps_of(const ptx::Statement& statement);

}  // namespace gemm_tutor::simt
