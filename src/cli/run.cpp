#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/progress_line.hpp"
#include "course/arguments.hpp"
#include "course/kernel_source.hpp"
#include "gpu/gpu.hpp"
#include "report/lesson_json.hpp"
#include "report/lesson_report.hpp"

namespace gemm_tutor::cli {
namespace {

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

struct OwnKernelOptions {
  std::string file;
  std::optional<std::string> entry, block, tile, arguments;
  std::string grid_x = "n", shared = "0";
  SizeOptions size;
  RunSettings run;
  FormatOption format;
};

std::string required(const char* option, const std::optional<std::string>& value,
                     const char* help) {
  if (value) return *value;
  throw Error(ExitStatus::usage, fmt::format("run: {} is missing", option), help);
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

Dim3 block_of(const OwnKernelOptions& options) {
  constexpr const char* help =
      "Give the threads of a block along x and y, as in --block 32x8, or x alone: --block 256.";
  constexpr std::int64_t most = 1024;  // CUDA C++ Programming Guide: threads of a block
  const std::string value = required("--block", options.block, help);
  const std::vector<int> threads = numbers("--block", value, most, help);
  if (threads.size() > 2) throw wrong_form("--block", value, help);
  return {static_cast<std::uint32_t>(threads.front()),
          threads.size() > 1 ? static_cast<std::uint32_t>(threads.back()) : 1};
}

LaunchShape shape_of(const OwnKernelOptions& options) {
  constexpr const char* help =
      "Give the rows and columns of C that a block computes, as in --tile 64x64.";
  LaunchShape shape;
  shape.block = block_of(options);
  const std::string value = required("--tile", options.tile, help);
  const std::vector<int> tile = numbers("--tile", value, largest_int, help);
  if (tile.size() != 2) throw wrong_form("--tile", value, help);
  shape.tile_rows = tile.front();
  shape.tile_columns = tile.back();
  shape.grid_x_along_rows = choice<bool>("--grid-x", options.grid_x, {{"n", false}, {"m", true}});
  shape.dynamic_shared_bytes =
      static_cast<std::uint32_t>(whole_number("--shared", options.shared, 0, largest_int));
  return shape;
}

std::string entry_of(const std::string& name) {
  if (name.find_first_not_of(" \t") != name.npos) return name;
  throw Error(ExitStatus::usage, "--entry names no kernel",
              "Give a kernel's name, as in --entry v2 or --entry 'v2<32>', or leave --entry out.");
}

KernelSource kernel_of(const OwnKernelOptions& options) {
  if (options.file.empty()) {
    throw Error(ExitStatus::usage, "run: which file?",
                "Give one with a kernel, as in 'gemm-tutor run kernel.cu --block 32x32 --tile "
                "32x32'.");
  }
  const LaunchShape shape = shape_of(options);  // its errors come before the file's
  KernelSource kernel = read_kernel_file(options.file);
  kernel.shape = shape;
  if (options.entry) kernel.name_expression = entry_of(*options.entry);
  if (options.arguments) kernel.arguments = parse_arguments(*options.arguments);
  return kernel;
}

Outcome run_own_kernel(const OwnKernelOptions& options, const ColorOption& color) {
  const KernelSource kernel = kernel_of(options);
  Activity activity;
  RunOptions run_options = options.run.run_options(options.size.problem());
  run_options.activity = &activity;
  const Format format = options.format.format();
  const Terminal terminal = color.terminal();

  const KernelRun run = [&] {
    const ProgressLine line(activity);
    return run_kernel(kernel, run_options);
  }();
  const bool gpu_missing = run.backend == "emulator" && !gpu::status().available;
  return {format == Format::json ? lesson_json(run)
                                 : lesson_text({run, nullptr, gpu_missing}, terminal),
          is_clean(run) ? ExitStatus::ok : ExitStatus::wrong_result};
}

}  // namespace

Command add_run(CLI::App& parent, ColorOption& color) {
  CLI::App* app = parent.add_subcommand("run", "A kernel of your own: counts, findings, time");
  const auto options = std::make_shared<OwnKernelOptions>();
  app->add_option("FILE.cu", options->file, "a CUDA C++ file with a kernel")->type_name("");
  app->add_option("--entry", options->entry,
                  "the kernel: v2, 'v2<32>', 'ns::v2<64,8>'\n(default: the file's only one)")
      ->type_name("NAME");
  app->add_option("--block", options->block, "threads of a block along x and y")
      ->type_name("X[xY]");
  app->add_option("--tile", options->tile, "of C, which a block computes")->type_name("ROWSxCOLS");
  app->add_option("--grid-x", options->grid_x, "blockIdx.x counts tiles along n or m\n(default: n)")
      ->type_name("n|m");
  app->add_option(
         "--args", options->arguments,
         "what the kernel's parameters are, in its\norder: A, B, C, M, N, K or a number, as in\n"
         "M,N,K,1.0,A,B,0.0,C (default: A,B,C,M,N,K)")
      ->type_name("NAMES");
  app->add_option("--shared", options->shared, "dynamic shared memory of a block (default: 0)")
      ->type_name("BYTES");
  options->size.add_to(*app);
  options->run.add_to(*app);
  options->format.add_to(*app);
  color.add_to(*app);
  return {app, [options, &color] { return run_own_kernel(*options, color); }};
}

}  // namespace gemm_tutor::cli
