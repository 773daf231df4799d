// What a kernel makes of C: C = alpha·A·B + beta·C, as BLAS has it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace gemm_tutor {

// What C holds before the kernel: nothing that may be read (matrices.hpp says how that is known),
// zeros, or random numbers.
enum class InitialC { poison, zero, random };

inline constexpr std::pair<InitialC, std::string_view> initial_c_names[] = {
    {InitialC::poison, "poison"}, {InitialC::zero, "zero"}, {InitialC::random, "random"}};

constexpr std::string_view name_of(InitialC c) {
  return initial_c_names[static_cast<std::size_t>(c)].second;
}

struct Update {
  InitialC c = InitialC::poison;
  // Of the kernel's parameters of these names, as it sees them; none where it has no such one.
  std::optional<double> alpha = std::nullopt, beta = std::nullopt;

  double scale_of_product() const { return alpha.value_or(1); }
  // A kernel without a beta is expected to add to a C that holds numbers.
  double scale_of_c() const { return beta.value_or(c == InitialC::poison ? 0 : 1); }

  bool operator==(const Update&) const = default;
};

}  // namespace gemm_tutor
