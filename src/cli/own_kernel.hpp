// The options of `run` for the launch of a user's kernel.
#pragma once

#include <optional>
#include <string>

#include "run/kernel_source.hpp"

namespace CLI {
class App;
}

namespace gemm_tutor::cli {

struct OwnKernelOptions {
  std::optional<std::string> entry, block, tile, arguments;
  std::optional<std::string> c, alpha, beta;
  std::optional<std::string> grid_x, grid_z, shared;

  // Adds all except --block, which has another meaning in some commands.
  void add_to(CLI::App& app);
  void add_block_to(CLI::App& app);

  // Returns the file's kernel. For an exercise's file without options, the launch is the exercise's
  // for `problem`. Errors name `command`. Throws Error (usage) for a missing option or an invalid
  // value, and what read_kernel_file() throws.
  KernelSource kernel(const std::string& file, const std::string& command,
                      const Problem& problem) const;

  // Returns an option that was given and is not allowed for a lesson's kernel; empty if there is
  // none.
  std::string given() const;
};

}  // namespace gemm_tutor::cli
