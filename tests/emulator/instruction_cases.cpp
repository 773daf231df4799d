#include "instruction_cases.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <map>

#include "simt/exec/address_space.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

using Cases = std::vector<InstructionCase>;
using NamedValues = std::map<std::string, Bits>;

Bits value_of(const std::string& text, const NamedValues& names) {
  Bits sum = 0;
  for (const std::string& term : split(text, '+')) {
    if (const auto named = names.find(term); named != names.end())
      sum += named->second;
    else if (term.starts_with("f:"))
      sum += std::bit_cast<std::uint32_t>(std::strtof(term.c_str() + 2, nullptr));
    else if (term.starts_with("d:"))
      sum += std::bit_cast<std::uint64_t>(std::strtod(term.c_str() + 2, nullptr));
    else
      sum += std::stoull(term, nullptr, 0);
  }
  return sum;
}

// Of a file whose lines are those of instruction_cases.txt.
void add_cases(Cases& out, const char* path) {
  NamedValues names = {{"shared_window", shared_window},
                       {"local_window", local_window},
                       {"global_address", global_address(0)}};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min(line.size(), line.find('#')));
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words.size() == 3 && words[1] == "=") {
      names[words[0]] = value_of(words[2], names);
      continue;
    }
    if (!line.starts_with(' ')) {
      const std::size_t registers = line.find(" | "), rows = line.find(" | ", registers + 3);
      out.push_back(
          {line.substr(0, registers), line.substr(registers + 3, rows - registers - 3), {}});
      line.erase(0, rows + 3);
    }
    for (const std::string& row : split(line, ',')) {
      std::vector<Bits> values;
      for (const std::string& word : words_of(row)) values.push_back(value_of(word, names));
      if (!values.empty()) out.back().rows.push_back(values);
    }
  }
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    if (space != 0) words.emplace_back(text.substr(0, space));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return words;
}

Bits truncate(Bits value, std::string_view register_class) {
  if (register_class == "rd") return value;
  if (register_class == "r") return static_cast<std::uint32_t>(value);
  if (register_class == "rs") return static_cast<std::uint16_t>(value);
  return value & 1;
}

const std::vector<InstructionCase>& instruction_cases() {
  static const std::vector<InstructionCase> cases = [] {
    std::vector<InstructionCase> all_cases;
    add_cases(all_cases, PROJECT_SOURCE_DIR "/tests/emulator/instruction_cases.txt");
    add_cases(all_cases, ARITHMETIC_CASES);
    return all_cases;
  }();
  return cases;
}

}  // namespace gemm_tutor::simt
