// What `gemm-tutor` alone says: what this is, and the next step.
#pragma once

#include <string_view>
#include <vector>

#include "course/lesson.hpp"
#include "course/progress.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

Document overview_document(std::string_view version, const std::vector<Lesson>& lessons,
                           const Progress& progress);

}  // namespace gemm_tutor
