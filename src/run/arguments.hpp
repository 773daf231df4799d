// What is passed to the parameters of a kernel of the user's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/ptx_entry.hpp"
#include "gemm/parameter.hpp"
#include "gemm/update.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

// What "A,B,C,M,N,K" or "M,N,K,alpha,A,B,0.0,C" says. Throws Error (usage) for what is neither a
// number nor the name of a role, a matrix named twice, and no C.
std::vector<Argument> parse_arguments(std::string_view list);

// The value of an option, as it was written. Throws Error (usage) for what is no number.
std::string parse_number(std::string_view option, std::string_view text);

// "M, N, K, 1.0, A, B, 0.0, C".
std::string text_of(const std::vector<Argument>& arguments);

// A kernel's parameters, by all that is known of them.
struct Signature {
  std::string kernel;              // its name
  std::vector<int> bytes;          // of each parameter
  std::vector<std::string> ptx;    // likewise its type: "u64", "f32"; empty for a struct
  std::vector<std::string> types;  // likewise in C++: "float const*"; none where not known
  std::vector<std::string> names;  // likewise in its source; none where not known
};

// What --alpha and --beta say, as it was written.
struct Scales {
  std::optional<std::string> alpha = std::nullopt, beta = std::nullopt;
};

// (usage) The kernel has other parameters than what it is given. The help is about --args.
struct WrongParameters : Error {
  using Error::Error;
};

// The arguments with the values of alpha and beta: 1 and 0 where none are given. A number for a
// parameter named alpha or beta is its value. An empty list is found by the names of the
// parameters, in capitals or not, where these say it of each; else six parameters are A, B, C, M,
// N, K. Throws WrongParameters where the names do not say it, and for an alpha or beta that no
// parameter takes.
std::vector<Argument> resolve(std::vector<Argument> arguments, const Scales& scales,
                              const Signature& signature);

// Each argument, as its parameter takes it. Throws WrongParameters for another number of them, and
// for one that does not fit: a whole number for a float, a matrix for a double*, 1.5 for an int.
std::vector<Parameter> match(const std::vector<Argument>& arguments, const Signature& signature);

// What a kernel with these parameters makes of C. Without `c`, C is random before a kernel that has
// a beta, and poisoned before any other. Throws Error (usage) where C is to be poisoned and scaled.
Update update_of(const std::vector<Parameter>& parameters, std::optional<InitialC> c);

}  // namespace gemm_tutor
