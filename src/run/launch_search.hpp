// Finds how a user's kernel is launched: from the command line's options, from the host code of its
// file or its repository, and by trying the rest on small problems, where a right result shows what
// is right.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/kernel_source.hpp"
#include "simt/gpu_spec.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

// What the user says of the launch; nothing for what is to be found.
struct LaunchOptions {
  std::optional<std::string> entry;  // "v2<32>"
  std::optional<simt::Dim3> block;
  std::optional<std::pair<int, int>> tile;  // rows and columns
  std::optional<GridExpressions> grid;
  std::optional<bool> grid_x_along_rows;
  std::optional<std::uint32_t> blocks_of_tile;
  std::optional<std::string> shared;  // bytes, an expression
  std::optional<std::vector<Argument>> arguments;
  std::optional<Transposed> transposed;
  Scales scales = {};
  std::optional<InitialC> c = std::nullopt;
  std::optional<Precision> precision = std::nullopt;

  // True if nothing has to be found, except the roles of parameters with the usual names.
  bool is_complete() const { return block && (tile || grid); }
};

// Returns the file's kernel with its launch. `kernel.found` has the command that says the same, and
// what was read, guessed or tried. Throws Error (usage) if the kernel is not named and the file has
// several, and for all options together that are missing; and what compiling it throws.
KernelSource find_launch(KernelSource kernel, const LaunchOptions& options,
                         const simt::GpuSpec& gpu, const std::string& command,
                         Activity* activity = nullptr);

// Returns the options with which the wrong result of a kernel would be right, if another order of
// its arguments, operands that are stored transposed or another C before it are all it takes:
// "--args A,B,C,M,N,K". They were tried on two small problems. Empty if there are none. Throws
// Interrupted.
std::string right_options(const KernelSource& kernel, const simt::GpuSpec& gpu,
                          Activity* activity = nullptr);

}  // namespace gemm_tutor
