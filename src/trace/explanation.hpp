// Why a request costs what it does, and what would make it cost less: a sentence each.
#pragma once

#include <string>

#include "trace/padding.hpp"
#include "trace/picture.hpp"

namespace gemm_tutor {

std::string why(const Trace& trace, const emulator::Access& access, const GlobalPicture& picture);
std::string why(const Trace& trace, const emulator::Access& access, const SharedPicture& picture);

// How as many bytes would be in fewer sectors, where there is something true of all such requests.
std::string remedy(const Trace& trace, const emulator::Access& access,
                   const GlobalPicture& picture);

// What would remove the bank conflicts, tried out by the same rules: rows with padding, or loads of
// four floats where the kernel loads each of them. Else what the lanes' words must be like.
std::string remedy(const Trace& trace, const emulator::Access& access, const SharedPicture& picture,
                   Paddings& paddings);

}  // namespace gemm_tutor
