// What a CUDA C++ file defines, by its text alone: enough to name its kernels, and to leave out the
// functions for the host, which NVRTC refuses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

// A function's definition outside any class.
struct FunctionText {
  std::string name;                 // "ns::kernel"
  std::string template_parameters;  // "int BM, typename T"; empty for no template
  bool is_kernel = false;
  bool is_host = false;            // and nothing else: no __device__, __global__ or constexpr
  std::size_t begin = 0, end = 0;  // from its first character to behind its closing brace
};

// In the order of the text; none where its braces do not match. Both branches of an #if count.
std::vector<FunctionText> function_texts(std::string_view source);

// The same text with blanks for all that is no code: comments, literals, and directives. What stays
// is where it was.
std::string code_alone(std::string_view source);

// The same text, line by line, without the functions for the host. Directives stay.
std::string without_host_functions(std::string_view source);

}  // namespace gemm_tutor
