#include "exercise/library.hpp"

#include <vector>

#include "source/definitions.hpp"

namespace gemm_tutor {
namespace {

double multiply_adds(const emulator::Counters& counters) {
  constexpr auto other = static_cast<std::size_t>(emulator::InstructionKind::floating_point);
  return static_cast<double>(counters.ffma + 32 * counters.instructions[other]);
}

// All directives, and the code outside of the kernel.
std::vector<std::string_view> words_outside(const source::Function& kernel,
                                            const source::File& file) {
  std::vector<std::string_view> words;
  for (const source::Token& token : file.directive_tokens) words.push_back(token.text);
  for (const source::Token& token : file.code) {
    if (token.at < kernel.begin || token.at >= kernel.end) words.push_back(token.text);
  }
  return words;
}

}  // namespace

double multiply_adds_of_no_library(const Exercise& exercise, std::string_view source,
                                   const emulator::Result& result) {
  const source::File file(source), handout(exercise.handout);
  const source::Function* kernel = file.find_kernel(exercise.kernel.function);
  const source::Function* handed_out = handout.find_kernel(exercise.kernel.function);
  const bool has_library =
      kernel && handed_out && words_outside(*kernel, file) == words_outside(*handed_out, handout);
  if (!has_library) return multiply_adds(result.total);
  double sum = 0;
  for (const emulator::LineCounters& line : result.lines) {
    if (line.line >= kernel->first_line && line.line <= kernel->last_line)
      sum += multiply_adds(line.counters);
  }
  return sum;
}

}  // namespace gemm_tutor
