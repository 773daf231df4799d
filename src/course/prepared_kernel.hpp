// A kernel compiled for one GPU and one problem, and its run on the emulator.
#pragma once

#include <string>

#include "compile/compiler.hpp"
#include "course/lesson.hpp"
#include "emulator/emulator.hpp"
#include "gemm/matrices.hpp"
#include "model/gpu_spec.hpp"

namespace gemm_tutor {

struct PreparedKernel {
  std::string source_file;
  LaunchShape shape;
  Launch launch;
  CompiledKernel compiled;
};

// Throws Error: (usage) when it cannot be launched on `gpu`, (compile_error), (unavailable).
PreparedKernel prepare(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                       const Problem& problem, const GpuSpec& gpu);

// Writes matrices.c: all of it, or what the emulated blocks compute.
emulator::Result emulate(const PreparedKernel& kernel, Matrices& matrices,
                         const emulator::Options& options);

}  // namespace gemm_tutor
