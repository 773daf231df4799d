#include "cli/own_kernel.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "exercise/exercise.hpp"
#include "run/arguments.hpp"
#include "run/target.hpp"
#include "source/token.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor::cli {
namespace {

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

simt::Dim3 block_of(const std::string& value) {
  constexpr const char* help =
      "Give the threads of a block along x, y and z, as in --block 32x8, or x alone: --block 256.";
  constexpr std::int64_t most = 1024;  // CUDA C++ Programming Guide: threads of a block
  const std::vector<int> threads = numbers("--block", value, most, help);
  if (threads.size() > 3) throw wrong_form("--block", value, help);
  const auto along = [&](std::size_t axis) {
    return axis < threads.size() ? static_cast<std::uint32_t>(threads[axis]) : 1;
  };
  return {along(0), along(1), along(2)};
}

std::pair<int, int> tile_of(const std::string& value) {
  constexpr const char* help =
      "Give the rows and columns of C that a block computes, as in --tile 64x64.";
  const std::vector<int> tile = numbers("--tile", value, largest_int, help);
  if (tile.size() != 2) throw wrong_form("--tile", value, help);
  return {tile.front(), tile.back()};
}

// One to three expressions with commas between them.
GridExpressions grid_of(const std::string& value) {
  constexpr const char* help =
      "Give its blocks along x, y and z as expressions of M, N, K and SMs, the GPU's number of "
      "multiprocessors, as in --grid '(N + 63) / 64, (M + 63) / 64'.";
  const std::vector<source::Token> tokens = source::tokens_of(value);
  const std::vector<source::Tokens> parts = source::split(tokens, ",");
  if (parts.empty() || parts.size() > 3) throw wrong_form("--grid", value, help);
  GridExpressions grid = {"1", "1", "1"};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    grid[i] = source::text_of(parts[i]);
    const Problem any{1024, 1024, 1024};
    if (!grid_extent(grid[i], any, 1)) throw wrong_form("--grid", value, help);
  }
  return grid;
}

// A number or an expression.
std::string bytes_of(const std::string& value) {
  const Problem any{1024, 1024, 1024};
  const auto bytes = grid_extent(value, any, 1);
  if (bytes && *bytes >= 0 && *bytes <= largest_int) return value;
  throw wrong_form("--shared", value,
                   "Give the bytes as a number or as an expression of M, N and K, as in --shared "
                   "'K * 4'.");
}

Transposed transposed_of(const std::string& value) {
  Transposed result;
  for (const std::string& part : split(value, ',')) {
    const auto name = choice<char>("--transposed", part, {{"a", 'a'}, {"b", 'b'}});
    (name == 'a' ? result.a : result.b) = true;
  }
  return result;
}

std::optional<std::string> number_of(const char* option, const std::optional<std::string>& value) {
  return value ? std::optional(parse_number(option, *value)) : std::nullopt;
}

InitialC initial_c(const std::string& value) {
  std::vector<std::pair<std::string, InitialC>> meanings;
  for (const auto& [c, name] : initial_c_names) meanings.emplace_back(name, c);
  return choice<InitialC>("--c", value, meanings);
}

Precision precision_of(const std::string& value) {
  std::vector<std::pair<std::string, Precision>> meanings;
  for (const std::string& name : precision_names())
    meanings.emplace_back(name, *precision_named(name));
  return choice<Precision>("--precision", value, meanings);
}

std::string entry_of(const std::string& name) {
  if (name.find_first_not_of(" \t") != name.npos) return name;
  throw Error(ExitStatus::usage, "--entry names no kernel",
              "Give a kernel's name, as in --entry v2 or --entry 'v2<32>', or leave --entry out.");
}

}  // namespace

void OwnKernelOptions::add_block_to(CLI::App& app) {
  add_option(app, "--block", block, "X[xY[xZ]]",
             "threads of a block along x, y and z, as in 32x8 (default: as the file launches it)",
             launch_group);
}

