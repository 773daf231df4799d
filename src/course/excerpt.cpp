#include "course/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "course/entry.hpp"
#include "course/lesson.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {

std::vector<SourceLine> excerpt(const std::string& source, const std::string& kernel_name) {
  const std::vector<std::string> lines = split_lines(source);
  const auto begin = std::ranges::find(lines, fmt::format("// excerpt: {}", kernel_name));
  if (begin == lines.end()) return kernel_lines(source, kernel_name);
  const auto end = std::find(begin, lines.end(), "// end excerpt");
  if (end == lines.end()) {
    throw Error(ExitStatus::usage, fmt::format("the line '{}' has no end", *begin),
                "Write '// end excerpt' after the kernel's last line.");
  }
  std::vector<SourceLine> result;
  for (auto line = begin + 1; line != end; ++line) {
    result.push_back({static_cast<int>(line - lines.begin()) + 1, *line});
  }
  return result;
}

std::vector<SourceLine> excerpt(const Lesson& lesson, const Kernel& kernel) {
  return excerpt(lesson.source, kernel.name);
}

}  // namespace gemm_tutor
