// A kernel that is compiled for one GPU and one problem, and its run on the emulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "gemm/matrices.hpp"
#include "gemm/scalar.hpp"
#include "gemm/verification.hpp"
#include "gpu/gpu.hpp"
#include "run/arguments.hpp"
#include "run/kernel_source.hpp"
#include "simt/compiler.hpp"
#include "simt/emulator.hpp"
#include "simt/gpu_spec.hpp"
#include "support/activity.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

struct RunOptions;

// One kernel function, compiled and decoded.
struct Pass {
  std::string name;  // "shared_memory_tile<32, 32, 32>"
  simt::CompiledKernel compiled;
  std::optional<simt::Program> program;
  std::optional<Error> refusal;  // why the emulator cannot run it
  simt::PtxEntry entry;
  Signature signature;
  std::vector<Argument> arguments;    // with the values of alpha and beta
  std::vector<Parameter> parameters;  // made from the arguments
};

// Of KernelSource::before.
struct EarlierPass : Pass {
  LaunchShape shape;
  simt::Launch launch;
};

// The kernel and its launch.
struct PreparedKernel : Pass {
  KernelSource source;
  simt::GpuSpec gpu;  // the GPU that it is compiled for
  Update update = {};
  simt::Launch launch = {};
  std::vector<simt::ArrayShape> arrays = {};  // shared arrays, for findings
  std::vector<simt::Finding> overruns = {};   // of threads' arrays, found in the source
  // For a kernel whose blocks share tiles: the kernel that adds their parts, and its launch if the
  // problem needs it. It has the arguments of the first.
  std::optional<Pass> second_pass = std::nullopt;
  std::optional<simt::Launch> second_launch = std::nullopt;
  std::vector<EarlierPass> before = {};  // they have the arguments of the kernel
  std::int64_t workspace_floats = 0;

  bool is_alone() const { return !second_pass && before.empty(); }
};

// Error (usage): the launch does not match the kernel's source: its __launch_bounds__, or its
// dynamic shared memory. The help is about the options of 'run'.
struct WrongLaunch : Error {
  using Error::Error;
};

// Whether to accept a kernel with an instruction that the emulator does not know.
enum class Emulation { required, if_possible };

// Compiles and decodes a kernel whose launch is not known yet. The pass has no arguments. Throws
// what prepare() throws, except errors in the launch and in the arguments.
Pass compile_pass(const KernelSource& kernel, const simt::GpuSpec& gpu, Emulation emulation,
                  Activity* activity);

// Gives a compiled kernel this launch and these arguments for a problem. Throws what prepare()
// throws of them.
void set_launch(PreparedKernel& kernel, const LaunchShape& shape,
                const std::vector<Argument>& arguments, const Problem& problem);

// Compiles and decodes a kernel. Throws Error (usage) if the kernel does not exist or cannot be
// launched on `gpu`; WrongLaunch; WrongParameters; Error (compile_error); Error (unavailable), also
// if emulation is required but not possible. Throws Interrupted only after NVRTC has returned,
// because NVRTC cannot be stopped.
PreparedKernel prepare(const KernelSource& kernel, const Problem& problem, const simt::GpuSpec& gpu,
                       Activity* activity = nullptr, Emulation emulation = Emulation::required);

// The same for the target of the options. Also throws what choose_target() throws.
PreparedKernel prepare(const KernelSource& kernel, const RunOptions& options);

// The same, but a kernel that runs on a GPU need not run on the emulator.
PreparedKernel prepare_to_run(const KernelSource& kernel, const RunOptions& options);

// Changes the problem. The kernel must be compiled for the new problem, too.
void set_problem(PreparedKernel& kernel, const Problem& problem);

// Returns the parts of C that are complete after these blocks of the grid and the second pass.
std::vector<Region> completed_regions(const PreparedKernel& kernel, const Problem& problem,
                                      const std::vector<simt::Dim3>& blocks);

// Returns the launch on a GPU. It refers to `kernel`, which must outlive it.
gpu::DeviceKernel on_device(const PreparedKernel& kernel);

// Returns the number of instructions that a warp may execute in loops before the kernel counts as
// endless: more than any kernel needs for the problem.
std::int64_t most_instructions(const PreparedKernel& kernel, const Problem& problem);

// Returns the emulator's options for a run: checks, limit of instructions, traced block and
// activity.
simt::Options emulator_options(const PreparedKernel& kernel, const RunOptions& options);

// The emulator's arguments, and the memory that they point to.
std::vector<simt::Argument> arguments_of(const std::vector<Parameter>& parameters,
                                         const Problem& problem);

// The matrices as the kernel sees them, in their types, and its workspace. The buffers, A, B, C and
// what else the kernel has, refer to this object and to the matrices, which must outlive them.
class EmulatedMemory {
 public:
  EmulatedMemory(const PreparedKernel& kernel, Matrices& matrices);
  EmulatedMemory(const EmulatedMemory&) = delete;
  EmulatedMemory& operator=(const EmulatedMemory&) = delete;

  const std::vector<simt::Buffer>& buffers() const { return buffers_; }
  void copy_c_to(Matrices& matrices) const;  // only needed if it is not FP32

 private:
  simt::Buffer matrix(Role role, std::vector<float>& elements, Scalar scalar, int columns);

  std::deque<std::vector<std::byte>> encoded_;  // matrices that are not FP32
  std::vector<float> workspace_;
  std::vector<simt::Buffer> buffers_;
};

// Runs both passes. It reads and writes matrices.c, which is poisoned if c_before is empty or is
// passed as an array of its own. If not all blocks run, only their part of C is computed, and some
// of them complete a tile together. Counts are the sum of both passes; the second pass runs all its
// blocks. The result's blocks and the traced block are of the first pass. If only the traced block
// runs, there is no second pass.
// With checks, the findings are followed by the kernel's overruns.
simt::Result emulate(const PreparedKernel& kernel, Matrices& matrices,
                     const simt::Options& options);

// Compiles a file and finds the requested kernel. Throws what compile() throws. Throws
// NoSuchKernel, with the file's kernels, if it has no kernel of that name.
simt::CompiledKernel compile_entry(const KernelSource& kernel, const simt::GpuSpec& gpu);

// Returns the name as code would write it: "v2<32>". Throws Error (usage) if no name was given and
// the file does not have exactly one kernel.
std::string name_of(const KernelSource& kernel, const simt::CompiledKernel& compiled);

}  // namespace gemm_tutor
