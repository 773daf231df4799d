#include "course/shown_code.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "course/lesson.hpp"
#include "source/definitions.hpp"
#include "support/difference.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// --- The functions that a kernel uses

using Names = std::set<std::string, std::less<>>;

struct FunctionText {
  std::string name;
  std::vector<SourceLine> lines;

  // Without blanks.
  std::string words() const {
    std::string text;
    for (const SourceLine& line : lines) text += line.text;
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
  }
};

void add_names(Names& names, source::Tokens tokens) {
  for (const source::Token& token : tokens) {
    if (token.is_name()) names.emplace(token.text);
  }
}

// Includes the comment and the types directly above it.
FunctionText text_of(const source::Function& function, const source::File& file,
                     const std::vector<std::string>& lines) {
  const auto is_above = [&](int line) {
    const std::string_view text = trimmed(lines[static_cast<std::size_t>(line) - 1]);
    const bool is_mark = text.starts_with("// excerpt: ") || text == "// end excerpt";
    return !text.empty() && !is_mark && !text.starts_with('#') &&
           std::ranges::count(file.functions, line, &source::Function::last_line) == 0;
  };
  int first = function.first_line;
  while (first > 1 && is_above(first - 1)) --first;
  FunctionText text{function.name, {}};
  for (int line = first; line <= function.last_line; ++line) {
    text.lines.push_back({line, lines[static_cast<std::size_t>(line) - 1]});
  }
  return text;
}

// In the order of the file.
std::vector<FunctionText> functions_used(const Lesson& lesson, const Kernel& kernel) {
  const source::File file(lesson.source);
  const std::vector<SourceLine> shown = excerpt(lesson, kernel);
  Names of_launches = {kernel.second_pass};
  for (const Kernel::Earlier& earlier : kernel.before) of_launches.insert(earlier.function);
  Names names = of_launches;
  for (const SourceLine& line : shown) add_names(names, source::tokens_of(line.text));
  const auto is_used = [&](const source::Function& function) {
    const bool is_called = !function.is_kernel || of_launches.contains(function.name);
    return is_called && names.contains(split(function.name, ':').back()) &&
           std::ranges::count(shown, function.first_line, &SourceLine::number) == 0;
  };
  std::set<std::size_t> used;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < file.functions.size(); ++i) {
      if (!is_used(file.functions[i]) || !used.insert(i).second) continue;
      add_names(names, file.functions[i].body);
      grows = true;
    }
  }
  const std::vector<std::string> lines = split_lines(lesson.source);
  std::vector<FunctionText> texts;
  for (const std::size_t i : used) texts.push_back(text_of(file.functions[i], file, lines));
  return texts;
}

// The lessons that it changes, directly or indirectly; the first one is last.
std::vector<const Lesson*> changed_lessons(const Lesson& lesson) {
  std::vector<const Lesson*> result;
  for (const Lesson* at = changed_lesson(lesson); at; at = changed_lesson(*at)) {
    result.push_back(at);
  }
  return result;
}

// By their text: the lesson whose page shows them.
std::map<std::string, const Lesson*> shown_before(const Lesson& lesson) {
  std::map<std::string, const Lesson*> result;
  for (const Lesson* before : changed_lessons(lesson)) {
    for (const Kernel& kernel : before->kernels) {
      for (const FunctionText& text : functions_used(*before, kernel)) {
        result[text.words()] = before;
      }
    }
  }
  return result;
}

// --- The kernel that another one varies

std::ptrdiff_t lines_in_common(const std::vector<SourceLine>& before,
                               const std::vector<SourceLine>& now) {
  const auto texts = [](const std::vector<SourceLine>& lines) {
    std::vector<std::string> result;
    for (const SourceLine& line : lines) result.push_back(line.text);
    return result;
  };
  return std::ranges::count_if(difference(texts(before), texts(now)),
                               [](const Edit& edit) { return edit.before && edit.now; });
}

Predecessor nearest_kernel(const Lesson& lesson, const Kernel& kernel) {
  std::vector<Predecessor> candidates;
  for (const Kernel& other : lesson.kernels) {
    if (&other == &kernel) break;
    candidates.push_back({&lesson, &other});
  }
  for (const Lesson* before : changed_lessons(lesson)) {
    for (const Kernel& other : before->kernels) candidates.push_back({before, &other});
  }
  const std::vector<SourceLine> lines = excerpt(lesson, kernel);
  return *std::ranges::max_element(candidates, {}, [&](const Predecessor& other) {
    return lines_in_common(excerpt(*other.lesson, *other.kernel), lines);
  });
}

}  // namespace

std::vector<SourceLine> ShownCode::all() const {
  std::vector<SourceLine> lines;
  std::ranges::merge(functions, kernel, std::back_inserter(lines), {}, &SourceLine::number,
                     &SourceLine::number);
  return lines;
}

ShownCode shown_code(const Lesson& lesson, const Kernel& kernel) {
  ShownCode code{excerpt(lesson, kernel), {}, {}};
  const std::map<std::string, const Lesson*> before = shown_before(lesson);
  for (const FunctionText& function : functions_used(lesson, kernel)) {
    if (const auto found = before.find(function.words()); found != before.end()) {
      code.earlier.push_back({function.name, found->second});
    } else {
      std::ranges::copy(function.lines, std::back_inserter(code.functions));
    }
  }
  code.functions = with_lines(code.functions, lesson.source, {});  // the blank lines between them
  return code;
}

Predecessor predecessor(const Lesson& lesson, const Kernel& kernel) {
  if (&kernel != &lesson.kernels.front()) return nearest_kernel(lesson, kernel);
  const Lesson* changed = changed_lesson(lesson);
  return {changed, changed ? &changed->kernels.front() : nullptr};
}

}  // namespace gemm_tutor
