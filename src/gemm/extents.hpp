// A problem's sizes as they are typed.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace gemm_tutor {

// How M, N and K are written in "33x65x17" or "33 65 17", or in "2048", which is all three. Nothing
// for neither one part nor three.
std::optional<std::array<std::string, 3>> extents_in(const std::string& text);

}  // namespace gemm_tutor
