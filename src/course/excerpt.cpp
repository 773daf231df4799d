#include "course/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "course/entry.hpp"
#include "course/lesson.hpp"
#include "support/text.hpp"

namespace gemm_tutor {

std::vector<SourceLine> excerpt(std::string_view source, std::string_view kernel_name) {
  const std::vector<std::string> lines = split_lines(source);
  const auto begin = std::ranges::find(lines, fmt::format("// excerpt: {}", kernel_name));
  const auto end = std::find(begin, lines.end(), "// end excerpt");
  if (end == lines.end()) {
    throw std::logic_error(fmt::format("no whole excerpt '{}' in the lesson's file", kernel_name));
  }
  std::vector<SourceLine> result;
  for (auto line = begin + 1; line != end; ++line) {
    result.push_back({static_cast<int>(line - lines.begin()) + 1, *line});
  }
  return result;
}

std::vector<SourceLine> excerpt(const Lesson& lesson, const Kernel& kernel) {
  if (lesson.source.find("// excerpt: ") != std::string::npos) {
    return excerpt(lesson.source, kernel.name);
  }
  return kernel_lines(lesson.source, kernel.name);
}

}  // namespace gemm_tutor
