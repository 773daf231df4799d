// The chapters that are not lessons and run nothing: "machine" before the lessons, "profiler"
// after.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simt/gpu_spec.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

struct Chapter {
  std::string_view name;  // argument of `lesson`, and its folder in lessons/
  Document (*document)(const simt::GpuSpec& gpu);
};

const std::vector<Chapter>& chapters();  // in the order of the course

// May return null.
const Chapter* find_chapter(std::string_view name);

std::string title_of(const Chapter& chapter);

// Makes a document of a chapter's text. Its title is the first heading.
Document chapter_document(std::string_view markdown);

}  // namespace gemm_tutor
