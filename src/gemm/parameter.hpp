// What the parameters of a kernel stand for, and how wide they are.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "gemm/problem.hpp"

namespace gemm_tutor {

enum class Role { a, b, c, m, n, k };

inline constexpr std::pair<Role, std::string_view> role_names[] = {
    {Role::a, "A"}, {Role::b, "B"}, {Role::c, "C"}, {Role::m, "M"}, {Role::n, "N"}, {Role::k, "K"}};

constexpr std::string_view name_of(Role role) {
  return role_names[static_cast<std::size_t>(role)].second;
}

constexpr bool is_matrix(Role role) { return role <= Role::c; }

// Of M, N or K.
constexpr int size_of(Role role, const Problem& problem) {
  return role == Role::m ? problem.m : role == Role::n ? problem.n : problem.k;
}

struct Parameter {
  Role role = Role::a;
  int bytes = 8;  // of a pointer; 4 or 8 of a size

  bool operator==(const Parameter&) const = default;
};

// (const float* A, const float* B, float* C, int M, int N, int K)
inline const std::vector<Parameter> usual_parameters = {{Role::a, 8}, {Role::b, 8}, {Role::c, 8},
                                                        {Role::m, 4}, {Role::n, 4}, {Role::k, 4}};

}  // namespace gemm_tutor
