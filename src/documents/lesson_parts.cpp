#include "documents/lesson_parts.hpp"

#include <fmt/format.h>

#include "view/markdown.hpp"

namespace gemm_tutor {
namespace {

constexpr std::string_view memory_heading = "What it asks of memory";

}  // namespace

LessonParts parts_of(const Lesson& lesson) {
  LessonParts parts;
  bool passed = false;
  for (const MarkdownSection& section : sections(lesson.text)) {
    const bool is_memory = section.heading == memory_heading;
    passed = passed || is_memory;
    std::string& part = is_memory ? parts.memory : passed ? parts.after : parts.before;
    if (!section.heading.empty()) part += fmt::format("## {}\n\n", section.heading);
    part += section.text + "\n";
  }
  return parts;
}

}  // namespace gemm_tutor
