// Syntax highlighting of C++ and CUDA.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/style.hpp"

namespace gemm_tutor {

// Returns the lines with a style per token. Comments may have several lines. The text is not
// changed.
std::vector<Line> highlight(const std::vector<std::string>& lines);

// The same for a whole file. Characters that a terminal does not show are made visible.
std::vector<Line> highlight_source(std::string_view source);

// True if it is a name of C++ or CUDA after ``` in Markdown.
bool is_language_of_cuda(std::string_view language);

}  // namespace gemm_tutor
