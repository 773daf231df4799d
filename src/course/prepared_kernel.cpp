#include "course/prepared_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compile/kernel_name.hpp"
#include "compile/ptx_entry.hpp"
#include "course/arguments.hpp"
#include "course/array_shapes.hpp"
#include "course/entry.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// As much as is known before compiling, which a launch that cannot be need not wait for: the
// assembler's words for too much shared memory would not name the launch.
KernelResources declared_resources(const LaunchShape& shape) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() / sizeof(float);
  KernelResources resources;
  resources.static_shared_bytes =
      static_cast<int>(std::min(shape.static_shared_floats, most) * sizeof(float));
  return resources;
}

// What the kernel's own text demands of its launch, and a GPU would refuse without a reason.
void check_demands(const std::string& name, const PtxEntry& entry, const Launch& launch) {
  const auto threads = static_cast<std::int64_t>(launch.block.count());
  if (entry.most_threads > 0 && threads > entry.most_threads) {
    throw Error(ExitStatus::usage,
                fmt::format("the __launch_bounds__ of {} allow {} threads a block, not {}", name,
                            with_thousands(entry.most_threads), with_thousands(threads)),
                "Launch it with fewer threads, or raise the bounds in the source.");
  }
  if (entry.exact_threads > 0 && threads != entry.exact_threads) {
    throw Error(ExitStatus::usage,
                fmt::format("{} requires {} threads a block, not {}", name,
                            with_thousands(entry.exact_threads), with_thousands(threads)),
                "Launch it with as many, or change what the source requires.");
  }
  if (entry.uses_dynamic_shared && launch.dynamic_shared_bytes == 0) {
    throw Error(
        ExitStatus::usage,
        fmt::format("{} uses extern __shared__ memory, and --shared was not given", name),
        "Give the bytes of a block, as the kernel's launch does: --shared 8192 for 2,048 floats.");
  }
}

emulator::Buffer matrix(std::string name, std::vector<float>& elements, int columns) {
  emulator::Buffer buffer;
  buffer.name = std::move(name);
  buffer.data = elements.data();
  buffer.bytes = elements.size() * sizeof(float);
  buffer.columns = columns;
  return buffer;
}

emulator::Argument argument_of(const Parameter& parameter, const Problem& problem) {
  const Role role = parameter.role;
  if (is_matrix(role)) return emulator::Argument::pointer(static_cast<int>(role));
  if (role == Role::number) return {-1, parameter.bits};
  return emulator::Argument::integer(size_of(role, problem));
}

}  // namespace

PreparedKernel prepare(const KernelSource& kernel, const Problem& problem, const GpuSpec& gpu,
                       Activity* activity) {
  const Launch launch = launch_for(kernel.shape, problem);
  check_launch(gpu, declared_resources(kernel.shape), launch);
  or_unwatched(activity).begin("compiling");
  Entry entry = compile_entry(kernel, gpu);
  or_unwatched(activity).check();
  check_launch(gpu, entry.compiled.resources, launch);
  const PtxEntry ptx = ptx_entry(entry.compiled.ptx, entry.compiled.lowered_name);
  check_demands(entry.name, ptx, launch);

  emulator::Program program =
      emulator::Program::decode(entry.compiled.ptx, entry.compiled.lowered_name, kernel.file_name);
  std::vector<Parameter> parameters =
      match(kernel.arguments, {.kernel = entry.name,
                               .bytes = program.parameters(),
                               .ptx = ptx.parameter_types,
                               .types = parameter_types(entry.compiled.lowered_name)});
  return {.name = std::move(entry.name),
          .shape = kernel.shape,
          .launch = launch,
          .compiled = std::move(entry.compiled),
          .program = std::move(program),
          .arguments = kernel.arguments,
          .parameters = std::move(parameters),
          .arrays = shared_array_shapes(kernel.source, kernel.name_expression)};
}

// So many for each step along K of the elements that fall to one of a warp's lanes, and its share
// of the block's for whatever else it does.
std::int64_t most_instructions(const PreparedKernel& kernel, const Problem& problem) {
  constexpr double for_one = 100, besides = 50e6, most = 1e18;
  const double tile = 1.0 * kernel.shape.tile_rows * kernel.shape.tile_columns;
  const double warps = std::ceil(static_cast<double>(kernel.launch.block.count()) / 32);
  const double elements = std::max(1.0, tile / warps);
  return static_cast<std::int64_t>(
      std::min(most, besides / warps + for_one * elements * problem.k));
}

emulator::Result emulate(const PreparedKernel& kernel, Matrices& matrices,
                         const emulator::Options& options) {
  const Problem& p = matrices.problem;
  std::vector<emulator::Buffer> buffers = {
      matrix("A", matrices.a, p.k), matrix("B", matrices.b, p.n), matrix("C", matrices.c, p.n)};
  buffers[0].read_only = buffers[1].read_only = true;
  buffers[2].output = true;
  std::vector<emulator::Argument> arguments;
  for (const Parameter& parameter : kernel.parameters) {
    arguments.push_back(argument_of(parameter, p));
  }
  emulator::Options with_names = options;
  with_names.arrays = kernel.arrays;
  return kernel.program.run(kernel.launch, buffers, arguments, with_names);
}

}  // namespace gemm_tutor
