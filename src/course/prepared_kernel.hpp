// A kernel compiled for one GPU and one problem, and its run on the emulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/compiler.hpp"
#include "course/kernel_source.hpp"
#include "emulator/emulator.hpp"
#include "gemm/matrices.hpp"
#include "gemm/parameter.hpp"
#include "model/gpu_spec.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

struct PreparedKernel {
  std::string name;  // "shared_memory_tile<32, 32, 32>"
  LaunchShape shape;
  Launch launch;
  CompiledKernel compiled;
  emulator::Program program;
  std::vector<Argument> arguments;
  std::vector<Parameter> parameters;         // what they become
  std::vector<emulator::ArrayShape> arrays;  // shared, for what findings say
};

// Throws Error: (usage) when it is not there, cannot be launched on `gpu`, or has other parameters;
// (compile_error); (unavailable), also when the emulator does not know an instruction of it. Throws
// Interrupted once NVRTC is done, which cannot be stopped.
PreparedKernel prepare(const KernelSource& kernel, const Problem& problem, const GpuSpec& gpu,
                       Activity* activity = nullptr);

// What a warp of it may execute in loops before it counts as endless: more than any kernel needs
// for such a problem.
std::int64_t most_instructions(const PreparedKernel& kernel, const Problem& problem);

// Writes matrices.c: all of it, or what the emulated blocks compute.
emulator::Result emulate(const PreparedKernel& kernel, Matrices& matrices,
                         const emulator::Options& options);

}  // namespace gemm_tutor
