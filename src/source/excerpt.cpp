#include "source/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "source/definitions.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr int short_file = 40;  // lines

struct LineRange {
  int first = 0, last = 0;  // from 1, both included
};

LineRange lines_of(const source::Function& function) {
  return {function.first_line, function.last_line};
}

// The function that contains `line`, or only the line.
LineRange around(int line, const std::vector<LineRange>& functions) {
  for (const LineRange& function : functions) {
    if (line >= function.first && line <= function.last) return function;
  }
  return {line, line};
}

// A gap of one line is not left out, because the mark would not be shorter.
void fill_gaps_of_one(std::set<int>& numbers) {
  for (const int number : std::vector<int>(numbers.begin(), numbers.end())) {
    if (numbers.contains(number + 2)) numbers.insert(number + 1);
  }
}

}  // namespace

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

std::vector<SourceLine> kernel_lines(const std::string& source, const std::string& name) {
  const std::vector<std::string> lines = split_lines(source);
  const source::File file(source);
  const source::Function* kernel = file.find_kernel(name);
  if (!kernel) return {};
  const int count = static_cast<int>(lines.size());
  const LineRange range = count <= short_file ? LineRange{1, count} : lines_of(*kernel);
  std::vector<SourceLine> result;
  for (int line = range.first; line <= range.last; ++line) {
    result.push_back({line, lines[line - 1]});
  }
  return result;
}

std::vector<SourceLine> with_counted_functions(const std::vector<SourceLine>& shown,
                                               const std::string& source,
                                               const std::vector<int>& counted) {
  std::set<int> numbers;
  for (const SourceLine& line : shown) numbers.insert(line.number);
  const auto is_shown = [&](int line) { return numbers.contains(line); };
  if (std::ranges::all_of(counted, is_shown)) return shown;  // avoids parsing a long file again

  const std::vector<std::string> lines = split_lines(source);
  std::vector<LineRange> functions;
  const source::File file(source);
  for (const source::Function& function : file.functions) {
    functions.push_back(lines_of(function));
  }
  for (const int line : counted) {
    if (line < 1 || line > std::ssize(lines) || is_shown(line)) continue;
    const LineRange range = around(line, functions);
    for (int number = range.first; number <= range.last; ++number) numbers.insert(number);
  }
  return with_lines(shown, source, {numbers.begin(), numbers.end()});
}

std::vector<SourceLine> with_lines(const std::vector<SourceLine>& shown, const std::string& source,
                                   const std::vector<int>& more) {
  const std::vector<std::string> lines = split_lines(source);
  std::set<int> numbers(more.begin(), more.end());
  for (const SourceLine& line : shown) numbers.insert(line.number);
  fill_gaps_of_one(numbers);
  std::vector<SourceLine> result;
  for (const int number : numbers) {
    if (number >= 1 && number <= std::ssize(lines)) result.push_back({number, lines[number - 1]});
  }
  return result;
}

}  // namespace gemm_tutor
