// A text's references: words in braces that something else replaces.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor {

// With what `of` returns in place of each {reference}. Where it returns nothing the braces stay.
std::string with_references(std::string_view text,
                            const std::function<std::optional<std::string>(std::string_view)>& of);

}  // namespace gemm_tutor
