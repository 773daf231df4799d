// C++ and CUDA in colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/style.hpp"

namespace gemm_tutor {

// The lines with a style for each token; comments may reach over several. Text is never changed.
std::vector<Line> highlight(const std::vector<std::string>& lines);

// The same of a whole file, with what no terminal shows made visible.
std::vector<Line> highlight_source(std::string_view source);

// Whether a language's name, as Markdown has it after ```, is one of theirs.
bool is_language_of_cuda(std::string_view language);

}  // namespace gemm_tutor
