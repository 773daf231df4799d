// Counters that are the same, for tests.
#pragma once

#include "simt/emulator.hpp"

namespace gemm_tutor::simt {

inline bool operator==(const OperandCounters& one, const OperandCounters& other) {
  return one.name == other.name && one.space == other.space && one.requests == other.requests &&
         one.cost == other.cost && one.conflicts == other.conflicts;
}

inline bool operator==(const LineCounters& one, const LineCounters& other) {
  return one.line == other.line && one.counters == other.counters && one.operands == other.operands;
}

}  // namespace gemm_tutor::simt
