// What `list` prints.
#pragma once

#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "report/style.hpp"

namespace gemm_tutor {

std::string list_text(const std::vector<Lesson>& lessons, const Terminal& terminal);
std::string list_json(const std::vector<Lesson>& lessons);

}  // namespace gemm_tutor
