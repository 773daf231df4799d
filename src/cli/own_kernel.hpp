// The options that say how a kernel of the user's own is launched: those of `run`.
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

  // All but --block, which not every command has for itself.
  void add_to(CLI::App& app);
  void add_block_to(CLI::App& app);

  // The kernel of the file; of an exercise's, where no option is given, as the exercise launches it
  // for `problem`. `command` is what errors name. Throws Error (usage) for a missing option or a
  // value that is none, and what read_kernel_file() throws.
  KernelSource kernel(const std::string& file, const std::string& command,
                      const Problem& problem) const;

  // The option that was given, of those that a lesson's kernel has no need of; empty for none.
  std::string given() const;
};

}  // namespace gemm_tutor::cli
