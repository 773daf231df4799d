#include "cli/own_kernel.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "run/arguments.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

std::string required(const std::string& command, const char* option,
                     const std::optional<std::string>& value, const char* help) {
  if (value) return *value;
  throw Error(ExitStatus::usage, fmt::format("{}: {} is missing", command, option), help);
}

Error wrong_form(const char* option, const std::string& value, const char* help) {
  return {ExitStatus::usage, fmt::format("{} '{}' has the wrong form", option, value), help};
}

// The whole numbers of "16x8", from 1 to `most`.
std::vector<int> numbers(const char* option, const std::string& value, std::int64_t most,
                         const char* help) {
  std::vector<int> result;
  for (const std::string& part : split(value, 'x')) {
    if (part.empty()) throw wrong_form(option, value, help);
    const std::string where = part == value ? option : fmt::format("{} {}:", option, value);
    result.push_back(static_cast<int>(whole_number(where, part, 1, most)));
  }
  return result;
}

Dim3 block_of(const OwnKernelOptions& options, const std::string& command) {
  constexpr const char* help =
      "Give the threads of a block along x and y, as in --block 32x8, or x alone: --block 256.";
  constexpr std::int64_t most = 1024;  // CUDA C++ Programming Guide: threads of a block
  const std::string value = required(command, "--block", options.block, help);
  const std::vector<int> threads = numbers("--block", value, most, help);
  if (threads.size() > 2) throw wrong_form("--block", value, help);
  return {static_cast<std::uint32_t>(threads.front()),
          threads.size() > 1 ? static_cast<std::uint32_t>(threads.back()) : 1};
}

LaunchShape shape_of(const OwnKernelOptions& options, const std::string& command) {
  constexpr const char* help =
      "Give the rows and columns of C that a block computes, as in --tile 64x64.";
  LaunchShape shape;
  shape.block = block_of(options, command);
  const std::string value = required(command, "--tile", options.tile, help);
  const std::vector<int> tile = numbers("--tile", value, largest_int, help);
  if (tile.size() != 2) throw wrong_form("--tile", value, help);
  shape.tile_rows = tile.front();
  shape.tile_columns = tile.back();
  shape.grid_x_along_rows =
      choice<bool>("--grid-x", options.grid_x.value_or("n"), {{"n", false}, {"m", true}});
  shape.dynamic_shared_bytes = static_cast<std::uint32_t>(
      whole_number("--shared", options.shared.value_or("0"), 0, largest_int));
  return shape;
}

std::string entry_of(const std::string& name) {
  if (name.find_first_not_of(" \t") != name.npos) return name;
  throw Error(ExitStatus::usage, "--entry names no kernel",
              "Give a kernel's name, as in --entry v2 or --entry 'v2<32>', or leave --entry out.");
}

}  // namespace

void OwnKernelOptions::add_block_to(CLI::App& app) {
  add_option(app, "--block", block, "X[xY]",
             "threads of a block along x and y, as in 32x8 (no default: it must be given)",
             launch_group);
}

void OwnKernelOptions::add_to(CLI::App& app) {
  add_option(app, "--entry", entry, "NAME",
             "the kernel: v2, 'v2<32>', 'ns::v2<64,8>' (default: the file's only one)",
             launch_group);
  add_option(app, "--tile", tile, "ROWSxCOLS",
             "the part of C that a block computes, in elements, as in 64x64 (no default: a "
             "file's kernel needs it)",
             launch_group);
  add_option(app, "--grid-x", grid_x, "n|m", "blockIdx.x counts tiles along n or m (default: n)",
             launch_group);
  add_option(app, "--args", arguments, "NAMES",
             "what the kernel's parameters are, in its order: A, B, C, M, N, K or a number, as in "
             "M,N,K,1.0,A,B,0.0,C (default: A,B,C,M,N,K)",
             launch_group);
  add_option(app, "--shared", shared, "BYTES",
             "dynamic shared memory of a block, in bytes (default: 0)", launch_group);
}

KernelSource OwnKernelOptions::kernel(const std::string& file, const std::string& command) const {
  if (file.empty()) {
    throw Error(ExitStatus::usage, fmt::format("{}: which file?", command),
                fmt::format("Give one with a kernel, as in 'gemm-tutor {} kernel.cu --block 32x32 "
                            "--tile 32x32'.",
                            command));
  }
  KernelSource kernel = read_kernel_file(file);  // without it no option would be of use
  kernel.shape = shape_of(*this, command);
  if (entry) kernel.name_expression = entry_of(*entry);
  if (arguments) kernel.arguments = parse_arguments(*arguments);
  return kernel;
}

std::string OwnKernelOptions::given() const {
  for (const auto& [name, value] : {std::pair{"--entry", entry},
                                    {"--block", block},
                                    {"--tile", tile},
                                    {"--grid-x", grid_x},
                                    {"--args", arguments},
                                    {"--shared", shared}}) {
    if (value) return name;
  }
  return "";
}

}  // namespace gemm_tutor::cli
