// The average cost of a line's requests, per buffer or shared array.
#pragma once

#include <string>
#include <vector>

#include "simt/emulator.hpp"

namespace gemm_tutor {

// "A 32.0 sec/req", or "4.0 sec/req" if the line has only one operand.
struct RequestCost {
  std::string number;  // with the operand's name if there are several
  std::string unit;
  bool has_conflicts = false;

  std::string text() const { return number + " " + unit; }
};

// For the operands in global or in shared memory. All texts have the same width.
std::vector<RequestCost> request_costs(const std::vector<simt::OperandCounters>& operands,
                                       simt::MemorySpace space);

}  // namespace gemm_tutor
