// What a kernel computes: C = alpha·A·B + beta·C, as in BLAS, and of which types.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "gemm/scalar.hpp"

namespace gemm_tutor {

// The contents of C before the kernel: poison, which must not be read (see matrices.hpp), zeros, or
// random numbers.
enum class InitialC { poison, zero, random };

inline constexpr std::pair<InitialC, std::string_view> initial_c_names[] = {
    {InitialC::poison, "poison"}, {InitialC::zero, "zero"}, {InitialC::random, "random"}};

constexpr std::string_view name_of(InitialC c) {
  return initial_c_names[static_cast<std::size_t>(c)].second;
}

struct Update {
  InitialC c = InitialC::poison;
  // The values of the kernel's parameters of these names; nothing if it has no such parameter.
  std::optional<double> alpha = std::nullopt, beta = std::nullopt;
  bool reads_another_c = false;  // it has a parameter for what C held before, beside C
  Types types = {};

  double scale_of_product() const { return alpha.value_or(1); }
  // A kernel without a beta is expected to add to C, unless C is poisoned.
  double scale_of_c() const { return beta.value_or(c == InitialC::poison ? 0 : 1); }

  bool operator==(const Update&) const = default;
};

}  // namespace gemm_tutor
