// Division, rounded up.
#pragma once

#include <concepts>

namespace gemm_tutor {

// For a >= 0 and b > 0; never overflows.
template <std::integral A, std::integral B>
constexpr auto ceil_divide(A a, B b) {
  return a / b + (a % b != 0);
}

}  // namespace gemm_tutor
