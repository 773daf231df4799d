#include "instruction_table.hpp"

#include <fstream>
#include <iterator>

#include "instruction_cases.hpp"

namespace gemm_tutor::simt {

// An entry begins a line: {"names", how(
std::vector<TableEntry> table_of_instructions() {
  std::ifstream file(PROJECT_SOURCE_DIR "/src/simt/exec/interpreter/instructions.inc");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<TableEntry> entries;
  const std::string begin = "\n    {\"";
  for (std::size_t at = text.find(begin, text.find("table[]")); at != std::string::npos;
       at = text.find(begin, at)) {
    at += begin.size();
    const std::size_t end = text.find('"', at);
    const std::size_t how = text.find_first_not_of(", \n{", end + 1);
    const std::size_t how_end = text.find_first_of("(<&", how);
    entries.push_back({words_of(text.substr(at, end - at)), text.substr(how, how_end - how)});
  }
  return entries;
}

}  // namespace gemm_tutor::simt
