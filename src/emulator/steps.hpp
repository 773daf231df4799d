// PTX instructions that the interpreter carries out as several of its own: conversions by way of
// wider types, comparisons of every kind, additions with a carry, flushed or clamped arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/ptx.hpp"

namespace gemm_tutor::emulator {

// What a step reads or writes.
struct StepOperand {
  enum class Kind {
    statement,  // an operand of the PTX statement, or an element of one
    temporary,  // a register that lives as long as the statement
    immediate,
    carry  // the condition code that add.cc leaves to addc: one predicate of the whole kernel
  } kind = Kind::immediate;
  const ptx::Operand* operand = nullptr;
  int number = 0;  // of the temporary
  std::uint64_t immediate = 0;
};

struct Step {
  std::string key;                    // in the interpreter's table
  std::vector<StepOperand> operands;  // the result, then the sources
  std::int64_t offset = 0;            // of the instruction
};

// In their order. A statement's results are written after all of its operands are read. Empty where
// the statement cannot be made of steps.
std::vector<Step> steps_of(const ptx::Statement& statement);

}  // namespace gemm_tutor::emulator
