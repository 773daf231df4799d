#include "course/prepared_kernel.hpp"

#include <algorithm>
#include <limits>

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

emulator::Buffer matrix(std::string name, std::vector<float>& elements, int columns) {
  emulator::Buffer buffer;
  buffer.name = std::move(name);
  buffer.data = elements.data();
  buffer.bytes = elements.size() * sizeof(float);
  buffer.columns = columns;
  return buffer;
}

}  // namespace

PreparedKernel prepare(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                       const Problem& problem, const GpuSpec& gpu) {
  PreparedKernel prepared;
  prepared.source_file = lesson.source_file;
  prepared.shape = kernel.shape(settings);
  prepared.launch = launch_for(prepared.shape, problem);
  check_launch(gpu, declared_resources(prepared.shape), prepared.launch);

  CompileRequest request;
  request.source = lesson.source;
  request.file_name = lesson.source_file;
  request.architecture = gpu.architecture();
  request.name_expression = kernel.name_expression(settings);
  prepared.compiled = compile(request);
  check_launch(gpu, prepared.compiled.resources, prepared.launch);
  return prepared;
}

emulator::Result emulate(const PreparedKernel& kernel, Matrices& matrices,
                         const emulator::Options& options) {
  const Problem& p = matrices.problem;
  std::vector<emulator::Buffer> buffers = {
      matrix("A", matrices.a, p.k), matrix("B", matrices.b, p.n), matrix("C", matrices.c, p.n)};
  buffers[0].read_only = buffers[1].read_only = true;
  buffers[2].output = true;
  using emulator::Argument;
  const std::vector<Argument> arguments = {Argument::pointer(0),   Argument::pointer(1),
                                           Argument::pointer(2),   Argument::integer(p.m),
                                           Argument::integer(p.n), Argument::integer(p.k)};
  return emulator::Program::decode(kernel.compiled.ptx, kernel.compiled.lowered_name,
                                   kernel.source_file)
      .run(kernel.launch, buffers, arguments, options);
}

}  // namespace gemm_tutor
