// What `gemm-tutor` alone prints: what this is, and the next step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.hpp"
#include "course/progress.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

std::string overview_text(std::string_view version, const std::vector<Lesson>& lessons,
                          const Progress& progress, const Terminal& terminal);

}  // namespace gemm_tutor
