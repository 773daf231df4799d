// Runs a user's kernel at further sizes, small ones that are not square, and says what holds there.
#pragma once

#include <string>
#include <vector>

#include "gemm/problem.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor {

struct PreparedKernel;
struct RunOptions;
struct KernelRun;

struct FurtherSize {
  Problem problem;
  bool is_right = false;  // and nothing was found
  std::string text;       // "right at 97×130×65", "whole tiles only: at 97×130×65 …"
};

// "1024", "97×130×65".
std::string short_text(const Problem& problem);

// The finding to name first: an access outside of an array, which often causes the others; else the
// first. There must be one.
const simt::Finding& main_finding(const std::vector<simt::Finding>& findings);

// Two sizes: one of whole tiles, with an odd number of them along K, and one with edges. They are
// square if the kernel has not all of M, N and K as parameters.
std::vector<Problem> sizes_to_try(const PreparedKernel& kernel);

// Runs the kernel at the sizes of RunOptions::further on the backend of the run, and sets the run's
// `further` and, if a result is wrong, `wrong.kind`. A size at which the kernel cannot be launched
// counts as wrong. Leaves the kernel at another problem. Throws Interrupted.
void try_further_sizes(KernelRun& run, PreparedKernel& kernel, const RunOptions& options);

}  // namespace gemm_tutor
