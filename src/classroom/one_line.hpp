// Makes text from a student safe for a report.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gemm_tutor {

inline constexpr std::size_t longest_reason = 200;  // code points

// Returns the first `most` code points in one line, with "…" for the rest. Characters that control
// a terminal or change the direction of text become U+FFFD.
std::string one_line(std::string_view text, std::size_t most = longest_reason);

}  // namespace gemm_tutor
