#include "documents/lesson_parts.hpp"

#include "view/markdown_reader.hpp"

namespace gemm_tutor {
namespace {

constexpr std::string_view memory_heading = "What it asks of memory";

}  // namespace

LessonParts parts_of(const Lesson& lesson) {
  LessonParts result;
  Parts* current = &result.before;
  bool is_first = true;
  for (Part& part : read_markdown(lesson.text)) {
    const auto* heading = std::get_if<Heading>(&part.content);
    const bool is_title = is_first && heading && heading->level == 1;
    is_first = false;
    if (is_title) continue;
    if (heading && heading->level == 2) {
      if (plain_text(heading->text) == memory_heading) {
        current = &result.memory;
      } else if (current == &result.memory) {
        current = &result.after;
      }
    }
    current->push_back(std::move(part));
  }
  return result;
}

}  // namespace gemm_tutor
