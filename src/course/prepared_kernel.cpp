#include "course/prepared_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

std::string names_of(const std::vector<Role>& roles) {
  std::vector<std::string> names;
  for (const Role role : roles) names.emplace_back(name_of(role));
  return join(names);
}

// The roles given, each as wide as the kernel's own parameter.
std::vector<Parameter> match(const std::vector<Role>& roles, const std::vector<int>& bytes,
                             const std::string& kernel) {
  const auto mismatch = [](const std::string& message) {
    return Error(ExitStatus::usage, message,
                 "Say what each of the kernel's parameters is, in its order, with --args: some of "
                 "A, B, C, M, N, K.");
  };
  if (roles.size() != bytes.size()) {
    throw mismatch(fmt::format("{} has {} parameter{}, not the {} of {}", kernel, bytes.size(),
                               bytes.size() == 1 ? "" : "s", roles.size(), names_of(roles)));
  }
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const bool fits = bytes[i] == 8 || (bytes[i] == 4 && !is_matrix(roles[i]));
    if (!fits) {
      throw mismatch(fmt::format("parameter {} of {} has {} bytes, which {} does not fit", i + 1,
                                 kernel, bytes[i], name_of(roles[i])));
    }
    parameters.push_back({roles[i], bytes[i]});
  }
  return parameters;
}

emulator::Buffer matrix(std::string name, std::vector<float>& elements, int columns) {
  emulator::Buffer buffer;
  buffer.name = std::move(name);
  buffer.data = elements.data();
  buffer.bytes = elements.size() * sizeof(float);
  buffer.columns = columns;
  return buffer;
}

}  // namespace

PreparedKernel prepare(const KernelSource& kernel, const Problem& problem, const GpuSpec& gpu) {
  const Launch launch = launch_for(kernel.shape, problem);
  check_launch(gpu, declared_resources(kernel.shape), launch);
  Entry entry = compile_entry(kernel, gpu.architecture());
  check_launch(gpu, entry.compiled.resources, launch);

  emulator::Program program =
      emulator::Program::decode(entry.compiled.ptx, entry.compiled.lowered_name, kernel.file_name);
  std::vector<Parameter> parameters = match(kernel.parameters, program.parameters(), entry.name);
  return {.name = std::move(entry.name),
          .shape = kernel.shape,
          .launch = launch,
          .compiled = std::move(entry.compiled),
          .program = std::move(program),
          .parameters = std::move(parameters),
          .arrays = shared_array_shapes(kernel.source, kernel.name_expression)};
}

emulator::Result emulate(const PreparedKernel& kernel, Matrices& matrices,
                         const emulator::Options& options) {
  const Problem& p = matrices.problem;
  std::vector<emulator::Buffer> buffers = {
      matrix("A", matrices.a, p.k), matrix("B", matrices.b, p.n), matrix("C", matrices.c, p.n)};
  buffers[0].read_only = buffers[1].read_only = true;
  buffers[2].output = true;
  std::vector<emulator::Argument> arguments;
  for (const auto& [role, bytes] : kernel.parameters) {
    arguments.push_back(is_matrix(role) ? emulator::Argument::pointer(static_cast<int>(role))
                                        : emulator::Argument::integer(size_of(role, p)));
  }
  emulator::Options with_names = options;
  with_names.arrays = kernel.arrays;
  return kernel.program.run(kernel.launch, buffers, arguments, with_names);
}

}  // namespace gemm_tutor
