// A kernel's parameters: their roles, their sizes and the values passed to them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/scalar.hpp"

namespace gemm_tutor {

// Alpha and beta scale A·B and C, or what is read in C's place, an array of its own. The workspace
// is memory for partial results of a second pass. A struct whose members have roles of their own is
// `members`.
enum class Role { a, b, c, m, n, k, alpha, beta, read_c, number, workspace, members };

// The names that --args accepts.
inline constexpr std::pair<Role, std::string_view> role_names[] = {
    {Role::a, "A"},         {Role::b, "B"},       {Role::c, "C"},
    {Role::m, "M"},         {Role::n, "N"},       {Role::k, "K"},
    {Role::alpha, "alpha"}, {Role::beta, "beta"}, {Role::read_c, "Cin"}};

// The role must not be `number` or `members`, which have no name.
constexpr std::string_view name_of(Role role) {
  return role == Role::workspace ? "partial" : role_names[static_cast<std::size_t>(role)].second;
}

constexpr bool is_matrix(Role role) { return role <= Role::c; }
constexpr bool is_pointer(Role role) {
  return is_matrix(role) || role == Role::read_c || role == Role::workspace;
}
constexpr bool is_size(Role role) { return role >= Role::m && role <= Role::k; }
constexpr bool is_scale(Role role) { return role == Role::alpha || role == Role::beta; }
constexpr bool takes_number(Role role) { return is_scale(role) || role == Role::number; }

// The role must be m, n or k.
constexpr int size_of(Role role, const Problem& problem) {
  return role == Role::m ? problem.m : role == Role::n ? problem.n : problem.k;
}

// The value passed to a parameter.
struct Argument {
  Role role = Role::a;
  // If takes_number(role), as the user wrote it: "1.0", or an expression of M, N and K: "M * K".
  // For a struct, its members: "A,B,C,M,N,K".
  std::string number = {};

  // The argument in a call of the kernel: the number, or the role's name.
  std::string text() const {
    if (role == Role::members) return "{" + number + "}";
    return number.empty() ? std::string(name_of(role)) : number;
  }
  bool operator==(const Argument&) const = default;
};

inline const std::vector<Argument> usual_arguments = {{Role::a}, {Role::b}, {Role::c},
                                                      {Role::m}, {Role::n}, {Role::k}};

struct Parameter {
  Role role = Role::a;
  int bytes = 8;                // 8 for a pointer, 4 or 8 for a size
  std::uint64_t bits = 0;       // a number's bits as the kernel sees them
  double value = 0;             // the same number
  std::string expression = {};  // in place of these, for a number that depends on the size: "M * K"
  // For a struct, such as {int width; int height; float* elements;}: its members, with their
  // offsets in it.
  std::vector<Parameter> members = {};
  int offset = 0;
  Scalar element = Scalar::f32;  // of a matrix

  bool operator==(const Parameter&) const = default;
};

// (const float* A, const float* B, float* C, int M, int N, int K)
inline const std::vector<Parameter> usual_parameters = {{Role::a, 8}, {Role::b, 8}, {Role::c, 8},
                                                        {Role::m, 4}, {Role::n, 4}, {Role::k, 4}};

}  // namespace gemm_tutor
