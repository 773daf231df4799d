// What is passed to the parameters of a kernel of the user's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/ptx_entry.hpp"
#include "gemm/parameter.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

// What "A,B,C,M,N,K" or "M,N,K,1.0,A,B,0.0,C" says. Throws Error (usage) for what is neither a
// number nor one of the six names, a matrix named twice, and no C.
std::vector<Argument> parse_arguments(std::string_view list);

// "M, N, K, 1.0, A, B, 0.0, C".
std::string text_of(const std::vector<Argument>& arguments);

// A kernel's parameters, by all that is known of them.
struct Signature {
  std::string kernel;              // its name
  std::vector<int> bytes;          // of each parameter
  std::vector<std::string> ptx;    // likewise its type: "u64", "f32"; empty for a struct
  std::vector<std::string> types;  // likewise in C++: "float const*"; none where not known
};

// (usage) The kernel has other parameters than what it is given. The help is about --args.
struct WrongParameters : Error {
  using Error::Error;
};

// Each argument, as its parameter takes it. Throws WrongParameters for another number of them, and
// for one that does not fit: a whole number for a float, a matrix for a double*, 1.5 for an int.
std::vector<Parameter> match(const std::vector<Argument>& arguments, const Signature& signature);

}  // namespace gemm_tutor
