// A kernel as syntax trees, with all definitions of its file that its indices depend on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/definitions.hpp"
#include "source/syntax.hpp"

namespace gemm_tutor::source {

// "#define BM 64", "constexpr int BK = 8;", or a template argument.
struct Definition {
  std::string name;
  std::vector<Token> tokens;
  NodePointer value;  // may be null
};

// Another device function of the file.
struct DeviceFunction {
  std::string name;  // "ns::ceil_div"
  std::vector<Parameter> parameters;
  std::vector<Definition> of_template;  // template parameters that have default arguments
  std::vector<Token> tokens;            // the body's tokens
  Statements body;
};

struct Kernel {
  // Finds the kernel, or the kernel template, that `name_expression` names ("tile<32, 32>"). The
  // body is empty if the file does not define it. Both texts must outlive the object.
  Kernel(std::string_view source, std::string_view name_expression);

  File file;
  std::vector<Parameter> parameters;
  // In this order: macros, the file's constants, template arguments. A definition may use those
  // before it. A macro may use any.
  std::vector<Definition> definitions;
  std::vector<DeviceFunction> functions;
  std::vector<Struct> structs;
  std::vector<Token> tokens;  // the body's tokens
  Statements body;
};

// A __shared__ array with extents that are known from the source, or a dynamic one.
struct SharedArray {
  std::string name;
  // Each from 1 to the largest int; empty for a dynamic array, "extern __shared__ half s[]".
  std::vector<std::int64_t> extents;
  int element_bytes = 0;  // of the type, if it is one of CUDA's own; else 0
};

// Returns the __shared__ arrays in `source`, except those of other kernels. Their extents must
// follow from constants, #defines and the template arguments of the name ("tile<32, 32, 32>").
std::vector<SharedArray> shared_arrays(std::string_view source, std::string_view name_expression);

}  // namespace gemm_tutor::source
