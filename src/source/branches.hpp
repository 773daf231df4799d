// Which branches of #if the compiler of host code takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::source {

// Returns the texts without the branches of which is certain that the compiler does not take them.
// The number of lines stays, here as below.
std::vector<std::string> without_untaken_branches(const std::vector<std::string_view>& texts);

// Returns the texts as the compiler sees them where a branch launches the kernel: of each #if with
// a branch of the same condition only that one, and of others all. Nothing if no branch of several
// launches it, or if there are more #ifs than host code has.
std::vector<std::vector<std::string>> with_one_branch(const std::vector<std::string_view>& texts,
                                                      std::string_view kernel);

// Returns the text with 1 or 0 for the conditions of each #if around the kernel, and for the same
// ones elsewhere, so that a compiler without the options of a build sees it. Conditions on
// __CUDA_ARCH__ and #ifndef stay. Nothing if there are no others, or no such kernel.
std::optional<std::string> with_branch_of_kernel(std::string_view text, std::string_view kernel);

}  // namespace gemm_tutor::source
