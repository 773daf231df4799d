// What the pages of HTML share.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

// Text as it may stand in an element or in a quoted attribute.
std::string escaped(std::string_view text);

}  // namespace gemm_tutor
