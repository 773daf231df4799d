// Text that a student may have written, made fit for a report.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gemm_tutor {

inline constexpr std::size_t longest_reason = 200;  // code points

// The first `most` code points of it, in one line, with "…" for the rest. What would control a
// terminal, or change the order of the text around it, is U+FFFD.
std::string one_line(std::string_view text, std::size_t most = longest_reason);

}  // namespace gemm_tutor
