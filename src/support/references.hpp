// References in a text: words in braces, which are replaced.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor {

// Replaces each {reference} by what `of` returns for it. If that is nothing, the braces stay.
std::string with_references(std::string_view text,
                            const std::function<std::optional<std::string>(std::string_view)>& of);

}  // namespace gemm_tutor
