// What a CUDA C++ file defines: its functions and kernels, macros, constants and structs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/integer.hpp"
#include "source/token.hpp"

namespace gemm_tutor::source {

// Of a function or a template: "const float* A", "int BK = 8".
struct Parameter {
  std::string name;
  std::optional<IntegerType> type;  // none for pointers, references and other types than integers
  Tokens tokens, default_value;
};

// A function's definition outside any class.
struct Function {
  std::string name;                 // "ns::kernel"; empty for an operator
  std::string template_parameters;  // "int BM, typename T"; empty for no template
  std::vector<Parameter> of_template, parameters;
  bool is_kernel = false;
  bool is_host = false;            // and nothing else: no __device__, __global__ or constexpr
  std::size_t begin = 0, end = 0;  // in the source, with the template's head and both braces
  int first_line = 0, last_line = 0;
  Tokens body;  // between its braces
};

// A #define that has a text.
struct Macro {
  std::string name;
  bool takes_arguments = false;
  std::vector<std::string> parameters;
  Tokens text;
  std::size_t at = 0;
};

// BM and "64" of "constexpr int BM = 64, BK = 8;", which has two.
struct Constant {
  std::string name;
  Tokens value;
  std::size_t at = 0;  // of its name
};

// struct Tile { int row, column; }: one that has nothing but such members.
struct Struct {
  std::string name;
  std::vector<std::string> members;
};

// Its spans point into its tokens, and these into the source, which must outlive it.
struct File {
  explicit File(std::string_view source);
  File(File&&) = default;
  File& operator=(File&&) = default;

  std::string_view text;
  std::vector<Token> code;              // neither comments nor directives
  std::vector<Token> directive_tokens;  // without comments
  std::vector<Tokens> directives;       // of each, from its #
  std::vector<Function> functions;  // none where braces do not match; those of every branch of #if
  std::vector<Macro> macros;

  // None for a name that is not there, or where it is no kernel's. Template arguments are left out
  // of account: "tile<32, 8>" is the kernel "tile".
  const Function* find_kernel(std::string_view name_expression) const;
};

// Of what is between parentheses, or between a template's angles.
std::vector<Parameter> parameters_of(Tokens list);

// The constants of integer types among tokens of code.
std::vector<Constant> constants_in(Tokens code);

std::vector<Struct> structs_in(Tokens code);

// The name in front of template arguments, without blanks.
std::string without_template_arguments(std::string_view name_expression);

// The same text, line by line, without the functions for the host, which NVRTC refuses. Directives
// stay.
std::string without_host_functions(std::string_view source);

}  // namespace gemm_tutor::source
