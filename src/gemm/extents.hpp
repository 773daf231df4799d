// Parses a problem's sizes.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "gemm/problem.hpp"

namespace gemm_tutor {

// Returns the texts of M, N and K in "33x65x17" or "33 65 17". "2048" is all three. Returns nothing
// unless there are one or three parts.
std::optional<std::array<std::string, 3>> extents_in(const std::string& text);

// Returns the problem of such a text; nothing unless M, N and K are whole numbers from 1.
std::optional<Problem> problem_in(const std::string& text);

}  // namespace gemm_tutor
