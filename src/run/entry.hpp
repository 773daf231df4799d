// Compiles a file and finds the requested kernel.
#pragma once

#include <string>

#include "run/kernel_source.hpp"
#include "simt/compiler.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

// Throws what compile() throws. Throws NoSuchKernel, with the file's kernels, if it has no kernel
// of that name.
CompiledKernel compile_entry(const KernelSource& kernel, const GpuSpec& gpu);

// Returns the name as code would write it: "v2<32>". Throws Error (usage) if no name was given and
// the file does not have exactly one kernel.
std::string name_of(const KernelSource& kernel, const CompiledKernel& compiled);

}  // namespace gemm_tutor
