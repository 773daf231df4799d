// The interpreter's own table of instructions, read from its source: what must have a test.
#pragma once

#include <string>
#include <vector>

namespace gemm_tutor::simt {

struct TableEntry {
  std::vector<std::string> names;
  std::string how;  // "lanewise", "memory", …: the function that makes its handlers, or "" for none
};

std::vector<TableEntry> table_of_instructions();

}  // namespace gemm_tutor::simt
