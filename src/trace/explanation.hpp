// Explains a request's cost, and what would reduce it, in one sentence each.
#pragma once

#include <string>

#include "trace/padding.hpp"
#include "trace/picture.hpp"

namespace gemm_tutor {

std::string why(const Trace& trace, const simt::Access& access, const GlobalPicture& picture);
std::string why(const Trace& trace, const simt::Access& access, const SharedPicture& picture);

// Returns how the same bytes could be in fewer sectors. Empty if there is no general rule.
std::string remedy(const Trace& trace, const simt::Access& access, const GlobalPicture& picture);

// Returns what would remove the bank conflicts, checked with the same rules: rows with padding, or
// loads of four floats in place of single ones. Otherwise says which words the lanes should access.
std::string remedy(const Trace& trace, const simt::Access& access, const SharedPicture& picture,
                   Paddings& paddings);

}  // namespace gemm_tutor
