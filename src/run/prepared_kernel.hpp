// A kernel compiled for one GPU and one problem, and its run on the emulator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/compiler.hpp"
#include "emulator/emulator.hpp"
#include "gemm/matrices.hpp"
#include "gemm/parameter.hpp"
#include "gemm/verification.hpp"
#include "gpu/gpu.hpp"
#include "model/gpu_spec.hpp"
#include "run/kernel_source.hpp"
#include "support/activity.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

struct RunOptions;

// One function of a file, compiled and decoded.
struct Pass {
  std::string name;  // "shared_memory_tile<32, 32, 32>"
  CompiledKernel compiled;
  std::optional<emulator::Program> program;
  std::optional<Error> refusal;       // why the emulator has no program of it
  std::vector<Argument> arguments;    // with the values of alpha and beta
  std::vector<Parameter> parameters;  // what the arguments become
};

// The kernel, and how it is launched.
struct PreparedKernel : Pass {
  KernelSource source;
  GpuSpec gpu;  // that it is compiled for
  Update update = {};
  Launch launch = {};
  std::vector<emulator::ArrayShape> arrays = {};  // shared, for what findings say
  // Of a kernel whose blocks share tiles: what adds up their parts after it, and its launch where
  // the problem leaves it any. It takes the arguments of the first.
  std::optional<Pass> second_pass = std::nullopt;
  std::optional<Launch> second_launch = std::nullopt;
  std::int64_t workspace_floats = 0;
};

// (usage) The kernel's own text asks for another launch: its __launch_bounds__, or shared memory
// that comes with the launch. The help is about the options of 'run'.
struct WrongLaunch : Error {
  using Error::Error;
};

// Whether a kernel is of use that the emulator cannot run: it has an instruction that the emulator
// does not know.
enum class Emulation { required, if_possible };

// Throws Error: (usage) when it is not there or cannot be launched on `gpu`; WrongLaunch;
// WrongParameters; (compile_error); (unavailable), also when the emulator cannot run it though it
// must. Throws Interrupted once NVRTC is done, which cannot be stopped.
PreparedKernel prepare(const KernelSource& kernel, const Problem& problem, const GpuSpec& gpu,
                       Activity* activity = nullptr, Emulation emulation = Emulation::required);

// For the GPU that runs it, or whose limits are assumed. Also throws what choose_target() throws.
PreparedKernel prepare(const KernelSource& kernel, const RunOptions& options);

// The same; a kernel that runs on a GPU need not run on the emulator.
PreparedKernel prepare_to_run(const KernelSource& kernel, const RunOptions& options);

// The same kernel for another problem that it was compiled for.
void set_problem(PreparedKernel& kernel, const Problem& problem);

// The parts of C that are complete once these blocks of the grid, and the second pass, have run.
std::vector<Region> completed_regions(const PreparedKernel& kernel, const Problem& problem,
                                      const std::vector<Dim3>& blocks);

// What a GPU is to launch; it refers to `kernel`.
gpu::DeviceKernel on_device(const PreparedKernel& kernel);

// What a warp of it may execute in loops before it counts as endless: more than any kernel needs
// for such a problem.
std::int64_t most_instructions(const PreparedKernel& kernel, const Problem& problem);

// What the options of a run say of every emulation of the kernel: its checks, the end of its loops,
// the block to trace, and who watches it.
emulator::Options emulator_options(const PreparedKernel& kernel, const RunOptions& options);

// What the emulator gives the kernel: its arguments, and A, B, C and the workspace. The buffers
// refer to the matrices and the workspace.
std::vector<emulator::Argument> arguments_of(const std::vector<Parameter>& parameters,
                                             const Problem& problem);
std::vector<float> workspace_of(const PreparedKernel& kernel);
std::vector<emulator::Buffer> buffers_of(const PreparedKernel& kernel, Matrices& matrices,
                                         std::vector<float>& workspace);

// Reads and writes matrices.c, which holds nothing yet where c_before is empty. All of it is
// computed, or what the emulated blocks compute. The counts are of both passes
// together, those of the second in full; the blocks that were emulated are the first pass'. Where
// not all of those are, blocks that complete a tile are among them. The traced block is of the
// first pass; where it runs alone, there is no second one.
emulator::Result emulate(const PreparedKernel& kernel, Matrices& matrices,
                         const emulator::Options& options);

}  // namespace gemm_tutor
