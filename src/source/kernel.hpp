// A kernel, with all of its file that its indices depend on, as syntax trees.
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
  NodePointer value;  // null for none
};

// One of the file's other functions for the device.
struct DeviceFunction {
  std::string name;  // "ns::ceil_div"
  std::vector<Parameter> parameters;
  std::vector<Definition> of_template;  // with default arguments
  std::vector<Token> tokens;            // of its body
  Statements body;
};

struct Kernel {
  // Of what `name_expression` ("tile<32, 32>") is an instance of; without a body where the file
  // does not define it. Both texts must outlive it.
  Kernel(std::string_view source, std::string_view name_expression);

  File file;
  std::vector<Parameter> parameters;
  // Before its body, in the order: macros, the file's constants, template arguments. Each may be
  // made of those before it, and a macro of any.
  std::vector<Definition> definitions;
  std::vector<DeviceFunction> functions;
  std::vector<Struct> structs;
  std::vector<Token> tokens;  // of its body
  Statements body;
};

// A __shared__ array whose extents follow from the text.
struct SharedArray {
  std::string name;
  std::vector<std::int64_t> extents;  // each from 1 to the largest int
};

// Those declared in `source`, but for other kernels, whose extents follow from its constants, its
// #defines and the arguments of the template instance ("tile<32, 32, 32>").
std::vector<SharedArray> shared_arrays(std::string_view source, std::string_view name_expression);

}  // namespace gemm_tutor::source
