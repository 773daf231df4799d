// A kernel's text in the pieces that its indices depend on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/cuda_text.hpp"
#include "trace/index_expression.hpp"

namespace gemm_tutor {

// A piece of text between two places in the source.
struct TextRange {
  std::size_t begin = 0, end = 0;
};

struct KernelText {
  std::string code;  // of the whole file, with blanks for comments, literals and directives
  TextRange body;    // from behind the kernel's "{" to its "}"
  std::vector<std::string> parameters;              // "const float* A", in order
  std::vector<std::pair<std::string, std::string>>  // what stands in the file before them: #define
      definitions;  // BM 64, constexpr int BK = 8, template arguments
  // Those that take arguments, such as OFFSET(row, col, ld): calls are replaced by the text.
  std::vector<MacroText> macros;
  // The file's other functions for the device.
  struct Function {
    std::string name;                      // "ns::ceil_div"
    std::vector<std::string> parameters;   // "int a", in order
    std::vector<std::string> of_template;  // "int BM", "int BK = 8", in order
    TextRange body;
  };
  std::vector<Function> functions;
  // The members of its structs that have nothing but members: "row", "column" of "Tile".
  std::map<std::string, std::vector<std::string>, std::less<>> structs;
};

// Of the kernel that `name_expression` ("tile<32, 32>") is an instance of. Its body is empty where
// the file does not define it.
KernelText read_kernel_text(std::string_view source, std::string_view name_expression);

// "const int" of "const int M": an int. Nothing for a pointer, a reference and what is no integer.
std::optional<IntegerType> type_of_parameter(const std::string& parameter);

// In longer statements no elements are looked for, and no macro's text becomes longer.
constexpr std::size_t longest_statement = 20'000;

// With the macros' text for their calls, where that is not too long.
std::string expanded(std::string_view text, const std::vector<MacroText>& macros);

}  // namespace gemm_tutor
