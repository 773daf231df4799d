// A kernel's text in the pieces that its indices depend on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  // Of #define OFFSET(row, col, ld) …, whose calls are replaced by the text.
  struct Macro {
    std::string name;
    std::vector<std::string> parameters;
    std::string text;
  };
  std::vector<Macro> macros;
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

// Parts between commas (or what `separator` is) that stand in no brackets, without blanks around.
std::vector<std::string> split_outside_brackets(std::string_view text, char separator = ',');

// Where the bracket that is open at `open` closes; `end` where it does not.
std::size_t closing_bracket(std::string_view code, std::size_t open, std::size_t end);

bool is_word_character(char c);

// The word at `at`, or nothing.
std::string_view word_at(std::string_view code, std::size_t at, std::size_t end);

// The last word of "const float* __restrict__ A".
std::string last_word(std::string_view text);

// "const int" of "const int M": an int. Nothing for a pointer, a reference and what is no integer.
std::optional<IntegerType> type_of_parameter(const std::string& parameter);

// With the macros' text for their calls.
std::string expanded(std::string_view text, const std::vector<KernelText::Macro>& macros);

}  // namespace gemm_tutor
