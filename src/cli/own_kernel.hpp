// The options of `run` for the launch of a user's kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/kernel_source.hpp"
#include "run/launch_search.hpp"
#include "run/run.hpp"

namespace CLI {
class App;
}

namespace gemm_tutor::cli {

struct OwnKernelOptions {
  std::optional<std::string> entry, block, tile, arguments;
  std::optional<std::string> c, alpha, beta;
  std::optional<std::string> grid, grid_x, grid_z, shared, transposed, precision;
  std::vector<std::string> include_folders;

  // Adds all except --block, which has another meaning in some commands.
  void add_to(CLI::App& app);
  void add_block_to(CLI::App& app);

  // Returns the file's kernel with its launch: as the options say, and what they leave out as
  // find_launch() finds it. For an exercise's file without options, it is the exercise's. Errors
  // name `command`. Throws Error (usage) for an invalid value, and what read_kernel_file() and
  // find_launch() throw.
  KernelSource kernel(const std::string& file, const std::string& command,
                      const RunOptions& options) const;

  // True if the arguments and what the matrices hold were not found by trying.
  bool fixes_arguments(const KernelSource& found) const {
    return arguments || transposed || c || found.found.command.empty();
  }

  // Returns an option that was given and is not allowed for a lesson's kernel; empty if there is
  // none.
  std::string given() const;

 private:
  LaunchOptions launch() const;
};

}  // namespace gemm_tutor::cli
