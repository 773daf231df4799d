// What a line's requests cost on average, of each buffer or shared array that they go to.
#pragma once

#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace gemm_tutor {

// "A 32.0 sec/req", or "4.0 sec/req" where a line has no other operand.
struct RequestCost {
  std::string number;  // with the operand's name, where it needs one
  std::string unit;
  bool has_conflicts = false;

  std::string text() const { return number + " " + unit; }
};

// Of those in global memory or in shared memory; all texts are equally wide.
std::vector<RequestCost> request_costs(const std::vector<emulator::OperandCounters>& operands,
                                       emulator::MemorySpace space);

}  // namespace gemm_tutor
