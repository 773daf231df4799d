// Finds the definitions in a CUDA C++ file: functions and kernels, macros, constants and structs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/integer.hpp"
#include "source/token.hpp"

namespace gemm_tutor::source {

// A parameter of a function or a template: "const float* A", "int BK = 8".
struct Parameter {
  std::string name;
  std::optional<IntegerType> type;  // nothing unless it is an integer type
  Tokens tokens, default_value;
};

// True if it is neither a number nor a pointer, as far as its tokens say: a struct, or a T.
bool may_be_struct(const Parameter& parameter);

// The definition of a function.
struct Function {
  std::string name;                 // "ns::kernel"; empty for an operator
  std::string template_parameters;  // "int BM, typename T"; empty if it is not a template
  std::string returned_type;        // the word before the name: "int" of "static int f()"
  std::vector<Parameter> of_template, parameters;
  bool is_kernel = false;
  bool is_host = false;            // host only: no __device__, __global__ or constexpr
  std::size_t begin = 0, end = 0;  // offsets, from the template's head to after the closing brace
  int first_line = 0, last_line = 0;
  Tokens body;  // without its braces
};

// A #define with a replacement text, or a constant's template, which is replaced as well:
// "template <int BM> constexpr int ROWS = BM / 8;".
struct Macro {
  std::string name;
  bool takes_arguments = false;
  bool is_template = false;  // its arguments are in < >
  std::vector<std::string> parameters;
  Tokens text;
  std::size_t at = 0;
};

// One constant: "constexpr int BM = 64, BK = 8;" has two, and the first is BM with the value "64".
struct Constant {
  std::string name;
  Tokens value;
  std::size_t at = 0;  // offset of its name
};

// The size of "unsigned short", which a name may follow; 0 if it is not one of CUDA's own types.
int bytes_of_type(Tokens type);

// A data member of a struct.
struct Member {
  std::string name;
  int bytes = 0;  // 0 if its type is not known
  int offset = 0;
  bool is_pointer = false;
  bool is_float = false;
  std::string element = {};  // what it points to: "unsigned char", "T"
};

// A struct with its data members, as in struct Tile { int row, column; }.
struct Struct {
  std::string name;
  std::vector<std::string> members;
  std::vector<Member> layout;  // as a GPU lays them out; empty if a type is not known
  int bytes = 0;
};

// Spans point into the token vectors, and tokens point into the source, which must outlive this.
struct File {
  explicit File(std::string_view source);
  File(File&&) = default;
  File& operator=(File&&) = default;

  std::string_view text;
  std::vector<Token> code;              // neither comments nor directives
  std::vector<Token> directive_tokens;  // without comments
  std::vector<Tokens> directives;       // each directive's tokens, from its #
  std::vector<Function> functions;      // of every branch of #if; empty if braces do not match
  std::vector<Macro> macros;

  // Returns null if there is no kernel of that name. Template arguments are ignored: "tile<32, 8>"
  // is the kernel "tile".
  const Function* find_kernel(std::string_view name_expression) const;
};

// Parses the parameters between a function's parentheses or a template's angle brackets.
std::vector<Parameter> parameters_of(Tokens list);

// Returns the functions that have a body. The directives say which macros stand for __device__.
std::vector<Function> functions_in(Tokens code, const std::vector<Tokens>& directives = {});

// Returns the constants of integer types that the code defines, without templates.
std::vector<Constant> constants_in(Tokens code);

std::vector<Struct> structs_in(Tokens code);

// Returns the name before the template arguments, without blanks.
std::string without_template_arguments(std::string_view name_expression);

// Removes the host functions, which NVRTC rejects, and keeps the number of lines and the
// directives.
std::string without_host_functions(std::string_view source);

// Replaces extern "C" by blanks where it stands before a kernel, or before braces with kernels and
// no functions of the device: with C linkage, a kernel's name in the PTX does not say the types of
// its parameters.
std::string without_c_linkage(std::string_view source);

}  // namespace gemm_tutor::source
