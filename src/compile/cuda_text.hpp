// What a CUDA C++ file defines, by its text alone: enough to name its kernels, and to leave out the
// functions for the host, which NVRTC refuses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

// --- Words and brackets

// Of a name or a number: a letter, a digit or "_".
bool is_word_character(char c);

// The word at `at`, or nothing.
std::string_view word_at(std::string_view code, std::size_t at, std::size_t end);

// The last word of "const float* __restrict__ A".
std::string last_word(std::string_view text);

// Where `word` is a whole word, from `from` on; npos where it is none.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

// The first place from `at` on that has no blank, tab or line break; the text's end if there is
// none.
std::size_t skip_blanks(std::string_view text, std::size_t at);

// Where the bracket that is open at `open` closes; `end` where it does not.
std::size_t closing_bracket(std::string_view code, std::size_t open, std::size_t end);

// The parts between commas (or what `separator` is) that are in no brackets, without blanks around.
std::vector<std::string> split_outside_brackets(std::string_view text, char separator = ',');

// --- Definitions

// A function's definition outside any class.
struct FunctionText {
  std::string name;                 // "ns::kernel"; empty for an operator
  std::string template_parameters;  // "int BM, typename T"; empty for no template
  bool is_kernel = false;
  bool is_host = false;            // and nothing else: no __device__, __global__ or constexpr
  std::size_t begin = 0, end = 0;  // from its first character to behind its closing brace
};

// In the order of the text; none where its braces do not match. Both branches of an #if count.
std::vector<FunctionText> function_texts(std::string_view source);

// A #define on one line. A macro that takes arguments may have an empty list of parameters.
struct MacroText {
  std::string name, text;
  bool takes_arguments = false;
  std::vector<std::string> parameters;
  std::size_t begin = 0;  // of its line
};

std::vector<MacroText> macro_texts(std::string_view source);

// BM and "64" of "constexpr int BM = 64, BK = 8;", which has two.
struct ConstantText {
  std::string name, text;
  std::size_t begin = 0;  // of its declaration
};

// The constants of integer types, by `code` without comments.
std::vector<ConstantText> constant_texts(std::string_view code);

// The same text with blanks for all that is no code: comments, literals, and directives. What stays
// is where it was.
std::string code_alone(std::string_view source);

// The same text, line by line, without the functions for the host. Directives stay.
std::string without_host_functions(std::string_view source);

}  // namespace gemm_tutor
