// Today's date, for recorded measurements.
#pragma once

#include <string>

namespace gemm_tutor {

// Returns the date in this machine's time zone: "2026-11-21".
std::string today();

}  // namespace gemm_tutor
