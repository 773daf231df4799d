// The day on which something is measured.
#pragma once

#include <string>

namespace gemm_tutor {

// Of this machine's calendar: "2026-11-21".
std::string today();

}  // namespace gemm_tutor
