// The chapters beside the lessons, which run nothing: "machine" before them, "profiler" after.
#pragma once

#include <string_view>
#include <vector>

#include "model/gpu_spec.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

struct Chapter {
  std::string_view name;  // that `lesson` takes; its folder in lessons/
  Document (*document)(const GpuSpec& gpu);
};

const std::vector<Chapter>& chapters();  // in the order of the course

// Null for none.
const Chapter* find_chapter(std::string_view name);

// A chapter's text as a document, titled by its first heading.
Document chapter_document(std::string_view markdown);

}  // namespace gemm_tutor