void OwnKernelOptions::add_to(CLI::App& app) {
  add_option(app, "--entry", entry, "NAME",
             "the kernel: v2, 'v2<32>', 'ns::v2<64,8>' (default: the file's only one)",
             launch_group);
  add_option(app, "--tile", tile, "ROWSxCOLS",
             "the part of C that a block computes, in elements, as in 64x64 (default: as the file "
             "launches it)",
             launch_group);
  add_option(app, "--grid", grid, "X[,Y[,Z]]",
             "instead of --tile, the blocks of the grid as expressions of M, N, K and SMs, the "
             "number of multiprocessors, as in '(M * N + 255) / 256' (default: as --tile says)",
             launch_group);
  add_option(app, "--grid-x", grid_x, "n|m", "blockIdx.x counts tiles along n or m (default: n)",
             launch_group);
  add_option(app, "--grid-z", grid_z, "COUNT",
             "blocks along z that compute a tile together, as when they split K (default: 1)",
             launch_group);
  add_option(app, "--args", arguments, "NAMES",
             "what the kernel's parameters are, in its order: A, B, C, M, N, K, alpha, beta or a "
             "number, as in M,N,K,alpha,A,B,0.0,C; Cin is what C held, where that is an array of "
             "its own; of a struct its members in braces, as in 'A,B,C,{M,N,K}' (default: by their "
             "names, or by trying)",
             launch_group);
  add_option(app, "--transposed", transposed, "a|b|a,b",
             "A is stored as KxM, or B as NxK (default: neither, unless the file's kernel is right "
             "only so)",
             launch_group);
  add_option(app, "--alpha", alpha, "X", "the value of the kernel's parameter alpha (default: 1)",
             launch_group);
  add_option(app, "--beta", beta, "X", "the value of the kernel's parameter beta (default: 0)",
             launch_group);
  add_option(app, "--c", c, "poison|zero|random",
             "what C holds before: nothing that may be read, zeros, or random numbers, to which a "
             "kernel without a beta must add (default: random for a kernel with a beta, else "
             "poison)",
             launch_group);
  add_option(app, "--precision", precision, join(precision_names(), "|").c_str(),
             "by which the result is judged, of the factors and of the sums (default: as the types "
             "of the matrices and the kernel's tensor instructions say)",
             launch_group);
  add_option(
      app, "--shared", shared, "BYTES",
      "dynamic shared memory of a block: a number of bytes, or an expression like those of --grid "
      "(default: that of host code, or 0)",
      launch_group);
  add_option(
      app, "-I,--include", include_folders, "DIR",
      "a folder with headers that the file includes, for each folder once (default: those of "
      "the file's repository)",
      launch_group);
}

LaunchOptions OwnKernelOptions::launch() const {
  if (tile && grid) {
    throw Error(ExitStatus::usage, "--tile and --grid cannot go together",
                "Give --tile for a grid with a block per tile of C, or --grid for any other.");
  }
  if (grid && (grid_x || grid_z)) {
    throw Error(ExitStatus::usage,
                fmt::format("--grid and --grid-{} cannot go together", grid_x ? "x" : "z"),
                "Say everything about the grid in --grid.");
  }
  LaunchOptions result;
  if (entry) result.entry = entry_of(*entry);
  if (block) result.block = block_of(*block);
  if (tile) result.tile = tile_of(*tile);
  if (grid) result.grid = grid_of(*grid);
  if (grid_x)
    result.grid_x_along_rows = choice<bool>("--grid-x", *grid_x, {{"n", false}, {"m", true}});
  constexpr std::int64_t most_along_z = 65'535;  // CUDA C++ Programming Guide: blocks of a grid
  if (grid_z) {
    result.blocks_of_tile =
        static_cast<std::uint32_t>(whole_number("--grid-z", *grid_z, 1, most_along_z));
  }
  if (shared) result.shared = bytes_of(*shared);
  if (arguments) result.arguments = parse_arguments(*arguments);
  if (transposed) result.transposed = transposed_of(*transposed);
  result.scales = {number_of("--alpha", alpha), number_of("--beta", beta)};
  if (c) result.c = initial_c(*c);
  if (precision) result.precision = precision_of(*precision);
  return result;
}

KernelSource OwnKernelOptions::kernel(const std::string& file, const std::string& command,
                                      const RunOptions& options) const {
  if (file.empty()) {
    throw Error(ExitStatus::usage, fmt::format("{}: which file?", command),
                fmt::format("Give one with a kernel, as in 'gemm-tutor {} kernel.cu'.", command));
  }
  KernelSource kernel = read_kernel_file(file, give_a_kernel,
                                         include_folders);  // without it no option would be of use
  if (const Exercise* exercise = exercise_of(kernel.source, file); exercise && given().empty())
    return exercise_source(*exercise, kernel.source, kernel.file_name, options.problem);
  return find_launch(std::move(kernel), launch(), choose_target(options).gpu, command,
                     options.activity);
}

std::string OwnKernelOptions::given() const {
  for (const auto& [name, value] : {std::pair{"--entry", entry},
                                    {"--block", block},
                                    {"--tile", tile},
                                    {"--grid", grid},
                                    {"--grid-x", grid_x},
                                    {"--grid-z", grid_z},
                                    {"--args", arguments},
                                    {"--transposed", transposed},
                                    {"--alpha", alpha},
                                    {"--beta", beta},
                                    {"--c", c},
                                    {"--precision", precision},
                                    {"--shared", shared}}) {
    if (value) return name;
  }
  return "";
}

}  // namespace gemm_tutor::cli
