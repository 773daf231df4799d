// The one kernel of a file that is meant.
#pragma once

#include <string>

#include "compile/compiler.hpp"
#include "model/gpu_spec.hpp"
#include "run/kernel_source.hpp"

namespace gemm_tutor {

// Throws what compile() throws; NoSuchKernel, with the kernels there are, when the file has none of
// that name.
CompiledKernel compile_entry(const KernelSource& kernel, const GpuSpec& gpu);

// As its own code would call it: "v2<32>". Throws Error (usage) when no name was given and the file
// has no kernel, or several to choose from.
std::string name_of(const KernelSource& kernel, const CompiledKernel& compiled);

}  // namespace gemm_tutor
