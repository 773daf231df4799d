// The arguments of a user's kernel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/scalar.hpp"
#include "simt/compiler.hpp"
#include "source/definitions.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

// Parses "A,B,C,M,N,K" or "M,N,K,alpha,A,B,0.0,C", with the members of a struct in braces:
// "A,B,C,{M,N,K}". Throws Error (usage) for a word that is neither
// a number nor a role's name, for a matrix that is named twice, and if there is no C.
std::vector<Argument> parse_arguments(std::string_view list);

// Returns the option's value as it was written. Throws Error (usage) if it is not a number.
std::string parse_number(std::string_view option, std::string_view text);

// "M, N, K, 1.0, A, B, 0.0, C".
std::string text_of(const std::vector<Argument>& arguments);

// What is known of a kernel's parameters.
struct Signature {
  std::string kernel;              // its name, with its file and line if it is in an included one
  std::vector<int> bytes;          // size of each parameter
  std::vector<std::string> ptx;    // type of each in PTX: "u64", "f32"; empty for a struct
  std::vector<std::string> types;  // type of each in C++: "float const*"; no elements if not known
  std::vector<std::string> names;  // name of each in the source; no elements if not known
  // For a struct whose members' types are known, with pointers to floats alone: its members. Empty
  // for other parameters; no elements if not known.
  std::vector<std::vector<source::Member>> members = {};
};

// True for a number of FP16 or BF16. The type is one of a signature's.
inline bool is_half(std::string_view type) { return type == "__half" || type == "__nv_bfloat16"; }

// The values of --alpha and --beta as they were written.
struct Scales {
  std::optional<std::string> alpha = std::nullopt, beta = std::nullopt;
};

// Returns the role that a parameter's name says, without regard to case and to marks of memory:
// "d_A" is A. Nothing for other names.
std::optional<Role> role_of_name(const std::string& name);

// Returns the size that a name says where it is not M, N or K: "A_rows", "wB", "ldc". It is only
// where a search begins, because in many files N is what is K elsewhere.
std::optional<Role> likely_size(const std::string& name);

// Returns the size that a member with this name says of a matrix: "width" of B is N, and so is its
// "stride". Nothing for other names.
std::optional<Role> size_of_member(Role matrix, const std::string& name);

// True if the struct has one pointer, so that it describes a matrix.
bool is_matrix_struct(const std::vector<source::Member>& members);

// Returns what the members of a struct are, if it describes no matrix and their names say it all;
// x, y and z are M, N and K. Nothing for other parameters.
std::optional<Argument> members_by_name(const Signature& signature, std::size_t index);

// Returns the arguments if the names of the parameters say all their roles, with C among them, and
// otherwise nothing.
std::optional<std::vector<Argument>> arguments_by_name(const Signature& signature);

// Error (usage): the arguments do not match the kernel's parameters. The help is about --args.
struct WrongParameters : Error {
  using Error::Error;
};

// Returns the arguments with the values of alpha and beta, which are 1 and 0 by default. A number
// for a parameter named alpha or beta is its value. If the list is empty, the roles follow from the
// parameters' names, without regard to case. If these do not give all roles, six parameters are A,
// B, C, M, N, K. Throws WrongParameters if the roles cannot be found, and for an alpha or beta
// without a parameter.
std::vector<Argument> resolve(std::vector<Argument> arguments, const Scales& scales,
                              const Signature& signature);

// Converts each argument to its parameter's type. Throws WrongParameters if their numbers differ,
// or if an argument does not fit: a whole number for a float, a matrix for a double*, 1.5 for an
// int.
std::vector<Parameter> match(const std::vector<Argument>& arguments, const Signature& signature);

// Returns what a kernel with these parameters computes. Without `c`, C is random for a kernel with
// a beta, and otherwise poisoned. Throws Error (usage) if C is poisoned and scaled.
Update update_of(const std::vector<Parameter>& parameters, std::optional<InitialC> c);

}  // namespace gemm_tutor
