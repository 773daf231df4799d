// Changes that may make a wrong kernel right. Each is tried before anything is said of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/matrices.hpp"
#include "run/prepared_kernel.hpp"
#include "simt/emulator.hpp"

namespace gemm_tutor {

// A kernel's C on the emulator.
struct EmulatedProduct {
  simt::Result emulation;
  Matrices matrices;
  bool is_right = false;  // the values, whatever was found
};

// Runs the kernel's launch for the matrices' problem: all blocks, unless `options` limit them. If
// only some run, `is_right` is of what they wrote.
EmulatedProduct emulated_product(const PreparedKernel& kernel, Matrices matrices,
                                 const simt::Options& options);

// Returns the lines after which a barrier would order the accesses of races. Empty for none.
std::vector<int> lines_for_barriers(const std::vector<simt::Finding>& findings);

// The file with a __syncthreads() after the statement that ends in each of these lines, or after
// them.
std::string with_barriers(std::string_view source, const std::vector<int>& lines);

// Gives alpha and beta, if they are used and have no value, others than 1 and 0: with these a
// kernel without them is right, and C may be what it held before. They are integers if C's type is
// one. Returns "alpha = 1.5" for each.
std::vector<std::string> set_other_scales(Scales& scales, const std::function<bool(Role)>& is_used,
                                          Scalar c);

}  // namespace gemm_tutor
